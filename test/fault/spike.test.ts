import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { values } from '../../src/base/table';
import type { EngineOptions } from '../../src/runtime/ports';
import type { AskId, SessionId } from '../../src/shared/ids';
import { agentOf, openRuns } from '../../src/shared/lookup';
import type { AskAnswer, State } from '../../src/shared/state';
import { type SessionStore, StoreFailure, type WorkspaceStore } from '../../src/store/port';
import { defineTool } from '../../src/tools/defineTool';
import { Rig } from '../support/rig';
import { type AskedRequest, call, calls, say } from '../support/scriptedModel';
import { assertOneResultEach, assertToldAsUnknown, type LostCommand } from '../support/toldOutcomes';

/**
 * The journal is cut at every append of a run with reading, commands, a question and a suspended collect. After each
 * cut the session is opened again, what is open is answered, and the run goes on to its end.
 */

/** Suspends till somebody outside gives it its result. */
const collect = defineTool({
  name: 'collect',
  risk: 'interact',
  description: 'Waits for results.',
  schema: z.strictObject({}),
  execute: () => Promise.resolve({ type: 'suspend', on: { type: 'collect', of: [], deadlineMs: 300_000 } }),
});

const count = (name: string) => call('bash', { command: `echo ${name} >> counter.txt` });

/** What the lead answers depends only on how many of its answers are in the transcript: the server keeps no state. */
function lead(request: AskedRequest) {
  const answers = request.messages.filter((message) => message.role === 'assistant').length;
  const script = [
    calls(call('read', { path: 'a.txt' }), call('read', { path: 'missing.txt' })),
    calls(count('first'), call('read', { path: 'a.txt' })),
    call('ask_user', { question: 'Which region?' }),
    calls(call('collect', {}), count('second')),
    count('third'),
    say('All done.'),
  ];
  return script[answers] ?? say('All done.');
}

type Cut = { readonly at: number; readonly kind: 'written_not_acknowledged' | 'not_written' };

/** A store that "loses power" at the n-th append of a session: from then on nothing is written and nothing answers. */
function cutStore(store: WorkspaceStore, cut: Cut, crashed: () => void, end: Promise<void>): WorkspaceStore {
  let appends = 0;
  const wrap = (session: SessionStore): SessionStore =>
    new Proxy(session, {
      get: (target, key) => {
        if (key !== 'append') {
          const value: unknown = Reflect.get(target, key, target);
          return typeof value === 'function' ? value.bind(target) : value;
        }
        return (records: readonly string[]): Promise<void> => {
          appends++;
          if (appends < cut.at) return target.append(records);
          const written = appends === cut.at && cut.kind === 'written_not_acknowledged';
          const last = written ? target.append(records) : Promise.resolve();
          return last.then(() => {
            crashed();
            return end.then(() => Promise.reject(new StoreFailure('closed', 'the power was lost')));
          });
        };
      },
    });
  return new Proxy(store, {
    get: (target, key) => {
      if (key === 'create') return async (id: string) => wrap(await target.create(id));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function withCollect(options: EngineOptions): EngineOptions {
  const { experts } = options;
  return {
    ...options,
    tools: [...options.tools, collect],
    experts: {
      ...experts,
      build: (request, keep) => {
        const built = experts.build(request, keep);
        return { ...built, tools: [...built.tools, 'collect'] };
      },
    },
  };
}

/** Answers whatever waits for a person until the session has ended; the same for a run that was cut and one that wasn't. */
async function finish(
  rig: Rig,
  session: SessionId,
  answer: (state: State, ask: AskId) => AskAnswer,
): Promise<State> {
  for (;;) {
    const state = await rig.quiet(session);
    const run = openRuns(state)[0];
    if (run === undefined) return state;
    const next = step(rig, session, state, answer);
    assert.ok(next, `nothing can be done: ${JSON.stringify(run.phase)}`);
    const done = await next;
    assert.ok(done.ok, JSON.stringify(done));
  }
}

function step(rig: Rig, session: SessionId, state: State, answer: (state: State, ask: AskId) => AskAnswer) {
  const ask = [...values(state.asks)].find((each) => each.phase.status === 'open');
  if (ask !== undefined) {
    const hash = ask.about.type === 'permission' ? ask.about.argsHash : null;
    return rig.engine.answer(session, ask.id, answer(state, ask.id), hash);
  }
  if (openRuns(state).some((run) => run.phase.status === 'interrupted'))
    return rig.engine.resume(session, true, null);
  const waiting = [...values(state.calls)].find(
    (each) => each.phase.status === 'suspended' && each.tool === 'collect',
  );
  return waiting === undefined ? null : rig.engine.resolveCall(session, waiting.id, 'collected');
}

const allow = (state: State, id: AskId): AskAnswer => {
  const ask = [...values(state.asks)].find((each) => each.id === id);
  return ask?.about.type === 'question'
    ? { type: 'reply', text: 'Europe' }
    : { type: 'allow', scope: 'once' };
};

const deny = (state: State, id: AskId): AskAnswer => {
  const ask = [...values(state.asks)].find((each) => each.id === id);
  return ask?.about.type === 'question'
    ? { type: 'reply', text: 'Europe' }
    : { type: 'deny', words: 'not now' };
};

/** Commands whose intent is there, and after the restart no outcome but that nobody knows it. */
const lostCommands = (state: State): readonly LostCommand[] =>
  [...values(state.calls)].flatMap(({ agentId, wireId, effects }) =>
    effects.flatMap(({ intent, outcome }) =>
      intent.type === 'command' && outcome !== 'done' && outcome !== 'not_done'
        ? [{ agent: agentOf(state, agentId)?.name ?? '', wireId, command: intent.command }]
        : [],
    ),
  );

async function counted(rig: Rig): Promise<string[]> {
  const file = join(rig.workspace, 'counter.txt');
  return existsSync(file) ? (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '') : [];
}

async function runCut(cut: Cut | null) {
  let power: () => void = () => undefined;
  const lost = new Promise<'lost'>((resolve) => {
    power = () => resolve('lost');
  });
  let broken = cut !== null;
  let release: () => void = () => undefined;
  const end = new Promise<void>((resolve) => {
    release = resolve;
  });
  const rig = await Rig.start({
    mode: 'ask',
    files: { 'a.txt': 'alpha\n' },
    adapt: (options) => {
      const adapted = withCollect(options);
      if (!broken || cut === null) return adapted;
      broken = false;
      return { ...adapted, store: cutStore(options.store, cut, power, end) };
    },
  });
  rig.onEnd.push(release);
  rig.server.script({ lead });
  return { rig, lost };
}

describe('a run that is cut at every append', function () {
  this.timeout(120_000);

  it('ends alone as scripted when nothing is cut', async () => {
    const { rig } = await runCut(null);
    try {
      const session = await rig.delegate('Do it.');
      const state = await finish(rig, session, allow);
      assert.ok(state.seq >= 40, `${state.seq} events`);
      assert.equal(await rig.lastAnswer(session), 'All done.');
      assert.deepEqual(await counted(rig), ['first', 'second', 'third']);
      assertOneResultEach(rig.server.log);
      assert.deepEqual(rig.errors, []);
    } finally {
      await rig.end();
    }
  });

  for (const [name, answer] of [
    ['allowed', allow],
    ['denied', deny],
  ] as const) {
    for (const kind of ['written_not_acknowledged', 'not_written'] as const) {
      it(`goes on to its end, commands ${name}, the last record ${kind}`, async () => {
        const cutOff = new Set<string>();
        for (let at = 3; ; at++) {
          const cut = await cutOnce({ at, kind }, answer);
          if (cut.complete) {
            assert.ok(at > 15, `only ${at} appends`);
            break;
          }
          for (const { command } of cut.lost) cutOff.add(command);
        }
        // Each of the three between its intent and its outcome, at some cut.
        assert.equal(cutOff.size, answer === allow ? 3 : 0, [...cutOff].join());
      });
    }
  }
});

/** `complete`: the run ended before the cut came. `lost`: the commands that were cut off. */
async function cutOnce(
  cut: Cut,
  answer: (state: State, ask: AskId) => AskAnswer,
): Promise<{ readonly complete: boolean; readonly lost: readonly LostCommand[] }> {
  const { rig, lost } = await runCut(cut);
  try {
    const session = await rig.delegate('Do it.');
    const first = await Promise.race([finish(rig, session, answer).then(() => 'ended' as const), lost]);
    if (first === 'ended') return { complete: true, lost: [] };
    rig.abandon();
    const before = rig.server.log.length;
    await rig.open();
    await rig.engine.open(session);
    const state = await finish(rig, session, answer);
    assert.equal(await rig.lastAnswer(session), 'All done.', JSON.stringify(cut));
    assertOneResultEach(rig.server.log);
    const lines = await counted(rig);
    assert.equal(
      new Set(lines).size,
      lines.length,
      `a command ran twice: ${lines.join()} at ${JSON.stringify(cut)}`,
    );
    const told = [...values(state.calls)].filter(
      (each) => each.phase.status === 'finished' && each.phase.result.status === 'unknown',
    );
    const ran = answer === allow ? 3 : 0;
    assert.ok(
      lines.length === ran || told.length > 0,
      `${lines.join()} and ${told.length} unknown at ${JSON.stringify(cut)}`,
    );
    const cutOff = lostCommands(state);
    assertToldAsUnknown(rig.server.log, before, cutOff);
    return { complete: false, lost: cutOff };
  } finally {
    await rig.end();
  }
}
