import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import {
  call,
  calls,
  hold,
  reacting,
  type ScriptedModel,
  say,
  startScriptedModel,
} from '../support/scriptedModel';
import { until } from '../support/vscode/eventually';
import { delegate } from '../support/vscode/rehearse';
import { askCard, roomRow, showTab } from '../support/vscode/room';
import { screenshot, type Theme, themes } from '../support/vscode/screenshot';
import { writeMachineSettings } from '../support/vscode/server';
import { E2E_MS, useSuite } from '../support/vscode/suite';
import {
  expandTree,
  pressTreeAction,
  showContainer,
  sidebarWidth,
  treeRows,
  webviewFrame,
} from '../support/vscode/views';

const TASK = 'Add CSV export to the report page';
const add = (name: string, role: string, task: string, more: object = {}) =>
  call('team_add', { name, role, task, ...more });

const report = `export function report(rows) {
  const head = Object.keys(rows[0] ?? {});
  return [head, ...rows.map((row) => head.map((key) => row[key]))];
}
`;

const script = {
  lead: reacting([
    [
      /Add CSV export/,
      add('ui', 'the export button', 'Own src/report.js and src/button.js. Add the button.', {
        goal: 'Reports can be exported as CSV.',
      }),
    ],
    [/ui was added/, say('`ui` builds the button first; the others follow when its shape is known.')],
    [
      /Team report from ui/,
      calls(
        add('parser', 'CSV writing, quoting and escaping', 'Own src/csv.js: quote fields, escape quotes.'),
        add('tests', 'tests of the export', 'Own test/. Run them.'),
        add('docs', 'the manual page', 'Own docs/export.md.'),
        add('reviewer', 'reads every change', 'Read what the others write.'),
      ),
    ],
    [
      /reviewer was added/,
      call('team_send', {
        to: ['all'],
        message:
          'Fields are **always quoted**, line ends are `\\r\\n`.\n\n- `parser` owns `src/csv.js`\n- `tests` waits for nobody',
      }),
    ],
    [
      /Sent to/,
      call('ask_user', { question: 'Which separator shall the file have?', choices: ['Comma', 'Semicolon'] }),
    ],
  ]),
  ui: reacting([
    [
      /Own src\/report/,
      calls(
        call('read', { path: 'src/report.js' }),
        call('write', {
          path: 'src/button.js',
          content: "export const button = 'Export as CSV';\nexport const label = 'csv';\n",
        }),
      ),
    ],
    [
      /button\.js/,
      call('edit', { path: 'src/report.js', old: 'return [head, ', new: 'return [head.map(String), ' }),
    ],
    [
      /report\.js/,
      say('The button is there: `src/button.js`. The report gives its head as text.\n\nNot done: an icon.'),
    ],
  ]),
  parser: reacting([
    [
      /Own src\/csv/,
      call('write', { path: 'src/csv.js', content: 'export const quote = (field) => field;\n' }),
    ],
    [
      /csv\.js/,
      hold(
        'parser',
        say('Now I write the escaping of quotes: each one is doubled, and the field is quoted.'),
      ),
    ],
  ]),
  tests: reacting([
    [/Own test/, call('bash', { command: 'npm test -- --grep export --reporter dot && npm run lint' })],
  ]),
};

/** A team in which everything is seen at once; then its sidebar in both themes and two widths, all tabs. */
describe('the looks of the sidebar', function () {
  this.timeout(E2E_MS);
  const suite = useSuite();
  let model: ScriptedModel;
  let page: Page;

  before(async () => {
    model = await startScriptedModel();
    model.script(script);
    await writeMachineSettings(suite().server.dataDir, {
      'teamroom.permissionMode': 'edits',
      'teamroom.agents.max': 6,
      'teamroom.models': [
        {
          id: 'scripted',
          provider: 'openai',
          label: 'Scripted',
          baseUrl: model.url,
          model: 'scripted',
          parallel: 3,
          price: { input: 10, cachedInput: 1, output: 30 },
        },
      ],
    });
    const folder = join(suite().scratch, 'looks');
    await mkdir(join(folder, 'src'), { recursive: true });
    await writeFile(join(folder, 'src/report.js'), report);
    ({ page } = await suite().open({ folder, viewport: { width: 1000, height: 1100 } }));
    await showContainer(page, 'Teamroom');
    await sidebarWidth(page, 600);
    await delegate(page, TASK);
    await model.held('parser');
    await askCard(page, 'npm test');
    await askCard(page, 'Which separator');
    await pressTreeAction(page, 'Agents', 'docs', 'Stop');
    await (await roomRow(page, 'stopped by you')).waitFor();
    await until(
      'everybody in the native tree',
      () => treeRows(page, 'Agents'),
      (rows) => rows.some(({ description }) => description.startsWith('stopped by you')),
    );
    await expandTree(page, 'Agents');
  });
  after(() => model.close());

  for (const theme of ['dark', 'light'] as const satisfies readonly Theme[]) {
    for (const width of [600, 250]) {
      it(`${theme}, ${width} pixels: nothing is wider than its view; pictures are in the cache folder`, async () => {
        await useTheme(theme);
        await sidebarWidth(page, width);
        for (const tab of ['room', 'tree', 'changes'] as const) {
          await showTab(page, tab);
          await page.mouse.move(900, 1050);
          const frame = await webviewFrame(page, 'room-app');
          const [wide, inside] = await frame.evaluate(() => [
            document.documentElement.scrollWidth,
            document.documentElement.clientWidth,
          ]);
          assert.ok((wide ?? 0) <= (inside ?? 0), `${tab}: ${wide} pixels in ${inside}`);
          await screenshot(page, `sidebar-${theme}-${width}-${tab}`, 'sidebar');
        }
      });
    }
  }

  async function useTheme(theme: Theme): Promise<void> {
    await writeMachineSettings(suite().server.dataDir, { 'workbench.colorTheme': themes[theme] });
    await page.locator(`.monaco-workbench.${theme === 'light' ? 'vs' : 'vs-dark'}`).waitFor();
    const frame = await webviewFrame(page, 'room-app');
    await frame.locator(`body.vscode-${theme}`).waitFor();
  }
});
