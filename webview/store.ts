import type { AgentId } from '../src/shared/ids';
import { OUTPUT_CHARS } from '../src/shared/project/live';
import type { Streaming } from '../src/shared/project/sentence';
import type {
  Act,
  DiffOf,
  DiffView,
  Head,
  HostToView,
  ListName,
  LiveDoing,
  LivePatch,
  PatchPost,
  Row,
} from '../src/shared/protocol';
import { useStrings } from '../src/shared/texts';
import { Announcer } from './announcer';
import type { Host } from './host';
import { newsOf } from './news';
import { RowCache } from './rowCache';

export interface LiveText {
  readonly text: string;
  /** The end of what commands write, by call. */
  readonly outputs: ReadonlyMap<string, string>;
  readonly doing: LiveDoing | null;
}

/** A request to bring a row into sight. */
export interface Reveal {
  readonly list: ListName;
  readonly key: string;
  readonly focus: boolean;
}

export type Diffed =
  | { readonly status: 'asked' }
  | { readonly status: 'there'; readonly diff: DiffView | null; readonly problem: string };

export const streamingOf = ({ doing, text }: LiveText): Streaming => ({ doing, writes: text !== '' });

const noLive: LiveText = { text: '', outputs: new Map(), doing: null };

/**
 * What the view shows now: the rows that were loaded, the head, what streams. It applies what the host posts and
 * works nothing out; a gap in the sequence numbers makes it ask for everything anew.
 */
export class Store {
  readonly host: Host;
  readonly lists: Readonly<Record<ListName, RowCache>> = {
    room: new RowCache(),
    tree: new RowCache(),
    changes: new RowCache(),
  };
  head: Head | null = null;
  filter: AgentId | null;
  tab: ListName;
  /** Rows whose fold is open, cards whose words are being written, diffs that are shown. */
  readonly open = new Set<string>();
  readonly bodies = new Map<string, string>();
  readonly diffs = new Map<string, Diffed>();
  reveal: Reveal | null = null;
  /** Said by the live region. */
  news = '';
  /** What the last act came to, where that is to be known. */
  outcome: { readonly ok: boolean; readonly words: string } | null = null;
  readonly #live = new Map<AgentId, LiveText>();
  readonly #announcer = new Announcer();
  /** Whom the composer writes to, and how often it was asked to take the focus. */
  readonly #composer: { to: string | null; focus: number } = { to: null, focus: 0 };
  /** The last post of the host: its number, and how far the host's clock was ahead of ours, ms. */
  readonly #last = { seq: 0, ahead: 0 };

  constructor(host: Host) {
    this.host = host;
    this.tab = host.remembered.tab;
    this.filter = host.remembered.filter;
  }

  subscribe(listener: () => void): () => void {
    return this.#announcer.subscribe(listener);
  }

  changed(): void {
    this.#announcer.changed();
  }

  /** null: the lead. */
  get to(): string | null {
    return this.#composer.to;
  }

  get composerFocus(): number {
    return this.#composer.focus;
  }

  /** The host's clock now, ms. */
  now(): number {
    return Date.now() + this.#last.ahead;
  }

  live(agent: AgentId): LiveText {
    return this.#live.get(agent) ?? noLive;
  }

  receive(message: HostToView): void {
    switch (message.type) {
      case 'reset':
        this.#reset(message);
        break;
      case 'patch':
        if (this.#inOrder(message.seq)) this.#patch(message);
        break;
      case 'page':
        if (this.#inOrder(message.seq)) this.lists[message.page.list].put(message.page);
        break;
      case 'body':
        this.bodies.set(message.key, message.text);
        break;
      case 'diff':
        this.diffs.set(diffKey(message.of), {
          status: 'there',
          diff: message.diff,
          problem: message.problem,
        });
        break;
      case 'reveal':
        this.show(message.list, message.key, message.key !== null);
        if (message.composer) this.#composer.focus += 1;
        break;
      case 'acted':
        this.host.acted(message);
        break;
    }
    this.changed();
  }

  #inOrder(seq: number): boolean {
    if (seq === this.#last.seq + 1) {
      this.#last.seq = seq;
      return true;
    }
    this.host.post({ type: 'resync', tab: this.tab, lastSeq: this.#last.seq });
    return false;
  }

  #reset(message: Extract<HostToView, { type: 'reset' }>): void {
    this.#last.seq = message.seq;
    this.#last.ahead = message.now - Date.now();
    if (message.strings !== null) useStrings(message.strings);
    const other = this.head !== null && this.head.session?.id !== message.head.session?.id;
    if (other) this.#forget();
    this.head = message.head;
    this.filter = message.filter;
    this.host.remember({ filter: message.filter });
    for (const list of ['room', 'tree', 'changes'] as const) this.lists[list].reset(message.totals[list]);
    this.lists[message.page.list].put(message.page);
    this.#ask(this.tab);
    this.diffs.clear();
    this.#live.clear();
    this.#takeLive(message.live);
  }

  #forget(): void {
    this.open.clear();
    this.bodies.clear();
    this.#composer.to = null;
    this.reveal = null;
    this.host.remember({ places: {} });
  }

  #patch(message: PatchPost): void {
    this.#last.ahead = message.now - Date.now();
    if (message.head !== null && this.head !== null) this.head = { ...this.head, ...message.head };
    for (const op of message.ops) {
      this.lists[op.list].apply(op);
      // What is shown of a file's diff is from before this change.
      if (op.list === 'changes' && op.op === 'set') this.#diffIsOld(op.row);
    }
    this.#takeLive(message.live);
    const news = newsOf(message.ops);
    if (news !== '') this.news = news;
  }

  #diffIsOld(row: Row): void {
    if (row.type === 'file')
      this.diffs.delete(diffKey({ type: 'file', agent: row.agent.id, path: row.path }));
  }

  #takeLive(patches: readonly LivePatch[]): void {
    for (const patch of patches) {
      const before = this.live(patch.agent);
      switch (patch.type) {
        case 'end':
          this.#live.delete(patch.agent);
          break;
        case 'doing':
          this.#live.set(patch.agent, { ...before, doing: patch.what });
          break;
        case 'text': {
          const text = patch.whole ? patch.append : before.text + patch.append;
          this.#live.set(patch.agent, { ...before, text, doing: null });
          break;
        }
        case 'output': {
          const known = patch.whole ? '' : (before.outputs.get(patch.call) ?? '');
          const outputs = new Map(before.outputs).set(
            patch.call,
            (known + patch.append).slice(-OUTPUT_CHARS),
          );
          this.#live.set(patch.agent, { ...before, outputs });
          break;
        }
      }
    }
  }

  // ---- what the person does ----

  /** An act; what there is to say about it is shown under the tabs. Resolves to whether it was done. */
  async act(what: Act): Promise<boolean> {
    this.outcome = null;
    const outcome = await this.host.act(what);
    this.outcome = outcome.words === '' ? null : outcome;
    this.changed();
    return outcome.ok;
  }

  show(list: ListName, key: string | null, focus = false): void {
    this.setTab(list);
    if (key !== null) this.reveal = { list, key, focus };
    this.changed();
  }

  setTab(tab: ListName): void {
    if (this.tab === tab) return;
    this.tab = tab;
    this.host.remember({ tab });
    this.#ask(tab);
    this.changed();
  }

  /** A list that was empty at the reset is told of only once it has been asked for. */
  #ask(list: ListName): void {
    if (this.lists[list].total === 0) this.host.post({ type: 'page', list, from: 0 });
  }

  setFilter(agent: AgentId | null): void {
    if (this.filter === agent) return;
    this.filter = agent;
    this.host.remember({ filter: agent, places: {} });
    this.host.post({ type: 'filter', tab: this.tab, agent });
    this.changed();
  }

  /** Writes to one member, or to the lead again. */
  address(name: string | null): void {
    this.#composer.to = name;
    this.#composer.focus += 1;
    this.changed();
  }

  toggle(key: string): void {
    if (!this.open.delete(key)) this.open.add(key);
    this.changed();
  }

  /** Asks for pages that are missing in a stretch of a list. */
  need(list: ListName, from: number, to: number): void {
    for (const start of this.lists[list].missing(from, to))
      this.host.post({ type: 'page', list, from: start });
  }

  expand(key: string): void {
    if (!this.bodies.has(key)) this.host.post({ type: 'expand', key });
  }

  diff(of: DiffOf): Diffed {
    const key = diffKey(of);
    const known = this.diffs.get(key);
    if (known !== undefined) return known;
    const asked: Diffed = { status: 'asked' };
    this.diffs.set(key, asked);
    this.host.post({ type: 'diff', of });
    return asked;
  }

  get draft(): string {
    return this.host.remembered.drafts[this.#draftKey] ?? '';
  }

  set draft(text: string) {
    const { drafts } = this.host.remembered;
    this.host.remember({ drafts: { ...drafts, [this.#draftKey]: text } });
  }

  get #draftKey(): string {
    return this.head?.session?.id ?? '-';
  }

  get readOnly(): boolean {
    return this.head?.banner?.type === 'read_only';
  }
}

const diffKey = (of: DiffOf): string => (of.type === 'ask' ? `ask:${of.ask}` : `file:${of.agent}:${of.path}`);
