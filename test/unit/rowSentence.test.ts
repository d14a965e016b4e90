import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { SessionId } from '../../src/shared/ids';
import { Feed } from '../../src/shared/project/feed';
import type { LiveInput } from '../../src/shared/project/live';
import { type Moments, noStreaming, rowSentence, type Streaming } from '../../src/shared/project/sentence';
import { Streams } from '../../src/shared/project/streams';
import { treeRow } from '../../src/shared/project/treeList';
import { timeLeft } from '../../src/shared/project/words';
import { Host } from '../../webview/host';
import { Store, streamingOf } from '../../webview/store';
import { ManualClock } from '../support/scriptedModel/manualClock';
import { oneModel, Story } from '../support/webview/story';

/** Without its agent, which is always the same one here. */
type Streamed = LiveInput extends infer Each
  ? Each extends LiveInput
    ? Omit<Each, 'agent' | 'run'>
    : never
  : never;

const retry: Streamed = { type: 'retry', attempt: 2, waitMs: 9000, reason: 'the server is busy' };

/** One agent, told of by the native tree's way and by the webview's: the host's feed and the page's store. */
class Both {
  readonly story = new Story();
  readonly agent = this.story.begin();
  readonly run = this.story.start(this.agent);
  readonly clock = new ManualClock(this.story.now);
  readonly #session = 's1' as SessionId;
  readonly #streams = new Streams();
  readonly #store = new Store(new Host());
  readonly #feed = new Feed((message) => this.#store.receive(message), this.clock, null);

  constructor() {
    this.story.commit();
    this.#feed.surroundings(oneModel);
    this.#feed.open(this.story.state);
    this.#feed.receive({ type: 'ready', tab: 'tree', filter: null });
  }

  live(update: Streamed): this {
    this.#feed.live({ ...update, agent: this.agent });
    this.#streams.take(this.#session, { ...update, agent: this.agent }, this.clock.now());
    return this;
  }

  change(): this {
    this.#feed.change(this.story.state, this.story.commit());
    return this;
  }

  /** What the rows of the native tree and of the Tree tab say when all has been posted. */
  said(): { readonly native: string; readonly tab: string } {
    this.clock.advance(50);
    const native = treeRow(this.story.state, this.agent, 0, oneModel);
    const tab = this.#store.lists.tree.get(this.agent);
    assert.ok(native !== null && tab?.type === 'agent');
    return {
      native: this.#words(native.activity, this.#streams.of(this.#session, this.agent)),
      tab: this.#words(tab.activity, streamingOf(this.#store.live(this.agent))),
    };
  }

  same(): string {
    const { native, tab } = this.said();
    assert.equal(native, tab);
    return native;
  }

  #words(activity: Parameters<typeof rowSentence>[0], streaming: Streaming): string {
    const moments: Moments = {
      time: () => 'TIME',
      left: (until) => timeLeft(until, this.clock.now()),
    };
    return rowSentence(activity, streaming, moments);
  }
}

describe('what an agent’s row says', () => {
  /** What the page finds in its window; nothing of it may run here. */
  const page = {
    acquireVsCodeApi: () => ({
      postMessage: () => undefined,
      getState: () => undefined,
      setState: () => undefined,
    }),
    requestAnimationFrame: () => 0,
    window: { setTimeout: () => 0, clearTimeout: () => undefined },
  };
  before(() => void Object.assign(globalThis, page));
  after(() => {
    for (const name of Object.keys(page)) Reflect.deleteProperty(globalThis, name);
  });

  it('is the same in the native tree and in the Tree tab, from the request to the answer', () => {
    const both = new Both();
    assert.equal(both.same(), 'thinks · step 1');
    assert.equal(both.live({ type: 'thinking' }).same(), 'thinks · step 1');
    assert.equal(both.live(retry).same(), 'waits for the server, 0:09 (the server is busy)');
    both.clock.advance(4000);
    assert.equal(both.same(), 'waits for the server, 0:05 (the server is busy)');
    assert.equal(both.live({ type: 'text', delta: 'I edit' }).same(), 'writes');
    // Both within one post.
    both.live({ type: 'text', delta: ' it.' }).live({ type: 'tool_writing', tool: 'edit' });
    assert.equal(both.same(), 'prepares edit');
    assert.equal(both.live({ type: 'text_end' }).same(), 'thinks · step 1');
    const call = both.story.step(both.run, 'edit', { path: 'src/a.ts' });
    assert.equal(both.change().same(), 'edits a.ts · step 1');
    both.live({ type: 'output', call, chunk: 'x' });
    both.story.finish(call);
    assert.equal(both.change().same(), 'thinks · step 2');
    both.live({ type: 'thinking' }).live({ type: 'text', delta: 'Done' });
    both.story.end(both.run);
    assert.equal(both.change().same(), 'finished TIME');
  });

  it('is the same whatever streams in whatever order, however much of it comes in one post', () => {
    const update: fc.Arbitrary<Streamed | 'post'> = fc.constantFrom(
      { type: 'text', delta: 'word ' } as const,
      { type: 'text', delta: '' } as const,
      { type: 'text', delta: 'x'.repeat(1000) } as const,
      { type: 'text_end' } as const,
      { type: 'thinking' } as const,
      { type: 'tool_writing', tool: 'edit' } as const,
      { type: 'tool_writing', tool: 'bash' } as const,
      retry,
      { type: 'output', call: 'c0', chunk: 'line\n' } as const,
      'post' as const,
    );
    fc.assert(
      fc.property(fc.array(update, { maxLength: 30 }), (updates) => {
        const both = new Both();
        for (const each of updates) {
          if (each === 'post') both.same();
          else both.live(each);
        }
        both.same();
      }),
      { numRuns: 300 },
    );
  });

  it('goes by the state alone where no answer is waited for: what streamed last says nothing then', () => {
    const moments: Moments = { time: () => '', left: () => '' };
    const streams: readonly Streaming[] = [
      noStreaming,
      { doing: null, writes: true },
      { doing: { type: 'writing_call', tool: 'edit' }, writes: true },
      { doing: { type: 'retry', attempt: 1, until: 0, reason: 'x' }, writes: false },
    ];
    for (const streaming of streams) {
      assert.equal(rowSentence({ type: 'interrupted' }, streaming, moments), 'interrupted by a restart');
      assert.equal(rowSentence({ type: 'collects' }, streaming, moments), 'waits for answers');
    }
  });
});
