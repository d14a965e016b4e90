import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifestText, readManifest, readWords } from '../support/house/manifest';
import { literal, root, type Source, sources, walk } from '../support/house/sources';

const sorted = (items: Iterable<string>) => [...new Set(items)].sort();

function literals(files: readonly Source[]): readonly string[] {
  return files.flatMap((file) => walk(file.program).map(({ node }) => literal(node) ?? '')).filter(Boolean);
}

/** Names of context keys in a `when` clause that are ours. */
const ourKeys = (when: string) => when.match(/\bteamroom\.[\w.]+/g) ?? [];

describe('manifest', () => {
  const manifest = readManifest();
  const { contributes } = manifest;
  const host = [
    ...sources('src/vscode'),
    ...sources('src').filter((file) => file.path === 'src/extension.ts'),
  ];
  const said = new Set(literals(host));
  const commands = contributes.commands.map((item) => item.command);
  const settings = Object.keys(contributes.configuration.properties);
  const views = Object.values(contributes.views).flat();
  const menuItems = Object.values(contributes.menus).flat();
  const { walkthroughs } = contributes;
  const steps = walkthroughs.flatMap((item) => item.steps);
  const whens = [...menuItems, ...contributes.viewsWelcome].map((item) => item.when ?? '');

  it('contributes exactly the commands that the code registers', () => {
    const list = sources('src/vscode').find((file) => file.path === 'src/vscode/commandIds.ts');
    assert.ok(list, 'the list of commands is where the activation reads it');
    assert.deepEqual(sorted(literals([list])), sorted(commands));
  });

  it('names only commands, views and containers that it has', () => {
    const linked = Object.values(readWords()).flatMap((text) =>
      [...text.matchAll(/\(command:(teamroom\.[\w.]+)\)/g)].map((match) => match[1] ?? ''),
    );
    const used = [...menuItems.map((item) => item.command), ...linked];
    assert.deepEqual(
      used.filter((command) => !commands.includes(command)),
      [],
    );
    const viewIds = views.map((item) => item.id);
    const named = whens.flatMap((when) =>
      [...when.matchAll(/\bview == ([\w.]+)/g)].map((match) => match[1] ?? ''),
    );
    const shown = [...contributes.viewsWelcome.map((item) => item.view), ...named];
    assert.deepEqual(
      shown.filter((id) => !viewIds.includes(id)),
      [],
    );
    assert.deepEqual(
      Object.keys(contributes.views),
      contributes.viewsContainers.activitybar.map((item) => item.id),
    );
  });

  it('has a view for each id that the code provides, and the other way round', () => {
    assert.deepEqual(
      views.map((item) => item.id).filter((id) => !said.has(id)),
      [],
    );
  });

  it('the code reads exactly the settings that it contributes', () => {
    const short = settings.map((key) => key.replace(/^teamroom\./, ''));
    assert.deepEqual(
      short.filter((key) => !said.has(key) && !said.has(`teamroom.${key}`)),
      [],
      'contributed, but never read',
    );
    const known = new Set([
      ...settings,
      ...commands,
      ...views.map((item) => item.id),
      ...whens.flatMap(ourKeys),
    ]);
    const groups = new Set(['teamroom', 'teamroom.teamroom', 'teamroom.']);
    const strange = [...said].filter(
      (text) => /^teamroom\.[\w.]*$/.test(text) && !known.has(text) && !groups.has(text),
    );
    assert.deepEqual(strange, [], 'used by the code, but not in the manifest');
    const nested = [...said].filter(
      (text) => /^(agents|limits)\.[a-z]\w*$/i.test(text) && !short.includes(text),
    );
    assert.deepEqual(nested, [], 'read, but not contributed');
  });

  it('every context key of a when clause is set by the code', () => {
    const ids = new Set([...views.map((item) => item.id), ...commands, ...settings]);
    const keys = sorted(whens.flatMap(ourKeys)).filter((key) => !ids.has(key));
    assert.deepEqual(
      keys.filter((key) => !said.has(key)),
      [],
    );
  });

  it('each step of the walkthrough is done by a command or a context key that exist, and a link leads to it', () => {
    const known = new Set([...commands.map((id) => `onCommand:${id}`), 'onContext:teamroom.hasModel']);
    assert.deepEqual(
      steps.flatMap((item) => item.completionEvents).filter((event) => !known.has(event)),
      [],
    );
    assert.ok(said.has('teamroom.hasModel'));
    const links = Object.values(readWords()).flatMap((text) =>
      [...text.matchAll(/openWalkthrough\?([^)]+)\)/g)].map((match) =>
        JSON.parse(decodeURIComponent(match[1] ?? '')),
      ),
    );
    const id = `${manifest.publisher}.${manifest.name}`;
    assert.deepEqual(
      sorted(links),
      walkthroughs.map((item) => `${id}#${item.id}`),
    );
  });

  it('a picture of the walkthrough takes its colours from the theme', () => {
    for (const { media } of steps) {
      const svg = readFileSync(join(root, media.svg), 'utf8');
      const colours = [...svg.matchAll(/(?:fill|stroke)="([^"]+)"/g)].map((match) => match[1] ?? '');
      assert.deepEqual(
        colours.filter(
          (colour) => colour !== 'none' && !/^var\(--vscode-[\w-]+, (#888|none)\)$/.test(colour),
        ),
        [],
        media.svg,
      );
    }
  });

  it('every text is in the table of words, and every word is used', () => {
    const used = sorted([...manifestText().matchAll(/"%([\w.]+)%"/g)].map((match) => match[1] ?? ''));
    assert.deepEqual(used, sorted(Object.keys(readWords())));
    const texts = [
      ...contributes.commands.map((item) => item.title),
      ...views.map((item) => item.name),
      ...contributes.viewsWelcome.map((item) => item.contents),
      ...[...walkthroughs, ...steps].flatMap((item) => [item.title, item.description]),
      ...steps.map((item) => item.media.altText),
      ...Object.values(contributes.configuration.properties).map((item) => item.markdownDescription),
    ];
    assert.deepEqual(
      texts.filter((text) => !/^%.+%$/.test(text)),
      [],
    );
  });

  /** On an item of a menu, and without one: then they ask for it. */
  const askForTheirs: readonly string[] = [
    'teamroom.accept',
    'teamroom.continue',
    'teamroom.archiveSession',
    'teamroom.deleteSession',
    'teamroom.exportTranscript',
    'teamroom.renameSession',
    'teamroom.openAllDiffs',
    'teamroom.pauseAll',
    'teamroom.requestChanges',
    'teamroom.retry',
    'teamroom.review',
    'teamroom.showRequest',
    'teamroom.showTranscript',
    'teamroom.tellLead',
    'teamroom.undoHunk',
    'teamroom.undoMember',
    'teamroom.undoTask',
  ];

  it('all commands are of the category Teamroom, and what needs an item is hidden from the palette', () => {
    assert.deepEqual(
      contributes.commands.filter((item) => item.category !== 'Teamroom'),
      [],
    );
    const hidden = (contributes.menus['commandPalette'] ?? []).filter((item) => item.when === 'false');
    const onItems = menuItems.filter((item) => item.when?.includes('viewItem'));
    assert.deepEqual(
      sorted([...hidden.map((item) => item.command), ...askForTheirs]),
      sorted(onItems.map((item) => item.command)),
    );
  });

  it('models, the cap, the limits, going on and what is allowed are settings of the machine; no workspace that is not trusted sets any', () => {
    const ofMachine = Object.entries(contributes.configuration.properties).filter(
      ([, item]) => item.scope === 'machine',
    );
    assert.deepEqual(
      sorted(ofMachine.map(([key]) => key)),
      sorted([
        'teamroom.models',
        'teamroom.defaultModel',
        'teamroom.agents.cap',
        'teamroom.limits.steps',
        'teamroom.limits.minutes',
        'teamroom.limits.tokens',
        'teamroom.limits.usd',
        'teamroom.resume',
        'teamroom.permissionMode',
        'teamroom.permissionRules',
      ]),
    );
    const { untrustedWorkspaces, virtualWorkspaces } = manifest.capabilities;
    assert.equal(untrustedWorkspaces.supported, 'limited');
    assert.deepEqual(sorted(untrustedWorkspaces.restrictedConfigurations), sorted(settings));
    assert.equal(virtualWorkspaces.supported, false);
  });

  it('every limit has a default and takes null only when it is written', () => {
    const limits = Object.entries(contributes.configuration.properties).filter(([key]) =>
      key.includes('.limits.'),
    );
    assert.deepEqual(
      Object.fromEntries(limits.map(([key, item]) => [key.replace('teamroom.limits.', ''), item.default])),
      {
        steps: 50,
        minutes: 30,
        tokens: 2_000_000,
        usd: 5,
      },
    );
    for (const [, item] of limits) assert.ok(Array.isArray(item.type) && item.type.includes('null'));
  });

  it('its pictures exist, nothing is installed beside the bundles, and it starts after the window', () => {
    const pictures = [
      manifest.icon,
      ...views.map((item) => item.icon),
      ...walkthroughs.map((item) => item.icon),
      ...steps.map((item) => item.media.svg),
    ];
    assert.deepEqual(
      pictures.filter((path) => !existsSync(join(root, path))),
      [],
    );
    assert.equal(manifest.dependencies, undefined);
    assert.deepEqual(manifest.activationEvents, ['onStartupFinished']);
  });

  it('every package has one exact version', () => {
    const loose = Object.entries(manifest.devDependencies).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    assert.deepEqual(loose, []);
  });
});
