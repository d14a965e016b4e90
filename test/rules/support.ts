import assert from 'node:assert/strict';
import { buildAgent, expertNames } from '../../src/experts/build';
import type { ToolContext, ToolResult } from '../../src/runtime/toolPorts';
import type { TeamEvent } from '../../src/shared/events';
import type { AgentId, CallId, ModelId, RunId, SessionId } from '../../src/shared/ids';
import { agentNamed, callOf, openRunsOf, runOf } from '../../src/shared/lookup';
import { initialState, reduce } from '../../src/shared/reduce';
import type {
  Agent,
  FinishReason,
  Limits,
  PermissionMode,
  Run,
  SizeSetting,
  State,
  StepUsage,
} from '../../src/shared/state';
import { inline, type Text } from '../../src/shared/text';
import { renderInput } from '../../src/styles/room/render';
import { roomTools } from '../../src/styles/room/tools';
import { answerOf } from '../../src/team/answer';
import type {
  BuildRequest,
  Command,
  Decision,
  Facts,
  ModelFacts,
  Refusal,
  TeamAnswer,
  TeamCommand,
} from '../../src/team/commands';
import { decide } from '../../src/team/decide';
import { policies } from '../../src/team/policies';
import type { Policy } from '../../src/team/policy';
import { startable } from '../../src/team/slots';

/** A rule's test: run with the style's own policy it passes; with any cell of it flipped, some test must fail. */
export interface RuleTest {
  /** Begins with the rule's id. */
  readonly title: string;
  readonly run: (policy: Policy) => Promise<void> | void;
}

export function register(tests: readonly RuleTest[]): void {
  for (const test of tests) it(test.title, () => test.run(policies.room));
}

export const GOAL = 'a calculator that people trust';
export const MAIN = 'main' as ModelId;

export const modelFacts = (id: string, facts: Partial<Omit<ModelFacts, 'id'>> = {}): ModelFacts => ({
  id: id as ModelId,
  slots: null,
  capacityGroup: null,
  servesTwo: true,
  ...facts,
});

export interface LabOptions {
  readonly size?: SizeSetting;
  readonly cap?: number;
  readonly models?: readonly ModelFacts[];
  readonly model?: string;
  readonly mode?: PermissionMode;
  readonly limits?: Partial<Limits>;
  readonly subagentsEnabled?: boolean;
  readonly kind?: 'team' | 'solo';
  readonly id?: string;
  /** Without a session yet. */
  readonly bare?: boolean;
}

const NO_LIMITS: Limits = { steps: null, activeMs: null, tokens: null, microUsd: null };

export const USAGE: StepUsage = {
  inputTokens: 10,
  cachedTokens: 0,
  outputTokens: 5,
  estimated: false,
  microUsd: 100,
  latencyMs: 1,
};

/**
 * A session driven by hand: what a model, a person or the scheduler would do is dispatched as commands, under a
 * clock that the test holds. Everything that it stands on is the product's own: decisions, reducer, tools, prompts.
 */
export class Lab {
  state: State = initialState;
  now = 1_000;
  cap: number;
  policy: Policy;
  subagentsEnabled: boolean;
  readonly models = new Map<string, ModelFacts>();
  readonly expertModels = new Map<string, string>();
  readonly builds: BuildRequest[] = [];
  readonly events: TeamEvent[] = [];
  others: State[] = [];

  constructor(policy: Policy, options: LabOptions = {}) {
    this.policy = policy;
    this.cap = options.cap ?? 32;
    this.subagentsEnabled = options.subagentsEnabled ?? true;
    for (const model of options.models ?? [modelFacts('main'), modelFacts('other')]) {
      this.models.set(model.id, model);
    }
    if (options.bare !== true) this.must(this.creation(options));
  }

  creation(options: LabOptions = {}): Command {
    return {
      type: 'create_session',
      id: (options.id ?? 'S1') as SessionId,
      style: this.policy.style,
      kind: options.kind ?? 'team',
      title: 'a task',
      model: (options.model ?? 'main') as ModelId,
      settings: {
        size: options.size ?? { min: 1, max: 8 },
        mode: options.mode ?? 'ask',
        limits: { ...NO_LIMITS, ...options.limits },
      },
    };
  }

  facts(): Facts {
    return {
      now: this.now,
      policy: this.policy,
      cap: this.cap,
      model: (id) => this.models.get(id) ?? null,
      experts: expertNames,
      expertModel: (expert) => this.expertModels.get(expert) ?? null,
      models: [...this.models.keys()],
      others: () => this.others,
      subagentsEnabled: this.subagentsEnabled,
      build: (request) => {
        this.builds.push(request);
        // The prompts of `room` serve every style here: what is tested is who is built when.
        return buildAgent({ ...request, style: 'room' }, inline);
      },
    };
  }

  /** Decides and, unless refused, applies. One tick of the clock passes with each. */
  dispatch(command: Command): Decision {
    this.now += 1;
    const decision = decide(this.state, command, this.facts());
    if (decision.ok) {
      for (const event of decision.value) {
        this.state = reduce(this.state, event);
        this.events.push(event);
      }
    }
    return decision;
  }

  must(command: Command): readonly TeamEvent[] {
    const decision = this.dispatch(command);
    if (!decision.ok) assert.fail(`${command.type} was refused: ${JSON.stringify(decision.error)}`);
    return decision.value;
  }

  refused(command: Command): Refusal {
    const before = this.state;
    const decision = this.dispatch(command);
    if (decision.ok) assert.fail(`${command.type} was not refused`);
    assert.equal(this.state, before, 'a refusal changes nothing');
    return decision.error;
  }

  // ---- who is who ----

  agent(name: string): Agent {
    const agent = agentNamed(this.state, name);
    if (agent === undefined) assert.fail(`nobody is named ${name}`);
    return agent;
  }

  id(name: string): AgentId {
    return this.agent(name).id;
  }

  names(ids: readonly AgentId[]): string[] {
    return ids.map((id) => this.nameOf(id));
  }

  nameOf(id: AgentId): string {
    for (const page of this.state.agents.pages)
      for (const agent of page) if (agent.id === id) return agent.name;
    return assert.fail(`no agent ${id}`);
  }

  /** The agent's newest run. */
  run(name: string): Run {
    const id = this.agent(name).runs.at(-1);
    const run = id === undefined ? undefined : runOf(this.state, id);
    if (run === undefined) assert.fail(`${name} has no run`);
    return run;
  }

  // ---- what a model does ----

  async team(command: TeamCommand): Promise<TeamAnswer> {
    const decision = this.dispatch(command);
    if (!decision.ok) return decision;
    const context = { facts: this.facts(), read: readInline, others: this.others };
    return { ok: true, value: await answerOf(this.state, command, decision.value, context) };
  }

  adding(
    by: string,
    name: string,
    extra: Partial<Omit<Extract<TeamCommand, { type: 'team_add' }>, 'type' | 'by' | 'name'>> = {},
  ): Extract<TeamCommand, { type: 'team_add' }> {
    return {
      type: 'team_add',
      by: this.id(by),
      name,
      role: `${name}'s role`,
      brief: inline(`brief of ${name}`),
      goal: inline(GOAL),
      expert: null,
      model: null,
      lead: false,
      ...extra,
    };
  }

  add(by: string, name: string, extra: Parameters<Lab['adding']>[2] = {}): readonly TeamEvent[] {
    return this.must(this.adding(by, name, extra));
  }

  send(by: string, to: readonly string[], text: string): readonly TeamEvent[] {
    return this.must(this.sending(by, to, text));
  }

  sending(by: string, to: readonly string[], text: string): TeamCommand {
    return { type: 'team_send', by: this.id(by), to, text: inline(text) };
  }

  stopping(by: string, name: string): TeamCommand {
    return { type: 'team_stop', by: this.id(by), name };
  }

  /** The model calls `task`; what it would do. */
  tasking(
    by: string,
    extra: Partial<Omit<Extract<TeamCommand, { type: 'task' }>, 'type' | 'by'>> = {},
  ): Extract<TeamCommand, { type: 'task' }> {
    const callId = extra.callId ?? this.step(by, 'task')[0] ?? assert.fail('no call');
    const asked = { does: 'looks it up', brief: inline('look it up'), expert: null, model: null };
    return { type: 'task', by: this.id(by), background: false, ...asked, ...extra, callId };
  }

  /** A helper is made and at work; its name. */
  helper(by: string, extra: Parameters<Lab['tasking']>[1] = {}): string {
    const command = this.tasking(by, extra);
    const added = this.must(command).find((event) => event.type === 'agent.added');
    if (command.background) this.finish(command.callId);
    else this.must({ type: 'park_run', runId: this.run(by).id });
    this.go();
    return added?.agent.name ?? assert.fail('no helper');
  }

  /** A team tool as the model calls it: raw arguments in, the text of the result out. */
  async tool(by: string, name: string, args: Record<string, unknown>): Promise<ToolResult> {
    const tool = roomTools.find((each) => each.name === name);
    if (tool === undefined) assert.fail(`no tool ${name}`);
    const opened = tool.open(JSON.stringify(args));
    if (!opened.ok) return { status: 'error', text: opened.error };
    const [callId] = name === 'task' ? this.step(by, name) : [];
    const context = {
      agentId: this.id(by),
      callId,
      team: { do: (command: TeamCommand) => this.team(command) },
    } as unknown as ToolContext;
    const prepared = await opened.value.prepare(context);
    if (prepared.type === 'answer') return prepared.result;
    const answer = await prepared.execute(context);
    if (answer.type !== 'result') assert.fail(`${name} was suspended`);
    if (callId !== undefined) this.finish(callId, answer.result.status);
    return answer.result;
  }

  /** The model answers with these tool calls; their ids. */
  step(name: string, ...tools: readonly string[]): readonly CallId[] {
    const first = this.state.calls.size;
    this.must({
      type: 'record_step',
      runId: this.run(name).id,
      text: inline(''),
      reasoning: null,
      calls: tools.map((tool, i) => ({ wireId: `w${first + i}`, tool, args: inline('{}') })),
      usage: USAGE,
    });
    return tools.map((_, i) => `c${first + i}` as CallId);
  }

  finish(call: CallId, status: 'ok' | 'error' | 'refused' = 'ok', statusCall = false): void {
    this.must({ type: 'finish_call', callId: call, result: { status, text: inline(status) }, statusCall });
  }

  call(id: CallId): NonNullable<ReturnType<typeof callOf>> {
    const call = callOf(this.state, id);
    if (call === undefined) assert.fail(`no call ${id}`);
    return call;
  }

  /** The turn ends, by default with the model's final reply. */
  end(
    name: string,
    text: string,
    reason: FinishReason = 'final',
    detail: string | null = null,
  ): readonly TeamEvent[] {
    return this.must({
      type: 'end_run',
      runId: this.run(name).id,
      reason,
      detail,
      text: inline(text),
      paths: [],
    });
  }

  // ---- what the scheduler does ----

  startable(): string[] {
    return startable([this.state, ...this.others], this.facts())
      .filter((start) => start.session === this.state.session?.id)
      .map((start) => this.nameOf(this.runById(start.runId).agentId));
  }

  /** Starts what may start and takes what waits for each; the names, in order. */
  go(): string[] {
    const started: string[] = [];
    for (const { session, runId } of startable([this.state, ...this.others], this.facts())) {
      if (session !== this.state.session?.id) continue;
      this.must({ type: 'start_run', runId });
      // A start beyond the cap of runs ends at once (O-31).
      if (this.runById(runId).phase.status !== 'running') continue;
      this.take(runId);
      started.push(this.nameOf(this.runById(runId).agentId));
    }
    return started;
  }

  /** A step boundary: what the agent's model is given there, one text a user message. */
  boundary(name: string): string[] {
    return this.take(this.run(name).id);
  }

  take(runId: RunId): string[] {
    const texts: string[] = [];
    for (let taken = 0; taken < 50; taken++) {
      const events = this.must({ type: 'take_input', runId, host: null });
      if (events.length === 0) return texts;
      for (const event of events) {
        if (event.type === 'input.taken') texts.push(renderInput(this.state, event.parts, inlineText));
      }
    }
    return assert.fail('there is no end to what is taken');
  }

  /** All user messages that the agent was ever given, in order. */
  heard(name: string): string[] {
    return this.agent(name).runs.flatMap((id) =>
      this.runById(id).entries.flatMap((entry) =>
        entry.type === 'input' ? [renderInput(this.state, entry.parts, inlineText)] : [],
      ),
    );
  }

  runById(id: RunId): Run {
    const run = runOf(this.state, id);
    if (run === undefined) assert.fail(`no run ${id}`);
    return run;
  }

  openRuns(name: string): readonly Run[] {
    return openRunsOf(this.state, this.id(name));
  }

  // ---- what the person does ----

  say(text: string): void {
    this.must({ type: 'say', text: inline(text) });
  }

  /** The lead has been given its task and is at work. */
  begin(text = 'the task'): this {
    this.say(text);
    this.go();
    return this;
  }

  settings(patch: Partial<SizeSetting>): Command {
    const size = this.state.session?.settings.size;
    if (size === undefined) return assert.fail('no session');
    return { type: 'set_size', size: { ...size, ...patch } };
  }
}

export function inlineText(text: Text): string {
  if (text.type !== 'inline') assert.fail('a blob in a lab');
  return text.text;
}

const readInline = (text: Text): Promise<string> => Promise.resolve(inlineText(text));

/** Posted room messages as they stand: n, from, to, recipients, report, text. */
export function roomOf(lab: Lab): string[] {
  const rows: string[] = [];
  for (const page of lab.state.messages.pages) {
    for (const m of page) {
      if (m.n === null) continue;
      const to = m.deliveries.map((id) => {
        for (const p of lab.state.deliveries.pages)
          for (const d of p) if (d.id === id) return lab.nameOf(d.to);
        return '?';
      });
      const flag = m.kind === 'report' ? ' report' : '';
      rows.push(`${m.n} ${m.fromName}>${m.to.join(',')} (${to.join(',')})${flag}: ${inlineText(m.text)}`);
    }
  }
  return rows;
}

export const code = (refusal: Refusal): string => refusal.code;
