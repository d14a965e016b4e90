/** What the rehearsal's members write into the sample. */

export const CSV_JS = `import { money } from './report.js';

/** A field in quotes where it has a comma, a quote or a line break; quotes inside are doubled. */
const field = (value) => (/[",\\n]/.test(value) ? \`"\${value.replaceAll('"', '""')}"\` : value);

/** The orders as CSV: a header, then one line per order. Amounts have two decimals. */
export function toCsv(orders) {
  const rows = orders.map(({ item, quantity, price }) => [
    item,
    String(quantity),
    money(price),
    money(quantity * price),
  ]);
  return [['item', 'quantity', 'price', 'sum'], ...rows]
    .map((row) => row.map(field).join(','))
    .join('\\n');
}
`;

export const CSV_TEST_JS = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsv } from '../src/csv.js';

test('there is a header and a line per order', () => {
  const orders = [{ item: 'Pen', quantity: 2, price: 150 }];
  assert.equal(toCsv(orders), 'item,quantity,price,sum\\nPen,2,1.50,3.00');
});

test('commas and quotes in a field are quoted', () => {
  const orders = [{ item: 'Pencil "HB", soft', quantity: 1, price: 80 }];
  assert.equal(toCsv(orders).split('\\n')[1], '"Pencil ""HB"", soft",1,0.80,0.80');
});
`;

export const README_OLD = '- `node src/report.js` prints the report.\n';
export const README_NEW = `${README_OLD}- \`toCsv(orders)\` of \`src/csv.js\` gives the orders as CSV.\n`;
