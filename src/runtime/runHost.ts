import compactPrompt from '../../prompts/base/compact.md';
import type { Context, ContextPart } from '../agent/context';
import type {
  LimitVerdict,
  LoopLive,
  PermissionAnswer,
  ReadyCall,
  RecordedAnswer,
  RecordedCompaction,
  Resolution,
  RunHost,
} from '../agent/port';
import { fill } from '../base/template';
import type { ModelPort, ModelTool } from '../model/port';
import type { CallId, RunId, StepId } from '../shared/ids';
import { agentOf, callOf, runOf, stepOf } from '../shared/lookup';
import { retriedRun } from '../shared/retry';
import type {
  Agent,
  Call,
  CallResult,
  EntryRef,
  PermittedBy,
  Run,
  State,
  Step,
  StepUsage,
} from '../shared/state';
import type { Text } from '../shared/text';
import type { StyleFacade } from '../styles/style';
import type { RunCommand } from '../team/commands';
import { gateCall } from '../team/gate';
import { limitCheck } from '../team/limits';
import type { OpenedCall, Tool } from '../tools/defineTool';
import type { Actor, PermissionMode, PermissionRule } from '../workspace/port';
import { actorOf } from './actor';
import { compactedWords } from './compactedWords';
import { effectsOf } from './effects';
import type { LiveUpdate } from './engine';
import { helperResolution } from './helperResolution';
import type { Jobs } from './jobs';
import { must } from './must';
import { cacheKeyOf, offeredTools } from './offeredTools';
import { argsHashOf, changesSteering, permissionAbout, permissionAnswer, resolutionOf } from './permitting';
import type { EngineOptions } from './ports';
import type { Dispatched, SessionRuntime } from './sessionRuntime';
import { Silence } from './silence';
import { teamPortOf } from './teamPort';
import type { SuspendOn, ToolContext } from './toolPorts';
import { buildContext, renderInput } from './transcript';
import { gateText, resumedText, retriedText } from './wording';

interface Parts {
  readonly runtime: SessionRuntime;
  readonly runId: RunId;
  readonly options: EngineOptions;
  readonly style: StyleFacade;
  readonly model: ModelPort;
  readonly live: (update: LiveUpdate) => void;
  /** The window's other open sessions: they share the models' slots. */
  readonly others: () => readonly State[];
  readonly jobs: Jobs;
  /** The run goes on after an interruption: its model is told. */
  readonly resumed: boolean;
}

/** One run's view of its session: what the agent loop asks for, answered from the state and the one dispatcher. */
export class SessionRunHost implements RunHost {
  readonly model: ModelPort;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly modelTools: readonly ModelTool[];
  readonly cacheKey: string;
  readonly #parts: Parts;
  readonly #agent: Agent;
  readonly #actor: Actor;
  #toldResumption: boolean;
  readonly #silence: Silence;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.model = parts.model;
    const run = this.#run();
    this.#toldResumption = !parts.resumed;
    this.#silence = new Silence(
      parts.options.clock,
      (minutes) => this.#show({ type: 'silent', minutes }),
      () => this.#show({ type: 'thinking' }),
    );
    this.#agent = must(agentOf(parts.runtime.state, run.agentId), `agent ${run.agentId}`);
    const offered = offeredTools(parts, this.#agent);
    this.tools = offered.tools;
    this.modelTools = offered.modelTools;
    this.cacheKey = cacheKeyOf(parts.runtime.id, this.#agent);
    this.#actor = actorOf(parts.runtime.id, this.#agent, parts.runId);
  }

  context(): Promise<Context> {
    const { runtime, runId, style } = this.#parts;
    return buildContext(runtime.state, this.#current(), runId, style, (text) => this.read(text));
  }

  lastEntry(): EntryRef {
    return { runId: this.#parts.runId, entry: this.#run().entries.length - 1 };
  }

  get contextWindow(): number {
    const entry = this.#parts.options.models.entries().find(({ id }) => id === this.#run().model);
    return entry?.contextWindow ?? DEFAULT_WINDOW;
  }

  summaryPrompt(words: number): string {
    return fill(compactPrompt, { words: String(words) });
  }

  wordsFor(summary: string | null, from: EntryRef | null): Promise<string> {
    const { runtime, style } = this.#parts;
    const parts = {
      state: runtime.state,
      agent: this.#current(),
      run: this.#run(),
      style,
      facts: runtime.facts(),
      window: this.contextWindow,
      read: (text: Text) => this.read(text),
    };
    return compactedWords(parts, summary, from);
  }

  recordCompaction({ text, ...made }: RecordedCompaction): void {
    const kept = text === null ? null : this.keep(text);
    this.#do({ type: 'record_compaction', runId: this.#parts.runId, text: kept, ...made });
  }

  lastStep(): Step | null {
    const entry = this.#run().entries.findLast((each) => each.type === 'step');
    return entry?.type === 'step'
      ? must(stepOf(this.#parts.runtime.state, entry.step), `step ${entry.step}`)
      : null;
  }

  call(id: CallId): Call {
    return must(callOf(this.#parts.runtime.state, id), `call ${id}`);
  }

  async takeInput(): Promise<readonly ContextPart[]> {
    const { runtime, runId, style } = this.#parts;
    const parts: ContextPart[] = [];
    for (;;) {
      const taken = runtime.dispatch({ type: 'take_input', runId, host: this.#hostWords() });
      if (!taken.ok || taken.events.length === 0) return parts;
      // Picked up before it is processed, durably.
      await taken.flushed;
      const made = taken.events.flatMap((event) => (event.type === 'input.taken' ? [event.parts] : []));
      const first = (runOf(taken.state, runId)?.entries.length ?? 0) - made.length;
      for (const [i, input] of made.entries()) {
        const text = await renderInput(taken.state, input, style, (each) => this.read(each));
        parts.push({ ref: { runId, entry: first + i }, messages: [{ role: 'user', text }], calls: [] });
      }
    }
  }

  /** Once after a resumption, and when a failed turn is gone on with: what the model must know of it. */
  #hostWords(): Text | null {
    if (!this.#toldResumption) {
      this.#toldResumption = true;
      return this.keep(resumedText);
    }
    const run = this.#run();
    const before = run.entries.length > 0 ? null : retriedRun(this.#parts.runtime.state, run);
    if (before?.phase.status !== 'ended') return null;
    const { reason, detail } = before.phase;
    return this.keep(retriedText(detail === null ? reason : `${reason}: ${detail}`));
  }

  checkLimits(requestTokens: number): LimitVerdict {
    const { runtime, runId, options } = this.#parts;
    const usage = { inputTokens: requestTokens, cachedTokens: 0, outputTokens: 0 };
    const cost = options.models.cost(this.#run().model, usage);
    return limitCheck(runtime.state, runId, { tokens: requestTokens, microUsd: cost ?? 0 }, runtime.facts());
  }

  askLimit(verdict: Extract<LimitVerdict, { type: 'ask' }>): void {
    this.#do({ type: 'ask_limit', runId: this.#parts.runId, about: { ...verdict, type: 'limit' } });
  }

  isPaused(): boolean {
    return this.#parts.runtime.state.session?.paused === true;
  }

  pause(): void {
    this.#do({ type: 'pause_run', runId: this.#parts.runId });
  }

  recordStep(answer: RecordedAnswer): StepId {
    const { runId, runtime } = this.#parts;
    const done = this.#do({
      type: 'record_step',
      runId,
      text: this.keep(answer.text),
      reasoning: answer.reasoning === '' ? null : this.keep(answer.reasoning),
      calls: answer.calls.map((call) => ({ ...call, args: this.keep(call.args) })),
      usage: answer.usage,
    });
    const step = done.ok ? done.events.find((event) => event.type === 'step.answered') : undefined;
    if (step?.type !== 'step.answered')
      throw new Error(`the answer of ${runtime.id}/${runId} was not recorded`);
    return step.stepId;
  }

  recordAbort(text: string, usage: StepUsage, fault: string | null): void {
    this.#do({ type: 'record_abort', runId: this.#parts.runId, text: this.keep(text), usage, fault });
  }

  usage(
    counts: { inputTokens: number; cachedTokens: number; outputTokens: number; estimated: boolean },
    latencyMs: number,
  ): StepUsage {
    return { ...counts, microUsd: this.#parts.options.models.cost(this.#run().model, counts), latencyMs };
  }

  now(): number {
    return this.#parts.options.clock.now();
  }

  keep(text: string): Text {
    return this.#parts.runtime.store.keep(text);
  }

  read(text: Text): Promise<string> {
    return text.type === 'inline' ? Promise.resolve(text.text) : this.#parts.runtime.store.read(text);
  }

  gate(call: Call, tool: Tool, opened: OpenedCall, prepared: ReadyCall | null): CallResult | null {
    const { runtime, style } = this.#parts;
    const refusal = gateCall(
      runtime.state,
      {
        call,
        risk: tool.risk,
        volatile: tool.volatile,
        argsHash: argsHashOf(tool, opened),
        reading: opened.command !== null && this.#isReading(opened.command, tool, prepared),
      },
      runtime.facts(),
    );
    return refusal === null ? null : { status: 'refused', text: this.keep(gateText(refusal, style)) };
  }

  /** L-69: what the default rules alone let run in mode `ask`; a command that names a secret file is not among it. */
  #isReading(command: string, tool: Tool, prepared: ReadyCall | null): boolean {
    const { permission } = this.#parts.options;
    if (prepared === null) return permission.isReadingCommand(command);
    return this.#judge(tool, prepared, 'ask', []).type === 'allow';
  }

  #judge(tool: Tool, prepared: ReadyCall, mode: PermissionMode, rules: readonly PermissionRule[]) {
    const { options } = this.#parts;
    return options.permission.judge({
      mode,
      rules,
      tool: tool.name,
      risk: tool.risk,
      subjects: prepared.subjects,
      care: (path) => options.workspace.care(path),
    });
  }

  permission(call: Call, tool: Tool, opened: OpenedCall, prepared: ReadyCall): PermissionAnswer {
    const { runtime, options } = this.#parts;
    const agent = this.#current();
    const verdict = this.#judge(tool, prepared, agent.mode, options.settings.rules());
    const { command } = opened;
    const changedSince =
      command === null
        ? () => null
        : changesSteering(runtime.state, call, options.permission.steering(command));
    return permissionAnswer(
      runtime.state,
      agent,
      call,
      tool,
      argsHashOf(tool, opened),
      verdict,
      changedSince,
    );
  }

  permit(call: Call, by: PermittedBy, argsHash: string | null): void {
    this.#silence.heard();
    this.#do({ type: 'permit_call', callId: call.id, by, argsHash });
  }

  askPerson(
    call: Call,
    tool: Tool,
    prepared: ReadyCall,
    answer: Extract<PermissionAnswer, { type: 'ask' }>,
  ): void {
    const about = permissionAbout(tool, prepared, answer, (text) => this.keep(text));
    this.#do({ type: 'ask_person', callId: call.id, about, argsHash: answer.argsHash });
  }

  suspend(call: Call, on: SuspendOn): void {
    this.#silence.dispose();
    switch (on.type) {
      case 'helper':
        // Suspended with the helper's making, by one decision.
        return;
      case 'question': {
        const about = { type: 'question', text: this.keep(on.text), choices: on.choices } as const;
        this.#do({ type: 'ask_person', callId: call.id, about, argsHash: null });
        return;
      }
      case 'collect': {
        const deadline = this.now() + on.deadlineMs;
        this.#do({ type: 'suspend_call', callId: call.id, on: { type: 'collect', of: on.of, deadline } });
        return;
      }
    }
  }

  async resolution(call: Call): Promise<Resolution | null> {
    const { runtime, style } = this.#parts;
    if (call.phase.status === 'suspended' && call.phase.on.type === 'helper') {
      return helperResolution(runtime.state, call.phase.on.agentId, style, (text) => this.read(text));
    }
    return resolutionOf(runtime.state, call, (text) => this.keep(text));
  }

  toolContext(call: Call, signal: AbortSignal): ToolContext {
    const { runtime, options, style, live, runId, others, jobs } = this.#parts;
    const output = (chunk: string) => {
      this.#silence.heard();
      live({ session: runtime.id, agent: this.#agent.id, run: runId, type: 'output', call: call.id, chunk });
    };
    return {
      actor: this.#actor,
      agentId: this.#agent.id,
      runId,
      callId: call.id,
      signal,
      workspace: options.workspace,
      effects: effectsOf({ runtime, callId: call.id, actor: this.#actor, options, signal, output }),
      team: teamPortOf(runtime, call.id, others(), (text) => this.read(text)),
      jobs: jobs.portOf({ agentId: this.#agent.id, runId, callId: call.id }, signal, style),
      output,
    };
  }

  finish(call: Call, tool: Tool | null, result: CallResult): void {
    this.#silence.dispose();
    this.#do({ type: 'finish_call', callId: call.id, result, statusCall: tool?.volatile ?? false });
  }

  flushed(): Promise<void> {
    return this.#parts.runtime.flushed();
  }

  park(): void {
    this.#do({ type: 'park_run', runId: this.#parts.runId });
  }

  end(reason: 'final' | 'steps' | 'budget' | 'error', text: string, detail: string | null): void {
    this.#do({ type: 'end_run', runId: this.#parts.runId, reason, detail, text: this.keep(text), paths: [] });
  }

  heard(): void {
    this.#silence.heard();
  }

  /** The run has no loop any more. */
  dispose(): void {
    this.#silence.dispose();
  }

  live(update: LoopLive): void {
    if (update.type === 'text_end' || update.type === 'retry') this.#silence.dispose();
    else if (update.type !== 'silent') this.#silence.heard();
    this.#show(update);
  }

  #show(update: LoopLive): void {
    const { runtime, runId, live } = this.#parts;
    live({ session: runtime.id, agent: this.#agent.id, run: runId, ...update });
  }

  log(message: string, error: unknown): void {
    this.#parts.options.log.error(message, error);
  }

  /** A refusal here means that the run was stopped meanwhile; its loop finds that out by its signal. */
  #do(command: RunCommand): Dispatched {
    const done = this.#parts.runtime.dispatch(command);
    if (!done.ok) {
      this.#parts.options.log.info(`${command.type} came too late`, {
        run: this.#parts.runId,
        code: done.error.code,
      });
    }
    return done;
  }

  #run(): Run {
    return must(runOf(this.#parts.runtime.state, this.#parts.runId), `run ${this.#parts.runId}`);
  }

  /** The agent as it is now: its mode may have been changed since the run began. */
  #current(): Agent {
    return must(agentOf(this.#parts.runtime.state, this.#run().agentId), `agent ${this.#agent.id}`);
  }
}

/** Of a model that is not set up any more. */
const DEFAULT_WINDOW = 128_000;
