import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest, readWords } from '../support/house/manifest';
import { paletteOffers } from '../support/vscode/palette';
import { E2E_MS, useSuite } from '../support/vscode/suite';
import { pane, showContainer } from '../support/vscode/views';

describe('a window with the installed extension', function () {
  this.timeout(E2E_MS);
  const suite = useSuite();

  it('offers in the palette every command that is not for an item, and has both views', async () => {
    const folder = join(suite().scratch, 'folder');
    await mkdir(folder);
    // The palette's list takes two fifths of the window, and only what is in sight can be read.
    const { page, close } = await suite().open({ folder, viewport: { width: 1300, height: 2600 } });
    const { contributes } = readManifest();
    const words = readWords();
    const hidden = contributes.menus['commandPalette']?.map((item) => item.command) ?? [];
    const expected = contributes.commands
      .filter((item) => !hidden.includes(item.command))
      .map((item) => `Teamroom: ${words[item.title.replaceAll('%', '')]}`);
    // VS Code itself adds one for each view.
    for (const view of Object.values(contributes.views).flat()) {
      expected.push(`Teamroom: Focus on ${words[view.name.replaceAll('%', '')]} View`);
    }
    const offered = await paletteOffers(page, 'Teamroom: ');
    assert.deepEqual(offered.filter((title) => title.startsWith('Teamroom: ')).sort(), expected.sort());

    await showContainer(page, 'Teamroom');
    assert.ok(await (await pane(page, 'Agents')).isVisible());
    assert.ok(await (await pane(page, 'Room')).isVisible());
    await close();
  });
});
