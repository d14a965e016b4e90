import assert from 'node:assert/strict';
import type { AgentId } from '../../src/shared/ids';
import { csvStory, oneModel, Story } from '../support/webview/story';
import { type TestView, ViewBench, type ViewOptions } from '../support/webview/view';

const lead = 'a0' as AgentId;

describe('what the Room keeps in sight', function () {
  this.timeout(60_000);
  let bench: ViewBench;
  let view: TestView;
  const open = async (options: ViewOptions) => {
    view = await bench.open(options);
    await view.settled();
    return view;
  };
  before(async () => {
    bench = await ViewBench.start();
  });
  afterEach(async () => {
    assert.deepEqual(view.complaints, []);
    await view.close();
  });
  after(() => bench.stop());

  const change = (story: Story) => view.feed.change(story.state, story.commit());
  const opened = async (options: Omit<ViewOptions, 'state'> = {}) => {
    const story = csvStory();
    story.commit();
    await open({ state: story.state, ...options });
    return story;
  };
  const newest = () => view.page.getByRole('button', { name: 'Newest' });
  const isInSight = async (name: string) => {
    const button = view.page.locator('row-list').getByRole('button', { name, exact: true });
    const [own, sight] = await Promise.all(
      [button, view.page.locator('.scroller')].map((each) => each.boundingBox()),
    );
    assert.ok(own && sight);
    return own.y >= sight.y - 0.5 && own.y + own.height <= sight.y + sight.height + 0.5;
  };

  it('a wait for the server is said in every tab, with its time', async () => {
    await opened();
    const said = view.page.locator('footer .retrying');
    view.feed.live({ agent: lead, type: 'retry', attempt: 1, waitMs: 9000, reason: 'HTTP 429' });
    await said.getByText(/^lead waits for the server, 0:0\d \(HTTP 429\)$/).waitFor();
    await view.page.getByRole('tab', { name: /Changes/ }).click();
    assert.equal(await said.count(), 1);
    view.feed.live({ agent: lead, type: 'thinking' });
    await said.waitFor({ state: 'detached' });
  });

  it('Newest has a strip of its own below the list, and is there whenever the end is not in sight', async () => {
    await opened({ height: 420 });
    assert.equal(await newest().count(), 0);
    await view.page.locator('.scroller').evaluate((element) => element.scrollTo({ top: 0 }));
    await newest().waitFor();
    const [strip, list] = await Promise.all(
      [newest(), view.page.locator('.scroller')].map((each) => each.boundingBox()),
    );
    assert.ok(strip && list && strip.y >= list.y + list.height - 0.5, 'no row lies under it');
    await newest().click();
    await newest().waitFor({ state: 'detached' });
  });

  it('the buttons of a card stay in sight when it grows under the person’s hands', async () => {
    const story = new Story();
    const run = story.start(story.begin());
    const call = story.step(run, 'bash', { command: 'npm test' });
    story.ask(run, call, {
      type: 'permission',
      tool: 'bash',
      why: { code: 'mode' },
      argsHash: 'e'.repeat(64),
      preview: { type: 'command', command: 'npm test', cwd: '.' },
    });
    story.commit();
    await open({ state: story.state, height: 310, width: 250 });
    await view.page.getByRole('button', { name: 'Deny…' }).click();
    await view.page.getByRole('button', { name: 'Cancel' }).waitFor();
    await view.settled();
    await view.settled();
    assert.ok(await isInSight('Deny'));
    assert.ok(await isInSight('Cancel'));
    await view.page.keyboard.type('use vitest');
    assert.equal(await view.page.locator('row-list textarea').inputValue(), 'use vitest');
  });

  it('no choice of a question is meant more than another', async () => {
    const story = new Story();
    const run = story.start(story.begin());
    const call = story.step(run, 'ask_user', { question: 'Which?' });
    story.ask(run, call, {
      type: 'question',
      text: { type: 'inline', text: 'Which?' },
      choices: ['comma', 'semicolon'],
    });
    story.commit();
    await open({ state: story.state });
    assert.equal(await view.page.locator('row-list vscode-button[appearance="primary"]').count(), 0);
    await view.page.locator('.row.ask').focus();
    await view.page.keyboard.press('Enter');
    await view.page.keyboard.press('Enter');
    await view.settled();
    assert.deepEqual(
      view.acts.map((act) => act.type === 'answerAsk' && act.answer),
      [{ type: 'reply', text: 'comma' }],
    );
  });

  it('at 250 px a long name leaves the time its place, and a name in the tree is cut last', async () => {
    const story = new Story();
    const first = story.begin();
    const name = 'a-member-with-a-very-long-name-x';
    const run = story.start(story.add(name, first, 'works'));
    story.step(run, 'bash', { command: `npm test -- ${'x'.repeat(200)}` }, 90_000);
    story.say('a1' as AgentId, [first], 'hello');
    story.commit();
    await open({ state: story.state, width: 250 });
    const rows = view.page.locator('.row.message');
    const [head, time] = await Promise.all(
      ['.head .name', 'time'].map((part) => rows.last().locator(part).first().boundingBox()),
    );
    assert.ok(head && time && head.x + head.width <= time.x, 'the name ends before the time');
    await view.page.getByRole('tab', { name: 'Tree' }).click();
    const item = view.page.getByRole('treeitem').last();
    const width = (part: string) =>
      item.locator(part).evaluate((each) => [each.clientWidth, each.scrollWidth] as const);
    const [usage] = await width('.aside');
    assert.equal(usage, 0);
    const short = view.page.getByRole('treeitem').first();
    const [shown, whole] = await short
      .locator('.who')
      .evaluate((each) => [each.clientWidth, each.scrollWidth]);
    assert.equal(shown, whole);
  });

  it('in high contrast the chosen tab has a frame that the others have not', async () => {
    await opened({ theme: 'contrast' });
    const frames = await view.page
      .getByRole('tab')
      .evaluateAll((tabs) =>
        tabs.map((tab) => [getComputedStyle(tab).outlineStyle, getComputedStyle(tab).borderBottomWidth]),
      );
    assert.deepEqual(frames, [
      ['solid', '3px'],
      ['none', '2px'],
      ['none', '2px'],
    ]);
  });

  it('without a model the first thing to do is to add one; with one there is no word of rehearsing', async () => {
    await open({ state: null, around: { ...oneModel, models: new Map() } });
    const primary = () => view.page.locator('.stack vscode-button[appearance="primary"]').innerText();
    assert.equal((await primary()).trim(), 'Add Model…');
    assert.equal(await view.page.getByText('No key?').count(), 1);
    await view.close();
    await open({ state: null });
    assert.equal((await primary()).trim(), 'Delegate a Task…');
    assert.equal(await view.page.getByText('No key?').count(), 0);
    assert.equal(await view.page.getByRole('button', { name: 'Add Model…' }).count(), 0);
  });

  it('that a folder is not trusted is said once: above, as long as there is no task', async () => {
    const banner = { type: 'read_only', why: 'untrusted', detail: '' } as const;
    await open({ state: null, around: { ...oneModel, banner } });
    assert.equal(await view.page.getByText(/not trusted/).count(), 0);
    await view.close();
    await opened({ around: { ...oneModel, banner } });
    assert.equal(await view.page.getByText(/not trusted/).count(), 1);
  });

  it('a name picked with @ holds for one message; one picked in the tree until it is taken away', async () => {
    await opened();
    const box = view.page.locator('footer textarea');
    await box.pressSequentially('@pa');
    await box.press('Enter');
    await box.pressSequentially('hello');
    await box.press('Enter');
    await view.page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    await view.page.getByRole('tab', { name: 'Tree' }).click();
    await view.page.getByRole('button', { name: 'Message parser' }).click();
    await view.page.getByRole('tab', { name: /Room/ }).click();
    for (const text of ['one', 'two']) {
      await box.fill(text);
      await box.press('Enter');
      await view.page.waitForFunction(() => true);
      await view.settled();
    }
    assert.deepEqual(
      view.acts.map((act) => act.type === 'send' && act.to),
      ['parser', 'parser', 'parser'],
    );
  });

  it('a turn that failed is no answer to who listens, and words do not run together', async () => {
    const story = await opened();
    story.say(lead, [], 'could not', 'answer', null, { reason: 'error', detail: 'HTTP 500' });
    change(story);
    const region = view.page.locator('[aria-live="polite"]');
    await region.getByText('lead could not go on').waitFor({ state: 'attached' });
    story.say('person', ['a1' as AgentId], 'to you');
    change(story);
    await view.page.getByText('to you', { exact: true }).waitFor();
    const head = view.page.locator('.row.message .head').last();
    assert.match((await head.textContent()) ?? '', /^You\s+→ parser/);
  });
});
