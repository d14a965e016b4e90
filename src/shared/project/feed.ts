import type { Disposable } from '../../base/disposable';
import type { Clock } from '../../base/timeSource';
import type { TeamEvent } from '../events';
import type { AgentId, SessionId } from '../ids';
import {
  type Head,
  type HostToView,
  type ListName,
  type ListOp,
  POSTS_PER_SECOND,
  type ViewToHost,
} from '../protocol';
import type { State } from '../state';
import { currentStrings } from '../texts';
import { LiveBuffer, type LiveInput } from './live';
import { Projection, type RawOp } from './projection';
import { Streams } from './streams';
import type { Surroundings } from './who';

/** Those messages of the view that the feed answers itself. */
export type FeedRequest = Extract<ViewToHost, { type: 'ready' | 'resync' | 'filter' | 'page' }>;

export const isFeedRequest = (message: ViewToHost): message is FeedRequest =>
  message.type === 'ready' ||
  message.type === 'resync' ||
  message.type === 'filter' ||
  message.type === 'page';

const GAP_MS = Math.ceil(1000 / POSTS_PER_SECOND);

/**
 * Decides what the view is posted and when: a reset when it has nothing, pages when it asks, otherwise at most 30
 * patches per second, each as large as what has changed. Nothing is gathered for a view that is not there.
 */
export class Feed implements Disposable {
  readonly projection = new Projection();
  readonly #post: (message: HostToView) => void;
  readonly #clock: Clock;
  readonly #strings: Readonly<Record<string, string>>;
  #stringsPosted = false;
  readonly #streams = new Streams();
  #shown: SessionId | null = null;
  /** Lists of which the view has at least one page. */
  readonly #wanted = new Set<ListName>();
  #ops: RawOp[] = [];
  /** As it was posted last, and whether it may be another by now. */
  readonly #head: { posted: Head | null; mayDiffer: boolean } = { posted: null, mayDiffer: false };
  #seq = 0;
  #connected = false;
  #tab: ListName = 'room';
  #lastPost = Number.NEGATIVE_INFINITY;
  #timer: Disposable | null = null;

  /** @param strings the words in the person's language; null: the table in use */
  constructor(
    post: (message: HostToView) => void,
    clock: Clock,
    strings: Readonly<Record<string, string>> | null,
  ) {
    this.#post = post;
    this.#clock = clock;
    this.#strings = strings ?? currentStrings();
  }

  /** Another session is shown, or none. What has streamed in it so far is seen from the beginning. */
  open(state: State | null): void {
    this.projection.open(state);
    this.#shown = state?.session?.id ?? null;
    this.#resetView();
  }

  /** Only these sessions are in memory: what streamed in others is forgotten. */
  keep(sessions: ReadonlySet<SessionId>): void {
    this.#streams.keep(sessions);
  }

  /** Another engine, or none that runs: nothing streams any more. */
  silence(): void {
    this.#streams.keep(new Set());
    this.#resetView();
  }

  /** A session changed that is not shown. */
  behind(session: SessionId, state: State, events: readonly TeamEvent[]): void {
    this.#streams.change(session, state, events);
  }

  /** @param state after the events */
  change(state: State, events: readonly TeamEvent[]): void {
    const ops = this.projection.apply(state, events);
    if (this.#shown !== null) this.#streams.change(this.#shown, state, events);
    if (!this.#connected) return;
    for (const op of ops) if (this.#wanted.has(op.list)) this.#ops.push(op);
    this.#head.mayDiffer = true;
    this.#schedule();
  }

  surroundings(around: Surroundings): void {
    const ops = this.projection.setSurroundings(around);
    if (!this.#connected) return;
    for (const op of ops) if (this.#wanted.has(op.list)) this.#ops.push(op);
    this.#head.mayDiffer = true;
    this.#schedule();
  }

  /** @param session the one that is shown, unless another is named */
  live(update: LiveInput, session: SessionId | null = this.#shown): void {
    if (session !== null) this.#streams.take(session, update, this.#clock.now());
    if (this.#connected && session === this.#shown) this.#schedule();
  }

  receive(request: FeedRequest): void {
    switch (request.type) {
      case 'ready':
        this.#connected = true;
        this.#stringsPosted = false;
        this.#tab = request.tab;
        this.projection.setFilter(this.#known(request.filter));
        this.#resetView();
        return;
      case 'resync':
        this.#tab = request.tab;
        this.#resetView();
        return;
      case 'filter':
        this.#tab = request.tab;
        this.projection.setFilter(this.#known(request.agent));
        this.#resetView();
        return;
      case 'page':
        // What is waiting comes first, so that the page's indices are those that the view knows.
        this.#flush();
        this.#wanted.add(request.list);
        this.#send({
          type: 'page',
          seq: this.#nextSeq(),
          page: this.projection.page(request.list, request.from),
        });
        return;
    }
  }

  /** The view is hidden or gone; it says `ready` when it is there again. */
  disconnect(): void {
    this.#connected = false;
    this.#drop();
  }

  dispose(): void {
    this.disconnect();
  }

  /** A filter that the view remembered may name an agent of another session. */
  #known(agent: AgentId | null): AgentId | null {
    return agent !== null && this.projection.row('tree', agent) !== null ? agent : null;
  }

  /** What streams in the session that is shown. */
  get #live(): LiveBuffer {
    return this.#shown === null ? new LiveBuffer() : this.#streams.buffer(this.#shown);
  }

  #drop(): void {
    this.#timer?.dispose();
    this.#timer = null;
    this.#ops = [];
    this.#head.mayDiffer = false;
    this.#wanted.clear();
  }

  #resetView(): void {
    if (!this.#connected) return;
    this.#drop();
    const { projection } = this;
    const page = projection.firstPage(this.#tab);
    this.#wanted.add('room').add(this.#tab);
    const head = projection.head();
    this.#head.posted = head;
    this.#send({
      type: 'reset',
      seq: this.#nextSeq(),
      now: this.#clock.now(),
      head,
      strings: this.#stringsPosted ? null : this.#strings,
      filter: projection.filter,
      totals: {
        room: projection.total('room'),
        tree: projection.total('tree'),
        changes: projection.total('changes'),
      },
      page,
      live: this.#live.all(),
    });
    this.#stringsPosted = true;
  }

  #schedule(): void {
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#lastPost + GAP_MS - this.#clock.now());
    // A clock that was set back must not hold posts up.
    this.#timer = this.#clock.after(Math.min(wait, GAP_MS), () => {
      this.#timer = null;
      this.#flush();
    });
  }

  #flush(): void {
    this.#timer?.dispose();
    this.#timer = null;
    if (!this.#connected) return;
    const ops = this.#listOps();
    const head = this.#headPatch();
    const live = this.#live.drain();
    if (ops.length === 0 && head === null && live.length === 0) return;
    this.#send({ type: 'patch', seq: this.#nextSeq(), now: this.#clock.now(), head, ops, live });
  }

  /** Rows as they are now, each once, however often it changed in between. */
  #listOps(): readonly ListOp[] {
    const raw = this.#ops;
    this.#ops = [];
    const ops: ListOp[] = [];
    const fresh = new Set<string>();
    for (const op of raw) {
      if (op.op === 'set') continue;
      if (op.op === 'remove') ops.push(op);
      else ops.push({ ...insertOf(op), row: this.projection.row(op.list, op.key) });
      if (op.op === 'insert') fresh.add(`${op.list}/${op.key}`);
    }
    for (const op of raw) {
      const name = `${op.list}/${op.key}`;
      if (op.op !== 'set' || fresh.has(name)) continue;
      fresh.add(name);
      const row = this.projection.row(op.list, op.key);
      if (row !== null) ops.push({ op: 'set', list: op.list, row });
    }
    return ops;
  }

  #headPatch(): Partial<Head> | null {
    if (!this.#head.mayDiffer) return null;
    this.#head.mayDiffer = false;
    const next = this.projection.head();
    const patch = headDifference(this.#head.posted, next);
    this.#head.posted = next;
    return patch;
  }

  #nextSeq(): number {
    this.#seq += 1;
    return this.#seq;
  }

  #send(message: HostToView): void {
    this.#lastPost = this.#clock.now();
    this.#post(message);
  }
}

const insertOf = ({ list, index }: Extract<RawOp, { op: 'insert' }>) => ({
  op: 'insert' as const,
  list,
  index,
});

/** Only the sections that differ; null: none. */
export function headDifference(before: Head | null, after: Head): Partial<Head> | null {
  const patch: Partial<Record<keyof Head, unknown>> = {};
  let any = false;
  for (const key of Object.keys(after) as (keyof Head)[]) {
    if (before !== null && JSON.stringify(before[key]) === JSON.stringify(after[key])) continue;
    patch[key] = after[key];
    any = true;
  }
  return any ? (patch as Partial<Head>) : null;
}
