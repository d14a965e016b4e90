import type { EventBody, TeamEvent } from '../../../src/shared/events';
import {
  type AgentId,
  type AskId,
  type BlobId,
  type CallId,
  type ChangeId,
  type DeliveryId,
  localId,
  type MessageId,
  type ModelId,
  type NoteId,
  type RunId,
  type SessionId,
  type StepId,
  type TeamId,
} from '../../../src/shared/ids';
import type { Surroundings } from '../../../src/shared/project/who';
import { fits, initialState, reduce } from '../../../src/shared/reduce';
import type {
  AskAbout,
  Change,
  Ended,
  FinishReason,
  MessageKind,
  Principal,
  State,
} from '../../../src/shared/state';
import { inline } from '../../../src/shared/text';

export const MODEL = 'm1' as ModelId;

export const oneModel: Surroundings = {
  models: new Map([[MODEL, { label: 'small', parallel: 2, rehearsal: false }]]),
  banner: null,
  sessions: [],
};

const person: Principal = { type: 'person' };

/**
 * A session's history written by hand, event by event, through the real reducer. `commit` hands out what came since
 * the last one, as the engine announces it.
 */
export class Story {
  state: State = initialState;
  now: number;
  #fresh: TeamEvent[] = [];

  /** @param start when it begins; a fixed moment, unless it is to look as if it were now */
  constructor(start = Date.UTC(2026, 10, 30, 10, 0)) {
    this.now = start;
  }

  /** Moves the clock on by minutes. */
  later(minutes: number): this {
    this.now += minutes * 60_000;
    return this;
  }

  push(body: EventBody): void {
    const event: TeamEvent = { ...body, at: this.now };
    if (!fits(this.state, event)) throw new Error(`does not fit: ${JSON.stringify(event)}`);
    this.state = reduce(this.state, event);
    this.#fresh.push(event);
  }

  commit(): readonly TeamEvent[] {
    const events = this.#fresh;
    this.#fresh = [];
    return events;
  }

  begin(title = 'CSV export'): AgentId {
    this.push({
      type: 'session.created',
      session: {
        id: `s-${title.replace(/\W/g, '')}` as SessionId,
        style: 'room',
        kind: 'team',
        title,
        createdAt: this.now,
        offered: true,
        settings: {
          size: { min: 1, max: 4 },
          mode: 'ask',
          limits: { steps: 50, activeMs: 1_800_000, tokens: 2_000_000, microUsd: 5_000_000 },
        },
      },
    });
    this.push({ type: 'team.created', teamId: localId<TeamId>('t', 0) });
    return this.add('lead', null, 'leads the team');
  }

  add(name: string, manager: AgentId | null, role: string, brief = ''): AgentId {
    const id = localId<AgentId>('a', this.state.agents.size);
    this.push({
      type: 'agent.added',
      agent: {
        id,
        name,
        kind: manager === null ? 'lead' : 'member',
        teamId: localId<TeamId>('t', 0),
        managerId: manager,
        role,
        goal: null,
        expert: 'general',
        model: MODEL,
        mode: 'ask',
        mayLead: true,
        tools: [],
        system: inline('…'),
        brief: manager === null ? null : inline(brief || `You are ${name}: ${role}.`),
        taskId: null,
      },
    });
    return id;
  }

  queue(agentId: AgentId, startAfter: RunId | null = null): RunId {
    const runId = localId<RunId>('r', this.state.runs.size);
    this.push({ type: 'run.queued', runId, agentId, cause: 'brief', startAfter, taskId: null, model: MODEL });
    return runId;
  }

  start(agentId: AgentId): RunId {
    const runId = this.queue(agentId);
    this.push({ type: 'run.started', runId });
    return runId;
  }

  /** An answer of the model with one call, or none; answers the call's id. */
  step(
    runId: RunId,
    tool: string | null,
    args: Record<string, unknown> = {},
    tokens = 4000,
    text = '',
  ): CallId {
    const callId = localId<CallId>('c', this.state.calls.size);
    const stepId = localId<StepId>('s', this.state.steps.size);
    const calls =
      tool === null ? [] : [{ callId, wireId: 'abcdefghi', tool, args: inline(JSON.stringify(args)) }];
    this.push({
      type: 'step.answered',
      stepId,
      runId,
      text: inline(text),
      reasoning: null,
      calls,
      usage: {
        inputTokens: tokens,
        cachedTokens: 0,
        outputTokens: Math.round(tokens / 10),
        estimated: false,
        microUsd: tokens * 8,
        latencyMs: 900,
      },
    });
    return callId;
  }

  finish(callId: CallId): void {
    this.push({
      type: 'call.finished',
      callId,
      result: { status: 'ok', text: inline('done') },
      statusCall: false,
    });
  }

  end(runId: RunId, reason: FinishReason = 'final', detail: string | null = null): void {
    this.push({ type: 'run.ended', runId, reason, detail, text: inline('') });
  }

  say(
    from: AgentId | 'person',
    to: readonly AgentId[] | 'all',
    text: string,
    kind: MessageKind = 'message',
    runId: RunId | null = null,
    ended: Ended | null = null,
  ): MessageId {
    const id = localId<MessageId>('m', this.state.messages.size);
    const inRoom = kind !== 'user' && kind !== 'answer';
    const everybody = [...this.#agents()].filter((agent) => agent.id !== from && agent.left === null);
    const recipients = to === 'all' ? everybody.map((agent) => agent.id) : to;
    const name = from === 'person' ? 'person' : this.#name(from);
    this.push({
      type: 'message.posted',
      recipients,
      message: {
        id,
        n: inRoom ? (this.state.session?.lastRoomNumber ?? 0) + 1 : null,
        from: from === 'person' ? person : { type: 'agent', id: from },
        fromName: name,
        to: to === 'all' ? ['all'] : kind === 'answer' ? ['person'] : to.map((each) => this.#name(each)),
        kind,
        text: inline(text),
        runId,
        thread: null,
        flagged: false,
        ended,
      },
    });
    return id;
  }

  deliveries(message: MessageId): readonly DeliveryId[] {
    for (const page of this.state.messages.pages)
      for (const each of page) if (each.id === message) return each.deliveries;
    return [];
  }

  read(message: MessageId, runId: RunId): void {
    for (const deliveryId of this.deliveries(message))
      this.push({ type: 'delivery.delivered', deliveryId, runId });
  }

  answered(message: MessageId, runId: RunId): void {
    for (const deliveryId of this.deliveries(message))
      this.push({ type: 'delivery.processed', deliveryId, runId });
  }

  change(
    callId: CallId,
    runId: RunId,
    agentId: AgentId,
    path: string,
    added: number,
    removed: number,
    kind: Change['kind'] = 'modify',
    more: Partial<Change> = {},
  ): ChangeId {
    const id = localId<ChangeId>('h', this.state.changes.size);
    const blob = (letter: string) => letter.repeat(64) as BlobId;
    this.push({
      type: 'change.made',
      change: {
        id,
        agentId,
        runId,
        callId,
        path,
        kind,
        before: kind === 'create' ? null : blob('b'),
        after: kind === 'delete' ? null : blob('a'),
        beforeHash: kind === 'create' ? null : 'b'.repeat(64),
        afterHash: kind === 'delete' ? null : 'a'.repeat(64),
        added,
        removed,
        ...more,
      },
    });
    return id;
  }

  ask(runId: RunId, callId: CallId, about: AskAbout): AskId {
    const id = localId<AskId>('q', this.state.asks.size);
    const run = this.#run(runId);
    this.push({ type: 'ask.opened', ask: { id, agentId: run, runId, callId, about } });
    if (about.type === 'limit') return id;
    this.push({
      type: 'call.suspended',
      callId,
      on: { type: about.type, ask: id },
      argsHash: 'e'.repeat(64),
    });
    this.push({ type: 'run.parked', runId, on: about.type, slot: 'kept' });
    return id;
  }

  /** As a person's stop does it: ends what runs, takes the agents out, leaves a note for the lead. */
  stop(agents: readonly AgentId[]): void {
    for (const agentId of agents) {
      for (const runId of this.state.open.runs.filter((id) => this.#run(id) === agentId))
        this.end(runId, 'stopped');
      this.push({ type: 'agent.left', agentId, by: person, reason: 'stopped' });
    }
    const id = localId<NoteId>('n', this.state.notes.size);
    const names = agents.map((agent) => this.#name(agent));
    this.push({ type: 'note.added', note: { id, about: { type: 'stopped', names } } });
  }

  #agents() {
    return this.state.agents.pages.flat();
  }

  #name(id: AgentId): string {
    return this.#agents().find((agent) => agent.id === id)?.name ?? id;
  }

  #run(id: RunId): AgentId {
    const run = this.state.runs.pages.flat().find((each) => each.id === id);
    if (run === undefined) throw new Error(`no run ${id}`);
    return run.agentId;
  }
}

/** The session of the drawing: a CSV export with a parser that asks, a ui that edits, an icon maker that waits. */
export function csvStory(start?: number): Story {
  const story = new Story(start);
  const lead = story.later(2).begin();
  story.say('person', [lead], 'Add CSV export to the report page and test it.', 'user');
  const leadRun = story.start(lead);
  story.read(localId<MessageId>('m', 0), leadRun);
  const parserId = story.add(
    'parser',
    lead,
    'CSV writer',
    'Write `src/csv`: a writer and a reader for RFC 4180.',
  );
  const ui = story.add('ui', lead, 'report page', 'Add the export button to `src/report.tsx`.');
  const goal = story.say(lead, 'all', 'Goal: CSV export. **parser** owns `src/csv`, **ui** owns the page.');
  story.step(leadRun, null, {}, 9000);
  story.answered(localId<MessageId>('m', 0), leadRun);
  story.end(leadRun);
  const parserRun = story.start(parserId);
  const uiRun = story.start(ui);
  story.read(goal, parserRun);
  story.answered(goal, parserRun);
  story.later(2);
  const question = story.say(ui, [parserId], 'Which separator do we use for German locales?');
  story.read(question, parserRun);
  const write = story.step(parserRun, 'write', { path: 'src/csv/write.ts' });
  story.change(write, parserRun, parserId, 'src/csv/write.ts', 84, 0, 'create');
  story.change(write, parserRun, parserId, 'src/csv/write.test.ts', 61, 0, 'create');
  story.finish(write);
  story.later(2);
  story.say(
    parserId,
    [lead],
    'Writer and reader for RFC 4180 with quoting; separator by locale.',
    'report',
    parserRun,
  );
  story.answered(question, parserRun);
  story.end(parserRun);
  const docs = story.add('docs', lead, 'release note');
  story.start(docs);
  story.later(1);
  const again = story.start(parserId);
  const test = story.step(again, 'bash', { command: 'npm test -- --grep csv' });
  story.ask(again, test, {
    type: 'permission',
    tool: 'bash',
    argsHash: 'e'.repeat(64),
    why: { code: 'mode' },
    preview: { type: 'command', command: 'npm test -- --grep csv', cwd: '.' },
  });
  story.stop([docs]);
  const icons = story.add('icons', ui, 'export icon');
  story.queue(icons);
  for (let i = 0; i < 6; i++) story.finish(story.step(uiRun, 'read', { path: 'src/report.tsx' }));
  const edit = story.step(uiRun, 'edit', { path: 'src/report.tsx' }, 7000);
  story.change(edit, uiRun, ui, 'src/report.tsx', 3, 1);
  story.change(edit, uiRun, ui, 'package.json', 1, 0);
  return story;
}

/** One of each kind of row that the first story has not: questions, diffs, limits, ends, interruptions, long texts. */
export function troubleStory(start?: number): Story {
  const story = new Story(start);
  const lead = story.begin();
  story.say('person', [lead], 'Move the settings to TOML.', 'user');
  const plan = [
    'Here is the plan:',
    '',
    '1. **Read** what there is',
    '2. Write `settings.toml`',
    '3. Try it',
    '',
  ]
    .concat(
      Array.from(
        { length: 8 },
        (_, i) => `- step ${i + 1}: a line that is long enough to be wrapped once in a narrow sidebar`,
      ),
    )
    .concat(
      '',
      '```ts',
      "import { parse } from 'toml'; // a line of code that is wider than the sidebar is",
      '```',
    )
    .concat('', '> quoted', '', 'See [the manual](https://toml.io/en/v1.0.0).')
    .join('\n');
  const leadRun = story.start(lead);
  story.say(lead, [], plan, 'answer', leadRun);
  const migrator = story.add(
    'settings-migrator',
    lead,
    'moves the settings',
    'Move `settings.json` to TOML.',
  );
  const reviewer = story.add('reviewer', lead, 'looks at everything twice');
  const run = story.start(migrator);
  const ask = story.step(run, 'ask_user', { question: 'Keep the old file?' });
  story.ask(run, ask, {
    type: 'question',
    text: inline('Keep the old `settings.json` beside the new file, or delete it?'),
    choices: ['Keep it', 'Delete it'],
  });
  const reviewRun = story.start(reviewer);
  const write = story.step(reviewRun, 'write', { path: '.vscode/settings.json' });
  story.ask(reviewRun, write, {
    type: 'permission',
    tool: 'write',
    argsHash: 'e'.repeat(64),
    why: { code: 'protected_path', path: '.vscode/settings.json' },
    preview: { type: 'diff', path: '.vscode/settings.json', before: inline('a'), after: inline('b') },
  });
  story.push({ type: 'run.interrupted', runId: leadRun });
  const other = story.add('formatter', lead, 'formats');
  const formatRun = story.start(other);
  const command = story.step(formatRun, 'bash', { command: 'npm run format' });
  story.push({
    type: 'effect.intended',
    callId: command,
    intent: { type: 'command', command: 'npm run format', cwd: '.', pgid: 1, startedAt: '1' },
  });
  story.change(
    command,
    formatRun,
    other,
    'src/a/very/deep/folder/with/a/name/that/is/long/index.ts',
    120,
    118,
  );
  story.say(other, [lead], 'I could not finish.', 'report', formatRun, {
    reason: 'error',
    detail: 'The server answered 500 three times.',
  });
  story.end(formatRun, 'error', 'The server answered 500 three times.');
  return story;
}
