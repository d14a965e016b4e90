import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { values } from '../../src/base/table';
import type { SessionId } from '../../src/shared/ids';
import { agentOf } from '../../src/shared/lookup';
import type { Change } from '../../src/shared/state';
import type { Rig } from '../support/rig';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const member = (name: string) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, goal: 'Parts.' });
const bash = (command: string, more: object = {}) => call('bash', { command, ...more });
const write = (path: string, content: string) => call('write', { path, content });

/** Files that git ignores, by which commands wait for each other without changing anything that is looked at. */
const sign = (name: string) => `mkdir -p node_modules; touch node_modules/${name}`;
const await_ = (name: string) => `until [ -e node_modules/${name} ]; do sleep 0.02; done`;

async function textOf(rig: Rig, session: SessionId, blob: string | null): Promise<string | null> {
  return blob === null ? null : Buffer.from(await rig.engine.readBlob(session, blob)).toString('utf8');
}

/** What is recorded as changed, in order: who, what, from which content to which. */
async function changes(rig: Rig, session: SessionId): Promise<readonly string[]> {
  const state = rig.engine.state(session);
  if (state === null) return [];
  const told = async (change: Change): Promise<string> => {
    const { kind, path, from, by, mode, sharedWith, undoable } = change;
    const who = agentOf(state, change.agentId)?.name ?? '?';
    const before = await textOf(rig, session, change.before);
    const after = await textOf(rig, session, change.after);
    const more = [
      ...(mode === undefined ? [] : [`mode ${mode.before.toString(8)}>${mode.after.toString(8)}`]),
      ...(sharedWith === undefined ? [] : [`shared with ${sharedWith.join()}`]),
      ...(undoable === false ? ["can't be undone"] : []),
    ];
    const name = from === undefined ? path : `${from}>${path}`;
    const contents = `${JSON.stringify(before)} > ${JSON.stringify(after)}`;
    return [`${who} by ${by ?? 'tool'}: ${kind} ${name} ${contents}`, ...more].join(' ');
  };
  return Promise.all([...values(state.changes)].map(told));
}

/** Resolves when a running command has printed this. */
function printed(rig: Rig, text: string): Promise<void> {
  return new Promise((resolve) => {
    const subscription = rig.engine.onLive((update) => {
      if (update.type !== 'output' || !update.chunk.includes(text)) return;
      subscription.dispose();
      resolve();
    });
  });
}

describe('what commands change', function () {
  const { start } = scenes(this);

  it('is recorded as changes of the agent that ran them, of every kind, and can be undone like those of tools', async () => {
    const rig = await start({
      mode: 'auto',
      files: { 'a.txt': 'one\n', 'gone.txt': 'bye\n', 'old.txt': 'move me\n', 'run.sh': 'echo\n' },
    });
    await chmod(join(rig.workspace, 'run.sh'), 0o644);
    rig.server.script({
      lead: [
        calls(
          bash('echo two >> a.txt; rm gone.txt; mv old.txt new.txt; echo new > made.txt; chmod 755 run.sh'),
          bash('cat a.txt'),
          write('tool.txt', 'tool\n'),
        ),
        say('Done.'),
      ],
    });
    const session = await rig.delegate('Change files.');
    await rig.quiet(session);
    const recorded = await changes(rig, session);
    assert.deepEqual([...recorded].sort(), [
      'lead by command: create made.txt null > "new\\n"',
      'lead by command: delete gone.txt "bye\\n" > null mode 644>644',
      'lead by command: modify a.txt "one\\n" > "one\\ntwo\\n"',
      'lead by command: modify run.sh "echo\\n" > "echo\\n" mode 644>755',
      'lead by command: rename old.txt>new.txt "move me\\n" > "move me\\n"',
      'lead by tool: create tool.txt null > "tool\\n"',
    ]);
    const undone = await rig.engine.undo(session, { type: 'member', agent: 'lead' });
    assert.ok(undone.ok);
    assert.deepEqual(undone.value.refused, []);
    assert.equal(await rig.read('a.txt'), 'one\n');
    assert.equal(await rig.read('gone.txt'), 'bye\n');
    assert.equal(await rig.read('old.txt'), 'move me\n');
    assert.equal((await stat(join(rig.workspace, 'run.sh'))).mode & 0o777, 0o644);
    for (const path of ['made.txt', 'new.txt', 'tool.txt'])
      assert.ok(!existsSync(join(rig.workspace, path)), path);
  });

  it("two members at once: alone what only one can have done, shared what was done meanwhile, and a tool write stays its writer's", async () => {
    const rig = await start({ mode: 'auto', files: { 'both.txt': '0\n' } });
    rig.server.script({
      lead: [calls(member('a'), member('b')), say('Two.'), say('a is done.'), say('b is done.')],
      a: [bash(`echo a > only-a.txt; echo ready; ${await_('b-is-done')}`), hold('a ends', say('a: done.'))],
      b: [
        hold('b', write('tool.txt', 'by b with a tool\n')),
        bash(`echo 1 >> both.txt; ${sign('b-is-done')}; ${await_('a-has-ended')}; echo b > only-b.txt`),
        say('b: done.'),
      ],
    });
    const ready = printed(rig, 'ready');
    const session = await rig.delegate('Two parts.');
    await Promise.all([ready, rig.server.held('b')]);
    rig.server.release('b');
    await rig.server.held('a ends');
    await rig.write('node_modules/a-has-ended', '');
    await rig.turns(session, 'b', 1);
    rig.server.release('a ends');
    await rig.quiet(session);
    assert.deepEqual((await changes(rig, session)).toSorted(), [
      'a by command: create only-a.txt null > "a\\n"',
      'a by command: modify both.txt "0\\n" > "0\\n1\\n" shared with b',
      'b by command: create only-b.txt null > "b\\n"',
      'b by tool: create tool.txt null > "by b with a tool\\n"',
    ]);
  });

  it('two members and the person on the same three files, partly by shell: each change is its own, and one member is undone alone', async () => {
    const lines = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${n}\n`).join('');
    const names = ['one.txt', 'two.txt', 'three.txt'];
    const rig = await start({ mode: 'auto', files: Object.fromEntries(names.map((name) => [name, lines])) });
    const edit = (path: string, old: string, to: string) => call('edit', { path, old, new: to });
    rig.server.script({
      lead: [calls(member('a'), member('b')), say('Two.'), say('a is done.'), say('b is done.')],
      a: [
        bash(`sed -i s/1/a/ ${names.join(' ')}; echo ready; ${await_('go')}; sed -i s/2/a/ one.txt two.txt`),
        say('a: done.'),
      ],
      b: [
        hold('b', calls(...names.map((path) => call('read', { path })))),
        calls(edit('one.txt', '9', 'b'), edit('two.txt', '9', 'b')),
        hold('b ends', bash('sed -i s/8/b/ two.txt three.txt')),
        say('b: done.'),
      ],
    });
    const ready = printed(rig, 'ready');
    const session = await rig.delegate('Three files.');
    await Promise.all([ready, rig.server.held('b')]);
    for (const name of ['two.txt', 'three.txt'])
      await rig.save(name, (await rig.read(name)).replace('5', 'person'));
    rig.server.release('b');
    await rig.server.held('b ends');
    await rig.write('node_modules/go', '');
    await rig.turns(session, 'a', 1);
    rig.server.release('b ends');
    await rig.quiet(session);
    const hunks = (await changes(rig, session)).map((each) => {
      const [, who, path, before, after] = /^(.*): modify (\S+) ("\S+") > ("\S+")$/.exec(each) ?? [];
      const [old, now] = [before, after].map((text) => (JSON.parse(text ?? '""') as string).split('\n'));
      return `${who} ${path} ${old?.flatMap((line, n) => (line === now?.[n] ? [] : [`${line}>${now?.[n]}`])).join()}`;
    });
    assert.deepEqual(hunks.toSorted(), [
      'a by command one.txt 1>a',
      'a by command one.txt 2>a',
      'a by command three.txt 1>a',
      'a by command two.txt 1>a',
      'a by command two.txt 2>a',
      'b by command three.txt 8>b',
      'b by command two.txt 8>b',
      'b by tool one.txt 9>b',
      'b by tool two.txt 9>b',
    ]);
    assert.ok((await rig.engine.undo(session, { type: 'member', agent: 'a' })).ok);
    const left = await Promise.all(names.map(async (name) => (await rig.read(name)).split('\n').join('')));
    assert.deepEqual(left, ['12345678b', '1234person67bb', '1234person67b9']);
  });

  it('is named to who would write over it without having read it again', async () => {
    const rig = await start({ mode: 'auto', files: { 'a.txt': '1\n', 'b.txt': '1\n' } });
    rig.server.script({
      lead: [calls(member('a'), member('b')), say('Two.'), say('b is done.'), say('a is done.')],
      a: [
        calls(call('read', { path: 'a.txt' }), call('read', { path: 'b.txt' })),
        hold('a', calls(bash('echo 2 > a.txt'), write('a.txt', 'over\n'), write('b.txt', 'over\n'))),
        say('a: done.'),
      ],
      b: [hold('b', bash('echo 2 > b.txt')), say('b: done.')],
    });
    const session = await rig.delegate('Write.');
    await Promise.all([rig.server.held('a'), rig.server.held('b')]);
    rig.server.release('b');
    await rig.turns(session, 'b', 1);
    rig.server.release('a');
    await rig.quiet(session);
    const results = [...values((rig.engine.state(session) ?? assert.fail()).calls)].flatMap(
      ({ tool, phase }) => (tool === 'write' && phase.status === 'finished' ? [phase.result.text] : []),
    );
    assert.deepEqual(await Promise.all(results.map((text) => rig.engine.readText(session, text))), [
      '"a.txt" was changed by a command of yours since you last read it. Nothing was written. Read it again and make your change to what is there now.',
      '"b.txt" was changed by b since you last read it. Nothing was written. Read it again and make your change to what is there now.',
    ]);
  });

  it('in the background: recorded when the command has ended', async () => {
    const rig = await start({ mode: 'auto' });
    rig.server.script({
      lead: [
        bash(`${await_('go')}; echo late > late.txt`, { background: true }),
        bash(`echo early > early.txt; ${sign('go')}`),
        call('job_read', { job: 'j0', wait_seconds: 20 }),
        say('Done.'),
      ],
    });
    const session = await rig.delegate('Serve.');
    await rig.quiet(session);
    assert.deepEqual(await changes(rig, session), [
      'lead by command: create early.txt null > "early\\n"',
      'lead by command: create late.txt null > "late\\n"',
    ]);
  });
});
