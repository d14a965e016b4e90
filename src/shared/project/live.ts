import type { AgentId, RunId } from '../ids';
import type { LiveDoing, LivePatch } from '../protocol';
import { noStreaming, type Streaming } from './sentence';

/** What streams, as the engine announces it; never stored. `run`: left out where an agent has only one. */
export type LiveInput = { readonly agent: AgentId; readonly run?: RunId } & (
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'text_end' }
  | { readonly type: 'tool_writing'; readonly tool: string }
  | { readonly type: 'output'; readonly call: string; readonly chunk: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly waitMs: number; readonly reason: string }
  | { readonly type: 'thinking' }
  | { readonly type: 'summarising' }
  | { readonly type: 'silent'; readonly minutes: number }
);

/** How much of what streams is kept and posted, in characters: a member's end of it, the lead's answer whole. */
export const TAIL_CHARS = 240;
export const LEAD_CHARS = 16_000;
/** Of a command's output, which the person may unfold; and of how many commands of an agent at once. */
export const OUTPUT_CHARS = 4_000;
export const MOST_OUTPUTS = 4;

/** A text that grows: what is shown of it, and what has not been posted yet. */
class Growing {
  text = '';
  #posted = 0;
  #whole = true;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(more: string): void {
    this.text += more;
    const over = this.text.length - this.#limit;
    // Cut seldom: each cut makes the next post a whole one.
    if (over <= this.#limit) return;
    this.text = this.text.slice(-this.#limit);
    this.#posted = 0;
    this.#whole = true;
  }

  /** What is to be posted now, or null. */
  take(): { readonly append: string; readonly whole: boolean } | null {
    if (this.#posted === this.text.length) return null;
    const fresh = this.text.length - this.#posted;
    const skip = fresh > this.#limit;
    const append = skip ? this.text.slice(-this.#limit) : this.text.slice(this.#posted);
    const whole = this.#whole || skip;
    this.#posted = this.text.length;
    this.#whole = false;
    return { append, whole };
  }

  /** Everything is to be posted again: the view has lost what it had. */
  again(): void {
    this.#posted = 0;
    this.#whole = true;
  }
}

class AgentLive {
  readonly #limit: number;
  #run: RunId | undefined;
  #text: Growing;
  /** By call, oldest first: commands in the background write beside others. */
  readonly #outputs = new Map<string, Growing>();
  #doing: LiveDoing | null = null;
  #doingPosted = true;
  #ended = false;

  constructor(limit: number) {
    this.#limit = limit;
    this.#text = new Growing(limit);
  }

  take(update: LiveInput, now: number): void {
    // A command in the background may outlive the run that started it.
    if (update.type !== 'output') this.#run = update.run;
    switch (update.type) {
      case 'text':
        // Some servers send empty pieces beside the pieces of a call.
        if (update.delta === '') return;
        this.#text.add(update.delta);
        this.#doing = null;
        return;
      case 'text_end':
        this.clear();
        return;
      case 'output':
        this.#outputOf(update.call).add(update.chunk);
        return;
      case 'thinking':
        this.#set({ type: 'thinking' });
        return;
      case 'silent':
        this.#set({ type: 'silent', minutes: update.minutes });
        return;
      case 'summarising':
        this.#set({ type: 'summarising' });
        return;
      case 'tool_writing':
        this.#set({ type: 'writing_call', tool: update.tool });
        return;
      case 'retry': {
        const { attempt, reason } = update;
        this.#set({ type: 'retry', attempt, until: now + update.waitMs, reason });
        return;
      }
    }
  }

  #set(doing: LiveDoing): void {
    if (JSON.stringify(doing) === JSON.stringify(this.#doing)) return;
    this.#doing = doing;
    this.#doingPosted = false;
  }

  /** Events are told once they are on the disk; by then the agent's next run may stream already. */
  isOf(run: RunId | null): boolean {
    return run === null || this.#run === undefined || this.#run === run;
  }

  #outputOf(call: string): Growing {
    const known = this.#outputs.get(call);
    if (known !== undefined) return known;
    const [oldest] = this.#outputs.keys();
    if (oldest !== undefined && this.#outputs.size >= MOST_OUTPUTS) this.endOutput(oldest);
    const fresh = new Growing(OUTPUT_CHARS);
    this.#outputs.set(call, fresh);
    return fresh;
  }

  endOutput(call: string): void {
    if (!this.#outputs.delete(call)) return;
    this.again();
    this.#ended = true;
  }

  /** What was said and done; what commands write ends with each of them, in the background later than the run. */
  clear(): void {
    this.#text = new Growing(this.#limit);
    this.#doing = null;
    this.again();
    this.#ended = true;
  }

  clearOutputs(): void {
    this.#outputs.clear();
  }

  patches(agent: AgentId): readonly LivePatch[] {
    const patches: LivePatch[] = [];
    if (this.#ended) patches.push({ agent, type: 'end' });
    this.#ended = false;
    const text = this.#text.take();
    if (text !== null) patches.push({ agent, type: 'text', ...text });
    // After the text, which ends what was done before it: what is done now came last.
    if (!this.#doingPosted && this.#doing !== null) patches.push({ agent, type: 'doing', what: this.#doing });
    this.#doingPosted = true;
    for (const [call, text] of this.#outputs) {
      const output = text.take();
      if (output !== null) patches.push({ agent, type: 'output', call, ...output });
    }
    return patches;
  }

  get streaming(): Streaming {
    return { doing: this.#doing, writes: this.#text.text !== '' };
  }

  again(): void {
    this.#ended = false;
    this.#doingPosted = this.#doing === null;
    this.#text.again();
    for (const output of this.#outputs.values()) output.again();
  }
}

/** Gathers what streams between two posts, by agent; memory and posts are bounded whatever comes in. */
export class LiveBuffer {
  readonly #agents = new Map<AgentId, AgentLive>();
  readonly #dirty = new Set<AgentId>();

  /** @param lead whether this agent's text is shown whole */
  take(update: LiveInput, lead: boolean, now: number): void {
    let live = this.#agents.get(update.agent);
    if (live === undefined) {
      live = new AgentLive(lead ? LEAD_CHARS : TAIL_CHARS);
      this.#agents.set(update.agent, live);
    }
    live.take(update, now);
    this.#dirty.add(update.agent);
  }

  /** What a run streamed is void; null: whatever the agent does. */
  end(agent: AgentId, run: RunId | null): void {
    const live = this.#agents.get(agent);
    if (live?.isOf(run) !== true) return;
    if (run === null) live.clearOutputs();
    live.clear();
    this.#dirty.add(agent);
  }

  /** A call has its result: its output is seen no more. What the agent says meanwhile stays. */
  endOutput(agent: AgentId, call: string): void {
    const live = this.#agents.get(agent);
    if (live === undefined) return;
    live.endOutput(call);
    this.#dirty.add(agent);
  }

  streaming(agent: AgentId): Streaming {
    return this.#agents.get(agent)?.streaming ?? noStreaming;
  }

  get pending(): boolean {
    return this.#dirty.size > 0;
  }

  /** What has changed since the last call. */
  drain(): readonly LivePatch[] {
    const patches: LivePatch[] = [];
    for (const agent of this.#dirty) patches.push(...(this.#agents.get(agent)?.patches(agent) ?? []));
    this.#dirty.clear();
    return patches;
  }

  /** Everything that streams now, for a view that has nothing. */
  all(): readonly LivePatch[] {
    for (const [agent, live] of this.#agents) {
      live.again();
      this.#dirty.add(agent);
    }
    return this.drain();
  }

  reset(): void {
    this.#agents.clear();
    this.#dirty.clear();
  }
}
