import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runPaletteCommand } from '../support/vscode/palette';
import { delegate, teamFinished } from '../support/vscode/rehearse';
import { changedSampleFiles, makeSampleFolder, SAMPLE_TASK } from '../support/vscode/sample';
import { E2E_MS, useSuite } from '../support/vscode/suite';
import { expandTree, showContainer, treeRows, webviewText } from '../support/vscode/views';

describe('the rehearsal in a sample folder', function () {
  this.timeout(E2E_MS);
  const suite = useSuite();

  it('from the palette to the lead’s answer: asked before each write, files changed, all of it still there after a reload', async () => {
    const folder = await makeSampleFolder(suite().scratch);
    const window = await suite().open({ folder });
    const { page } = window;
    await showContainer(page, 'Teamroom');
    await delegate(page, SAMPLE_TASK);
    const asked: string[] = [];
    await teamFinished(page, (line) => asked.push(line));
    assert.equal(asked.length, 4, 'three writes and one command that does more than read');
    const files = ['changed README.md', 'new src/csv.js', 'new test/csv.test.js'];
    assert.deepEqual(await changedSampleFiles(folder), files);
    assert.match(await readFile(join(folder, 'src/csv.js'), 'utf8'), /export function toCsv/);

    await expandTree(page, 'Agents');
    const rows = await treeRows(page, 'Agents');
    const shown = ['1 Add a CSV export to the report', '2 lead', '3 exporter', '4 csv.js', '3 tester'];
    const drawn = rows.map((row) => `${row.level} ${row.label}`);
    for (const line of shown)
      assert.ok(
        drawn.some((row) => row.startsWith(line)),
        `${line} in ${drawn.join(', ')}`,
      );
    assert.match(await webviewText(page), /The report can now be exported as CSV/);

    await window.reload();
    await runPaletteCommand(page, 'Teamroom: Focus on Agents View');
    await teamFinished(page, () => assert.fail('nothing is asked again'));
    assert.match(await webviewText(page), /The report can now be exported as CSV/);
    assert.deepEqual(await changedSampleFiles(folder), files);
  });
});
