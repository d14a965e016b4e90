import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionId } from '../../src/shared/ids';
import { openRuns } from '../../src/shared/lookup';
import type { AskAnswer } from '../../src/shared/state';
import { mayGoOn } from '../../src/team/slots';
import { sameTranscript } from '../support/golden';
import type { Rig } from '../support/rig';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const ONCE = { type: 'allow', scope: 'once' } as const;
const RUN = { type: 'allow', scope: 'run' } as const;
const no = (words = '') => ({ type: 'deny', words }) as const;

const write = (path: string, content = `${path}\n`) => call('write', { path, content });
const bash = (command: string) => call('bash', { command });
const counted = (name: string) => bash(`echo ${name} >> counter.txt`);

describe('permission', function () {
  const { start } = scenes(this);

  const counter = async (rig: Rig): Promise<string[]> => {
    const file = join(rig.workspace, 'counter.txt');
    return existsSync(file) ? (await readFile(file, 'utf8')).split('\n').slice(0, -1) : [];
  };
  /** Answers all that is open each time the lead waits, until the answers are used up. */
  const answerAll = async (rig: Rig, session: SessionId, ...answers: AskAnswer[][]): Promise<void> => {
    for (const now of answers) {
      await rig.parked(session, 'lead');
      const asks = await rig.asks(session, now.length);
      assert.equal(asks.length, now.length);
      for (const [i, ask] of asks.entries()) {
        const answer = now[i];
        if (answer !== undefined) await rig.answer(session, ask, answer);
      }
      await rig.until(session, (state) => asks.every((ask) => !state.open.asks.includes(ask.id)));
      await rig.until(session, (state) =>
        openRuns(state).every((run) => run.phase.status === 'running' || mayGoOn(state, run)),
      );
    }
  };

  it('mode ask: writes and commands ask, reading does not; once, for the run, denied, and the same again', async () => {
    const rig = await start({ mode: 'ask', files: { 'a.txt': 'alpha\n' } });
    rig.server.script({
      lead: [
        calls(call('read', { path: 'a.txt' }), bash('cat a.txt'), counted('one')),
        counted('one'),
        calls(counted('one'), counted('two')),
        calls(counted('two'), bash('echo   two >> counter.txt')),
        write('b.txt'),
        calls(write('c.txt'), write('.vscode/settings.json', '{}\n')),
        say('All tried.'),
      ],
    });
    const session = await rig.delegate('Try things.');
    await answerAll(rig, session, [ONCE], [RUN], [no('Not now, please.')], [no()], [RUN], [ONCE]);
    await rig.quiet(session);
    assert.deepEqual(await counter(rig), ['one', 'one', 'one']);
    await sameTranscript(rig, 'permission/mode-ask', session);
  });

  it('mode edits: plain writes run, commands ask, protected and secret paths always ask', async () => {
    const rig = await start({ mode: 'edits', files: { '.env': 'KEY=1\n', 'a.txt': 'alpha\n' } });
    rig.server.script({
      lead: [
        calls(write('b.txt'), counted('one'), write('.git/hooks/pre-commit'), call('read', { path: '.env' })),
        calls(
          write('.git/hooks/pre-commit'),
          bash('cat a.txt b.txt'),
          bash('cat .env'),
          bash('cat ../../etc/hosts'),
        ),
        say('All tried.'),
      ],
    });
    const session = await rig.delegate('Try things.');
    await answerAll(rig, session, [ONCE, no('Never.'), no()], [no(), no()]);
    await rig.quiet(session);
    await sameTranscript(rig, 'permission/mode-edits', session);
  });

  it("mode auto: all runs but what is protected, secret or can't be parsed; a rule that denies holds", async () => {
    const rig = await start({
      mode: 'auto',
      settings: { rules: () => [{ effect: 'deny', tool: 'bash', pattern: 'rm *' }] },
    });
    rig.server.script({
      lead: [
        calls(
          counted('one'),
          bash('echo two >> counter.txt; rm counter.txt'),
          bash('echo "three >> counter.txt'),
          bash('echo x > .vscode/settings.json'),
          write('.vscode/settings.json', '{}\n'),
        ),
        say('All tried.'),
      ],
    });
    const session = await rig.delegate('Try things.');
    await answerAll(rig, session, [no(), no(), no()]);
    await rig.quiet(session);
    assert.deepEqual(await counter(rig), ['one']);
    await sameTranscript(rig, 'permission/mode-auto', session);
  });

  it('what lies outside is refused with an answer that says so, in every mode, and nobody is asked', async () => {
    const rig = await start({ mode: 'auto', files: { 'a.txt': 'alpha\n' } });
    await symlink(rig.root, join(rig.workspace, 'out'));
    rig.server.script({
      lead: [
        calls(
          write('../outside.txt'),
          write('out/outside.txt'),
          call('read', { path: '/etc/passwd' }),
          call('list', { path: '..' }),
          call('grep', { pattern: 'x', path: 'out' }),
          call('bash', { command: 'ls', cwd: '..' }),
        ),
        say('Nothing is reached.'),
      ],
    });
    const session = await rig.delegate('Try things.');
    await rig.quiet(session);
    assert.ok(!existsSync(join(rig.root, 'outside.txt')));
    await sameTranscript(rig, 'permission/outside', session);
  });

  it('an answer counts for exactly what was shown, once, and only if it answers this kind of question', async () => {
    const rig = await start({ mode: 'ask' });
    rig.server.script({ lead: [counted('one'), say('Done.')] });
    const session = await rig.delegate('Count.');
    const [ask] = await rig.asks(session);
    assert.ok(ask?.about.type === 'permission');
    const { argsHash } = ask.about;
    const answer = (given: AskAnswer, hash: string | null) => rig.engine.answer(session, ask.id, given, hash);
    for (const [given, hash] of [
      [ONCE, null],
      [ONCE, argsHash.replace(/./, (first) => (first === '0' ? '1' : '0'))],
      [{ type: 'reply', text: 'yes' }, argsHash],
      [{ type: 'raise', to: null }, argsHash],
    ] as const) {
      assert.equal((await answer(given, hash)).ok, false, JSON.stringify([given, hash]));
    }
    assert.deepEqual(await counter(rig), []);
    assert.deepEqual(await answer(ONCE, argsHash), { ok: true, value: null });
    assert.equal((await answer(ONCE, argsHash)).ok, false);
    await rig.turns(session, 'lead', 1);
    assert.deepEqual(await counter(rig), ['one']);
  });

  it('the same call twice in one step: a denial, and a word for the run, answer both; once is for one', async () => {
    const rig = await start();
    const twice = (name: string) => calls(counted(name), counted(name));
    rig.server.script({ lead: [twice('one'), twice('two'), twice('three'), say('Done.')] });
    const session = await rig.delegate('Count.');
    const answerFirst = async (answer: AskAnswer): Promise<void> => {
      await rig.parked(session, 'lead');
      const [ask] = await rig.asks(session, 2);
      assert.ok(ask);
      await rig.answer(session, ask, answer);
    };
    await answerFirst(no('Not that.'));
    await rig.server.waitFor('lead', 2);
    await answerFirst(RUN);
    await rig.server.waitFor('lead', 3);
    await answerFirst(ONCE);
    await rig.until(session, (state) => state.open.asks.length === 1);
    await answerAll(rig, session, [no()]);
    await rig.turns(session, 'lead', 1);
    assert.deepEqual(await counter(rig), ['two', 'two', 'three']);
    await sameTranscript(rig, 'permission/twice', session);
  });

  it('A15 what was allowed is asked again when an agent has changed what it runs since', async () => {
    const rig = await start({
      files: { 'check.sh': 'echo fine\n', 'other.sh': 'echo other\n' },
      settings: { rules: () => [{ effect: 'allow', tool: 'bash', pattern: 'sh check.sh' }] },
    });
    const check = bash('sh check.sh');
    const other = bash('sh other.sh');
    const change = (to: string) => write('check.sh', `echo ${to}\n`);
    rig.server.script({
      lead: [
        calls(call('read', { path: 'check.sh' }), check, other),
        calls(other, change('changed')),
        check,
        check,
        calls(other, write('package.json', '{"scripts":{}}\n')),
        other,
        other,
        say('Done.'),
      ],
    });
    const session = await rig.delegate('Check.');
    await answerAll(rig, session, [RUN], [ONCE], [no('What is this?')]);
    await rig.turns(session, 'lead', 1);
    await sameTranscript(rig, 'permission/changed-since', session);
  });

  it('A15 A23 an answer counts for what was there when it was asked: changed behind the question it is asked anew', async () => {
    const rig = await start({ files: { 'check.sh': 'echo fine\n' } });
    const member = (name: string) =>
      call('team_add', { name, role: name, task: `Part ${name}.`, goal: 'Parts.' });
    rig.server.script({
      lead: [calls(member('a'), member('b')), say('Two.'), say('b is done.'), say('a is done.')],
      a: [hold('a', bash('sh check.sh')), say('a: done.')],
      b: [
        hold('b', call('read', { path: 'check.sh' })),
        write('check.sh', 'echo changed behind the question\n'),
        say('b: done.'),
      ],
    });
    const session = await rig.delegate('Check.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.parked(session, 'a');
    rig.server.release('b');
    await rig.turns(session, 'lead', 2);
    const [first] = await rig.asks(session);
    assert.ok(first);
    await rig.answer(session, first, ONCE);
    await rig.until(session, (state) => !state.open.asks.includes(first.id));
    const [second] = await rig.asks(session);
    assert.ok(second);
    await rig.answer(session, second, no('Not that one.'));
    await rig.turns(session, 'lead', 3);
    await sameTranscript(rig, 'permission/behind-the-question', session);
  });

  it('the calls of a step are carried out in order, whatever order the person answers in', async () => {
    const rig = await start({ mode: 'ask', files: { 'a.txt': 'alpha\n' } });
    rig.server.script({
      lead: [
        calls(call('read', { path: 'a.txt' }), counted('one')),
        calls(
          call('edit', { path: 'a.txt', old: 'alpha', new: 'beta' }),
          call('read', { path: 'a.txt' }),
          bash('cat a.txt'),
          counted('two'),
          call('edit', { path: 'a.txt', old: 'beta', new: 'gamma' }),
        ),
        say('It says gamma.'),
      ],
    });
    const session = await rig.delegate('Change it.');
    await answerAll(rig, session, [ONCE]);
    await rig.server.waitFor('lead', 2);
    await rig.parked(session, 'lead');
    // The second edit can't be worked out before the first is made: it is asked later.
    const [edit, count] = await rig.asks(session, 2);
    assert.ok(edit && count);
    await rig.answer(session, count, ONCE);
    await rig.quiet(session);
    assert.deepEqual(await counter(rig), ['one'], 'what was allowed waits for what comes before it');
    await rig.answer(session, edit, ONCE);
    await rig.until(session, (state) => !state.open.asks.includes(edit.id));
    await answerAll(rig, session, [ONCE]);
    await rig.turns(session, 'lead', 1);
    assert.equal(await rig.read('a.txt'), 'gamma\n');
    assert.deepEqual(await counter(rig), ['one', 'two']);
    await sameTranscript(rig, 'permission/in-order', session);
  });

  it('L-35 only the lead may ask the person; a member has no such tool and is told so', async () => {
    const rig = await start();
    const ask = (question: string, choices?: string[]) => call('ask_user', { question, choices });
    rig.server.script({
      lead: [
        calls(
          call('team_add', { name: 'a', role: 'a', task: 'Ask.', goal: 'Asking.' }),
          ask('Which one?', ['x', 'y']),
        ),
        ask('Are you sure?'),
        say('x it is.'),
        say('a could not ask.'),
      ],
      a: [hold('a', ask('May I?')), say('I can not ask.')],
    });
    const session = await rig.delegate('Ask me.');
    await answerAll(rig, session, [{ type: 'reply', text: 'x' }], [no('I have said so.')]);
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    await sameTranscript(rig, 'permission/ask-user', session);
  });

  it('two agents ask at once, both questions outlive the engine, and each answer goes to its own', async () => {
    const rig = await start();
    const member = (name: string) =>
      call('team_add', { name, role: name, task: `Count ${name}.`, goal: 'Counting.' });
    rig.server.script({
      lead: [calls(member('a'), member('b')), say('Two count.'), say('b is done.'), say('a is done.')],
      a: [hold('a', counted('a')), say('a: done.')],
      b: [hold('b', calls(counted('b'), counted('b again'))), say('b: done.')],
    });
    const session = await rig.delegate('Count.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.parked(session, 'a');
    rig.server.release('b');
    await rig.parked(session, 'b');
    const before = await rig.asks(session, 3);
    await rig.close();
    await rig.open();
    await rig.engine.open(session);
    const asks = await rig.asks(session, 3);
    assert.deepEqual(asks, before);
    const [ofA, ofB, ofB2] = asks;
    assert.ok(ofA && ofB && ofB2);
    await rig.answer(session, ofB2, ONCE);
    await rig.answer(session, ofB, no('Only once.'));
    await rig.turns(session, 'lead', 2);
    await rig.answer(session, ofA, ONCE);
    await rig.turns(session, 'lead', 3);
    assert.deepEqual(await counter(rig), ['b again', 'a']);
    await sameTranscript(rig, 'permission/two-at-once', session);
  });
});
