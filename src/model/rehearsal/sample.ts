/**
 * The sample folder that a rehearsal plays in, as data: the same files for the command Rehearse, `npm start` and
 * the tests. A small report program; what it lacks is an export as CSV.
 */
export interface SampleFile {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** A file of this name says that Teamroom made the folder; the rehearsal runs in no other. */
export const SAMPLE_MARKER = '.teamroom-sample';

export const SAMPLE_TASK =
  'Add a CSV export to the report: a function toCsv(orders) in src/csv.js, tested, and named in the README.';

export const sampleFiles: readonly SampleFile[] = [
  {
    path: SAMPLE_MARKER,
    text: 'Teamroom made this folder for a rehearsal. You may delete it.\n',
  },
  {
    path: 'README.md',
    text: `# Order report

Prints what was ordered and what it comes to.

## Use

- \`node src/report.js\` prints the report.
- \`node --test\` runs the tests.
`,
  },
  {
    path: 'package.json',
    text: `{
  "name": "order-report",
  "version": "1.0.0",
  "private": true,
  "type": "module",
  "scripts": {
    "start": "node src/report.js",
    "test": "node --test"
  }
}
`,
  },
  {
    path: 'src/orders.js',
    text: `/** Prices are in cents. */
export const orders = [
  { item: 'Notebook, lined', quantity: 3, price: 450 },
  { item: 'Pencil "HB"', quantity: 12, price: 80 },
  { item: 'Eraser', quantity: 2, price: 120 },
];
`,
  },
  {
    path: 'src/report.js',
    text: `import { pathToFileURL } from 'node:url';
import { orders } from './orders.js';

/** What all orders come to, in cents. */
export function total(orders) {
  return orders.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
}

export const money = (cents) => (cents / 100).toFixed(2);

export function report(orders) {
  const lines = orders.map(({ item, quantity, price }) => \`\${quantity} x \${item}: \${money(quantity * price)}\`);
  return [...lines, \`Total: \${money(total(orders))}\`].join('\\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(report(orders));
`,
  },
  {
    path: 'test/report.test.js',
    text: `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { report, total } from '../src/report.js';

const orders = [
  { item: 'Pen', quantity: 2, price: 150 },
  { item: 'Ink', quantity: 1, price: 700 },
];

test('the total is the sum of quantity times price', () => {
  assert.equal(total(orders), 1000);
});

test('the report has a line per order and the total', () => {
  assert.equal(report(orders), '2 x Pen: 3.00\\n1 x Ink: 7.00\\nTotal: 10.00');
});
`,
  },
];
