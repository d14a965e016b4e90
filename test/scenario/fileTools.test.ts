import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineOptions } from '../../src/runtime/ports';
import { agentNamed } from '../../src/shared/lookup';
import type { WorkspacePort } from '../../src/workspace/port';
import { sameTranscript } from '../support/golden';
import type { Rig } from '../support/rig';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const ONCE = { type: 'allow', scope: 'once' } as const;
const read = (path: string) => call('read', { path });
const patch = (...lines: readonly string[]) =>
  call('apply_patch', { patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') });
const todo = (...items: readonly (readonly [string, 'pending' | 'in_progress' | 'done'])[]) =>
  call('todo', { items: items.map(([text, status]) => ({ text, status })) });

/** Every file of the workspace with its content. */
async function everything(rig: Rig): Promise<Record<string, string>> {
  const all: Record<string, string> = {};
  for (const name of (await readdir(rig.workspace, { recursive: true })).sort()) {
    const path = join(rig.workspace, name);
    if ((await stat(path)).isFile()) all[name] = await readFile(path, 'utf8');
  }
  return all;
}

describe('the tools that change several files', function () {
  const { start } = scenes(this);

  const files = {
    'a.txt': 'one\ntwo\nthree\n',
    'b.txt': 'beta\n',
    'old/x.txt': 'x\n',
    'old/deep/y.txt': 'y\n',
    'gone.txt': 'gone\n',
    'trash/1.txt': '1\n',
    'trash/2.txt': '2\n',
  };

  it('do what they say, refuse with a reason, and all of it can be undone', async () => {
    const rig = await start({ files });
    const before = await everything(rig);
    rig.server.script({
      lead: [
        todo(['look', 'in_progress'], ['change', 'pending']),
        calls(read('a.txt'), read('b.txt'), call('diagnostics', {})),
        calls(
          call('multiedit', {
            path: 'a.txt',
            edits: [
              { old: 'one', new: '1' },
              { old: 'three', new: '3' },
            ],
          }),
          patch(
            '*** Update File: a.txt',
            ' 1',
            '-two',
            '+2',
            '*** Add File: new/n.txt',
            '+n',
            '*** Update File: b.txt',
            '*** Move to: c.txt',
            '-beta',
            '+gamma',
            '*** Delete File: gone.txt',
          ),
          call('mkdir', { path: 'empty/folder' }),
          call('mv', { from: 'old', to: 'moved/old' }),
          call('rm', { path: 'trash' }),
          call('rm', { path: 'trash', recursive: true }),
        ),
        calls(
          call('mv', { from: 'a.txt', to: 'c.txt' }),
          call('mkdir', { path: 'empty/folder' }),
          call('rm', { path: '../outside' }),
          patch('*** Update File: a.txt', '-two', '+2', '*** Delete File: c.txt'),
          todo(['look', 'done'], ['change', 'in_progress'], ['tell', 'in_progress']),
          todo(['look', 'done'], ['change', 'done'], ['tell', 'in_progress']),
        ),
        say('All done.'),
      ],
    });
    const session = await rig.delegate('Change many files.');
    await rig.turns(session, 'lead', 1);
    assert.deepEqual(await everything(rig), {
      'a.txt': '1\n2\n3\n',
      'c.txt': 'gamma\n',
      'moved/old/deep/y.txt': 'y\n',
      'moved/old/x.txt': 'x\n',
      'new/n.txt': 'n\n',
    });
    assert.equal(existsSync(join(rig.workspace, 'empty/folder')), true);
    await sameTranscript(rig, 'file-tools/all', session);

    const undone = await rig.engine.undo(session, { type: 'task' });
    assert.ok(undone.ok, JSON.stringify(undone));
    assert.deepEqual(undone.value.refused, []);
    assert.deepEqual(await everything(rig), before);
  });

  it('ask as writes do: the whole patch is shown, protected paths ask in every mode, a denial changes nothing', async () => {
    const rig = await start({ mode: 'edits', files: { ...files, '.vscode/settings.json': '{}\n' } });
    const before = await everything(rig);
    rig.server.script({
      lead: [
        calls(
          call('mv', { from: 'b.txt', to: '.vscode/b.txt' }),
          call('rm', { path: '.vscode', recursive: true }),
          call('mkdir', { path: '.github/x' }),
          patch('*** Add File: plain.txt', '+x', '*** Add File: .env', '+KEY=1'),
        ),
        say('All tried.'),
      ],
    });
    const session = await rig.delegate('Try things.');
    const asks = await rig.asks(session, 4);
    assert.equal(asks.length, 4);
    for (const ask of asks) await rig.answer(session, ask, { type: 'deny', words: '' });
    await rig.turns(session, 'lead', 1);
    assert.deepEqual(await everything(rig), before);
    await sameTranscript(rig, 'file-tools/asked', session);
  });

  it('mode ask: one question for the whole patch, and what is allowed is what was shown', async () => {
    const rig = await start({ mode: 'ask', files });
    rig.server.script({
      lead: [
        read('a.txt'),
        patch('*** Update File: a.txt', '-two', '+2', '*** Delete File: gone.txt'),
        say('Done.'),
      ],
    });
    const session = await rig.delegate('Patch.');
    const [ask, ...more] = await rig.asks(session);
    assert.ok(ask?.about.type === 'permission' && ask.about.preview.type === 'diff');
    assert.deepEqual(more, []);
    assert.equal(ask.about.preview.path, 'a.txt, gone.txt');
    const { before, after } = ask.about.preview;
    assert.ok(before !== null && after !== null);
    assert.match(
      await rig.engine.readText(session, before),
      /──── a.txt\none\ntwo\n[\s\S]*──── gone.txt\ngone/u,
    );
    assert.match(await rig.engine.readText(session, after), /^──── a.txt\none\n2\nthree\n$/u);
    assert.equal(await rig.read('a.txt'), files['a.txt']);
    await rig.answer(session, ask, ONCE);
    await rig.turns(session, 'lead', 1);
    assert.deepEqual(
      [await rig.read('a.txt'), existsSync(join(rig.workspace, 'gone.txt'))],
      ['one\n2\nthree\n', false],
    );
  });

  it('L-67 a manager may look at problems and keep its list, and is refused each of the others', async () => {
    const rig = await start({ files });
    rig.server.script({
      lead: [
        call('team_add', { name: 'hand', role: 'hand', task: 'Wait.', goal: 'It.' }),
        calls(
          todo(['lead', 'in_progress']),
          call('diagnostics', {}),
          call('multiedit', { path: 'a.txt', edits: [{ old: 'one', new: '1' }] }),
          patch('*** Delete File: gone.txt'),
          call('mkdir', { path: 'x' }),
          call('mv', { from: 'a.txt', to: 'z.txt' }),
          call('rm', { path: 'gone.txt' }),
        ),
        say('hand works.'),
      ],
      hand: [hold('hand')],
    });
    const session = await rig.delegate('Lead.');
    const state = await rig.turns(session, 'lead', 1);
    const results =
      rig.server
        .requestsOf('lead')
        .at(-1)
        ?.messages.filter((message) => message.role === 'tool') ?? [];
    assert.deepEqual(
      results
        .slice(1)
        .map(({ content }) => content === 'You lead a team: give this to a member (team_add or team_send).'),
      [false, false, true, true, true, true, true],
    );
    assert.deepEqual(agentNamed(state, 'lead')?.todo, [{ text: 'lead', status: 'in_progress' }]);
    assert.deepEqual(Object.keys(await everything(rig)).sort(), Object.keys(files).sort());
  });

  it('a list survives a restart', async () => {
    const rig = await start({ files });
    rig.server.script({ lead: [todo(['look', 'done'], ['tell', 'in_progress']), say('So far.')] });
    const session = await rig.delegate('Plan.');
    await rig.turns(session, 'lead', 1);
    await rig.close();
    await rig.open();
    const opened = await rig.engine.open(session);
    assert.ok(opened.ok);
    const state = await rig.until(session, () => true);
    assert.deepEqual(agentNamed(state, 'lead')?.todo, [
      { text: 'look', status: 'done' },
      { text: 'tell', status: 'in_progress' },
    ]);
  });

  it('F7 a crash in the middle of a patch: what was written and what not is told file by file, nothing is repeated', async () => {
    let reached = (): void => undefined;
    const hung = new Promise<void>((resolve) => {
      reached = resolve;
    });
    let hangs = true;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const rig = await start({
      files,
      settings: { resume: () => 'auto' },
      adapt: (options) => ({
        ...options,
        workspace: hangingAt(options, 'b.txt', () => hangs, reached, released),
      }),
    });
    rig.onEnd.push(release);
    rig.server.script({
      lead: [
        calls(read('a.txt'), read('b.txt'), read('gone.txt')),
        patch(
          '*** Update File: a.txt',
          '-two',
          '+2',
          '*** Update File: b.txt',
          '-beta',
          '+gamma',
          '*** Delete File: gone.txt',
        ),
        say('I have seen what was done.'),
      ],
    });
    const session = await rig.delegate('Patch.');
    await hung;
    rig.abandon();
    hangs = false;
    await rig.open();
    const opened = await rig.engine.open(session);
    assert.ok(opened.ok);
    await rig.turns(session, 'lead', 1);
    assert.deepEqual(
      [await rig.read('a.txt'), await rig.read('b.txt'), await rig.read('gone.txt')],
      ['one\n2\nthree\n', 'beta\n', 'gone\n'],
    );
    const result = rig.server
      .requestsOf('lead')
      .at(-1)
      ?.messages.findLast((message) => message.role === 'tool');
    assert.match(
      result?.content ?? '',
      /The host ended in the middle of this call\. Done: a\.txt\. Not done: b\.txt, gone\.txt\. Nothing was repeated/u,
    );
  });

  it('a moved script stays a script, and a removed one comes back as one', async () => {
    const rig = await start({ files });
    for (const path of ['b.txt', 'gone.txt', 'trash/1.txt']) await chmod(join(rig.workspace, path), 0o755);
    rig.server.script({
      lead: [
        calls(
          call('mv', { from: 'b.txt', to: 'bin/b' }),
          patch('*** Delete File: gone.txt'),
          call('rm', { path: 'trash', recursive: true }),
        ),
        say('Done.'),
      ],
    });
    const session = await rig.delegate('Move and remove.');
    await rig.turns(session, 'lead', 1);
    const bits = async (path: string) => (await stat(join(rig.workspace, path))).mode & 0o777;
    assert.equal(await bits('bin/b'), 0o755);
    const undone = await rig.engine.undo(session, { type: 'task' });
    assert.ok(undone.ok, JSON.stringify(undone));
    for (const path of ['b.txt', 'gone.txt', 'trash/1.txt']) assert.equal(await bits(path), 0o755, path);
  });
});

/** The workspace as it is, but a write of that path doesn't come back before it is released. */
function hangingAt(
  { workspace }: EngineOptions,
  path: string,
  hangs: () => boolean,
  reached: () => void,
  released: Promise<void>,
): WorkspacePort {
  const apply: WorkspacePort['apply'] = (change, actor) => {
    if (!hangs() || change.path.shown !== path) return workspace.apply(change, actor);
    reached();
    return released.then(() => ({ ok: false, error: { code: 'io', path, why: 'the test is over' } }));
  };
  return new Proxy(workspace, {
    get: (target, key) => {
      if (key === 'apply') return apply;
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
