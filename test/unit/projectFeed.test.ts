import assert from 'node:assert/strict';
import type { AgentId } from '../../src/shared/ids';
import { agentOf } from '../../src/shared/lookup';
import { Feed } from '../../src/shared/project/feed';
import { LEAD_CHARS, TAIL_CHARS } from '../../src/shared/project/live';
import type { HostToView, PatchPost, ResetPost } from '../../src/shared/protocol';
import { ManualClock } from '../support/scriptedModel/manualClock';
import { csvStory, oneModel, Story } from '../support/webview/story';

const lead = 'a0' as AgentId;
const parser = 'a1' as AgentId;

interface Bench {
  readonly story: Story;
  readonly feed: Feed;
  readonly clock: ManualClock;
  readonly posts: HostToView[];
  change(): void;
}

function bench(story = csvStory()): Bench {
  const clock = new ManualClock();
  const posts: HostToView[] = [];
  const feed = new Feed((message) => posts.push(message), clock, null);
  feed.surroundings(oneModel);
  feed.open(story.state);
  story.commit();
  return { story, feed, clock, posts, change: () => feed.change(story.state, story.commit()) };
}

function resetAt(posts: readonly HostToView[], index: number): ResetPost {
  const post = posts[index];
  assert.ok(post?.type === 'reset');
  return post;
}

const patches = (posts: readonly HostToView[]) =>
  posts.filter((post): post is PatchPost => post.type === 'patch');

describe('what is posted to the Room', () => {
  it('nothing before the view is there, then one reset with the head and one page', () => {
    const { story, feed, clock, posts, change } = bench();
    story.say(parser, [lead], 'hello');
    change();
    clock.advance(1000);
    assert.deepEqual(posts, []);
    feed.receive({ type: 'ready', tab: 'room', filter: null });
    assert.equal(posts.length, 1);
    const reset = resetAt(posts, 0);
    assert.deepEqual(
      [reset.type, reset.seq, reset.totals, reset.page.list, reset.page.rows.length],
      ['reset', 1, { room: 11, tree: 5, changes: 6 }, 'room', 11],
    );
    assert.equal(reset.strings?.['tab.room'], 'Room');
    feed.receive({ type: 'filter', tab: 'room', agent: null });
    assert.equal(resetAt(posts, 1).strings, null);
  });

  it('at most 30 posts a second, each row once however often it changed', () => {
    const { story, feed, clock, posts, change } = bench();
    feed.receive({ type: 'ready', tab: 'room', filter: null });
    const message = story.say(lead, [parser], 'read this');
    change();
    for (let i = 0; i < 1000; i++) {
      story.push({ type: 'session.renamed', title: `title ${i}` });
      change();
      clock.advance(1);
    }
    clock.advance(100);
    const sent = patches(posts);
    assert.ok(sent.length >= 25 && sent.length <= 31, `${sent.length} posts`);
    assert.deepEqual(
      sent[0]?.ops.map((op) => [op.op, op.list, op.op === 'insert' ? op.row?.key : null]),
      [['insert', 'room', message]],
    );
    assert.equal(sent.at(-1)?.head?.session?.title, 'title 999');
    assert.deepEqual(
      posts.map((post) => ('seq' in post ? post.seq : 0)),
      posts.map((_, i) => i + 1),
    );
  });

  it('B13 a post is as large as the change: the same with 10,000 messages as with 10', () => {
    const sizeOf = (messages: number): number => {
      const story = new Story();
      const first = story.begin();
      const one = story.add('one', first, 'talks');
      for (let i = 0; i < messages; i++) story.say(one, [], 'hello');
      const { feed, clock, posts, change } = bench(story);
      feed.receive({ type: 'ready', tab: 'room', filter: null });
      story.say(one, [first], 'one more');
      change();
      clock.advance(50);
      return JSON.stringify(patches(posts)).length;
    };
    const [few, many] = [sizeOf(10), sizeOf(10_000)];
    // Only the numbers in it are longer.
    assert.ok(many - few < 20, `${few} and ${many} bytes`);
    assert.ok(many < 700, `${many} bytes`);
  });

  it('lists that the view has not looked at cost nothing; their pages are asked for', () => {
    const { story, feed, clock, posts, change } = bench();
    feed.receive({ type: 'ready', tab: 'room', filter: null });
    const run = story.state.open.runs.find((id) => id === 'r2');
    assert.ok(run);
    story.finish('c8' as never);
    story.step(run, 'read', { path: 'x' });
    change();
    clock.advance(50);
    assert.deepEqual(patches(posts)[0]?.ops, []);
    feed.receive({ type: 'page', list: 'tree', from: 0 });
    story.finish('c9' as never);
    change();
    clock.advance(50);
    assert.deepEqual(
      patches(posts)[1]?.ops.map((op) => [op.op, op.list]),
      [['set', 'tree']],
    );
  });

  it('what waits is posted before a page, so that indices agree', () => {
    const { story, feed, posts, change } = bench();
    feed.receive({ type: 'ready', tab: 'room', filter: null });
    story.say(parser, [lead], 'hello');
    change();
    feed.receive({ type: 'page', list: 'room', from: 0 });
    assert.deepEqual(
      posts.map((post) => post.type),
      ['reset', 'patch', 'page'],
    );
  });

  it('F10 a hidden view is posted nothing, and gets everything when it is there again', () => {
    const { story, feed, clock, posts, change } = bench();
    feed.receive({ type: 'ready', tab: 'room', filter: null });
    feed.disconnect();
    story.say(parser, [lead], 'unseen');
    feed.live({ agent: lead, type: 'text', delta: 'thinking aloud' });
    change();
    clock.advance(1000);
    assert.equal(posts.length, 1);
    feed.receive({ type: 'ready', tab: 'tree', filter: parser });
    const reset = resetAt(posts, 1);
    assert.deepEqual(
      [reset.page.list, reset.page.rows.length, reset.filter, reset.live],
      ['tree', 5, parser, [{ agent: lead, type: 'text', append: 'thinking aloud', whole: true }]],
    );
  });
});

describe('what streams to the Room', () => {
  const streaming = () => {
    const all = bench();
    all.feed.receive({ type: 'ready', tab: 'room', filter: null });
    const live = () => {
      all.clock.advance(50);
      return patches(all.posts.splice(0)).flatMap((post) => post.live);
    };
    live();
    return { ...all, live };
  };

  it('only what is new is posted, together for all agents', () => {
    const { feed, live } = streaming();
    for (const delta of ['Let ', 'me ', 'see.']) feed.live({ agent: lead, type: 'text', delta });
    feed.live({ agent: parser, type: 'thinking' });
    assert.deepEqual(live(), [
      { agent: lead, type: 'text', append: 'Let me see.', whole: true },
      { agent: parser, type: 'doing', what: { type: 'thinking' } },
    ]);
    feed.live({ agent: lead, type: 'text', delta: ' More.' });
    assert.deepEqual(live(), [{ agent: lead, type: 'text', append: ' More.', whole: false }]);
  });

  it('a flood is cut to its end: a member to a line or so, the lead to what can be read', () => {
    const { feed, live } = streaming();
    feed.live({ agent: parser, type: 'text', delta: `${'x'.repeat(5_000_000)}end` });
    feed.live({ agent: lead, type: 'text', delta: `${'x'.repeat(5_000_000)}end` });
    const [member, whole] = live();
    assert.ok(member?.type === 'text' && whole?.type === 'text');
    assert.deepEqual([member.append.length, member.whole], [TAIL_CHARS, true]);
    assert.deepEqual([whole.append.length, whole.whole], [LEAD_CHARS, true]);
    assert.ok(member.append.endsWith('end'));
  });

  it('a retry says until when, and what became lasting is taken away', () => {
    const { story, feed, clock, live, change } = streaming();
    feed.live({ agent: parser, type: 'retry', attempt: 2, waitMs: 5000, reason: 'rate limited' });
    const until = clock.now() + 5000;
    const what = { type: 'retry', attempt: 2, until, reason: 'rate limited' };
    assert.deepEqual(live(), [{ agent: parser, type: 'doing', what }]);
    feed.live({ agent: 'a2' as AgentId, type: 'output', call: 'c8', chunk: 'line\n' });
    live();
    story.finish('c8' as never);
    change();
    assert.deepEqual(live(), [{ agent: 'a2', type: 'end' }]);
  });

  it('a retry that began while another session was shown is seen when its own is', () => {
    const { story, feed, clock, posts } = streaming();
    const id = story.state.session?.id;
    const run = agentOf(story.state, parser)?.runs.at(-1);
    assert.ok(id !== undefined && run !== undefined);
    feed.open(null);
    posts.length = 0;
    feed.live({ agent: lead, type: 'retry', attempt: 1, waitMs: 5000, reason: 'HTTP 429' }, id);
    feed.live({ agent: parser, type: 'text', delta: 'void' }, id);
    clock.advance(50);
    assert.deepEqual(posts, []);
    story.end(run, 'stopped');
    feed.behind(id, story.state, story.commit());
    feed.open(story.state);
    const what = { type: 'retry', attempt: 1, until: clock.now() - 50 + 5000, reason: 'HTTP 429' };
    assert.deepEqual(resetAt(posts, 0).live, [{ agent: lead, type: 'doing', what }]);
    feed.silence();
    assert.deepEqual(resetAt(posts, 1).live, []);
  });

  it('an end and a new beginning between two posts are told in this order', () => {
    const { feed, live } = streaming();
    feed.live({ agent: lead, type: 'text', delta: 'old' });
    live();
    feed.live({ agent: lead, type: 'text_end' });
    feed.live({ agent: lead, type: 'text', delta: 'new' });
    assert.deepEqual(live(), [
      { agent: lead, type: 'end' },
      { agent: lead, type: 'text', append: 'new', whole: true },
    ]);
  });
});
