import assert from 'node:assert/strict';
import type { AgentId, RunId } from '../../src/shared/ids';
import type { Surroundings } from '../../src/shared/project/who';
import type { PatchPost } from '../../src/shared/protocol';
import { violations } from '../support/webview/axe';
import { csvStory, oneModel, Story } from '../support/webview/story';
import { type TestView, ViewBench, type ViewOptions } from '../support/webview/view';

describe('the Room in use', function () {
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
  const opened = (options: Omit<ViewOptions, 'state'> = {}) => {
    const story = csvStory();
    story.commit();
    return open({ state: story.state, ...options }).then(() => story);
  };
  const card = () => view.page.locator('.row.ask');
  const focusedKey = () =>
    view.page.evaluate(() => {
      let active: Element | null = document.activeElement;
      let name: string | null = null;
      for (; active !== null; active = active.shadowRoot?.activeElement ?? null)
        name = active.getAttribute('data-key') ?? active.getAttribute('data-name') ?? name;
      return name;
    });
  const focusIs = async (name: string) => {
    for (let frames = 0; frames < 60 && (await focusedKey()) !== name; frames++) await view.settled();
    assert.equal(await focusedKey(), name);
  };

  for (const theme of ['dark', 'light', 'contrast'] as const)
    it(`has no violation that axe knows: ${theme}`, async () => {
      await opened({ theme });
      assert.deepEqual(await violations(view), []);
      for (const tab of ['Tree', 'Changes']) {
        await view.page.getByRole('tab', { name: tab }).click();
        await view.settled();
        assert.deepEqual(await violations(view), [], tab);
      }
    });

  it('the empty state has none either, and offers what can be done', async () => {
    await open({ state: null, around: { ...oneModel, models: new Map() } });
    assert.deepEqual(await violations(view), []);
    await view.page.getByRole('button', { name: 'Delegate a Task…' }).click();
    await view.page.getByRole('button', { name: 'Rehearse in a sample folder' }).click();
    assert.deepEqual(view.acts, [{ type: 'delegate' }, { type: 'rehearse' }]);
  });

  it('an approval is answered for exactly what was shown, and the focus goes back to the composer', async () => {
    const story = await opened();
    await view.page.getByRole('textbox', { name: 'Message' }).focus();
    await card().getByRole('button', { name: 'Allow once' }).press('Enter');
    await view.page.waitForFunction(() => true);
    assert.deepEqual(view.acts, [
      {
        type: 'answerAsk',
        ask: 'q0',
        argsHash: 'e'.repeat(64),
        answer: { type: 'allow', scope: 'once' },
      },
    ]);
    story.push({ type: 'ask.answered', askId: 'q0' as never, answer: { type: 'allow', scope: 'once' } });
    change(story);
    await card()
      .getByText(/You allowed it/)
      .waitFor();
    await focusIs('composer');
    assert.equal(await view.page.getByRole('tab', { name: /Room/ }).innerText(), 'Room');
  });

  it('Deny takes words; Escape takes nothing', async () => {
    await opened();
    await card().getByRole('button', { name: 'Deny…' }).click();
    const words = card().getByRole('textbox');
    await words.press('Escape');
    await card().getByRole('button', { name: 'Deny…' }).click();
    await words.fill('use vitest');
    await words.press('Enter');
    await view.settled();
    assert.deepEqual(
      view.acts.map((act) => (act.type === 'answerAsk' ? act.answer : act.type)),
      [{ type: 'deny', words: 'use vitest' }],
    );
  });

  it('a question is answered by a choice or by words', async () => {
    const story = new Story();
    const lead = story.begin();
    const run = story.start(lead);
    const call = story.step(run, 'ask_user', { question: 'Which?' });
    story.ask(run, call, {
      type: 'question',
      text: { type: 'inline', text: 'Which **separator**?' },
      choices: ['comma', 'semicolon'],
    });
    story.commit();
    await open({ state: story.state });
    await card().getByRole('button', { name: 'semicolon' }).click();
    await card().getByRole('textbox').fill('a tab');
    await card().getByRole('button', { name: 'Send' }).click();
    await view.settled();
    assert.deepEqual(
      view.acts.map((act) => act.type === 'answerAsk' && act.answer),
      [
        { type: 'reply', text: 'semicolon' },
        { type: 'reply', text: 'a tab' },
      ],
    );
  });

  it('Enter sends to the lead, Shift+Enter breaks the line, @name picks a member, a refusal keeps the text', async () => {
    let ok = true;
    await opened({
      answer: (message) =>
        message.type === 'act'
          ? { type: 'acted', act: message.act, ok, words: ok ? '' : 'nobody there' }
          : null,
    });
    const box = view.page.getByRole('textbox', { name: /Message/ });
    await box.fill('one');
    await box.press('Shift+Enter');
    await box.pressSequentially('two');
    await box.press('Enter');
    await view.settled();
    assert.equal(await box.inputValue(), '');
    await box.pressSequentially('@pa');
    await view.page.getByRole('listbox').getByRole('option', { name: 'parser' }).waitFor();
    await box.press('Enter');
    await box.pressSequentially('hello');
    ok = false;
    await box.press('Enter');
    await view.page.getByRole('alert').getByText('nobody there').waitFor();
    assert.equal(await box.inputValue(), 'hello');
    ok = true;
    await box.fill('@ui and you');
    await box.press('Enter');
    await view.settled();
    assert.deepEqual(view.acts, [
      { type: 'send', to: null, text: 'one\ntwo' },
      { type: 'send', to: 'parser', text: 'hello' },
      { type: 'send', to: 'ui', text: 'and you' },
    ]);
  });

  it('by keyboard alone: arrows walk the rows, Enter opens, Escape goes to the composer', async () => {
    await opened({ height: 500 });
    await view.page.locator('.row').last().focus();
    const walked: unknown[] = [await focusedKey()];
    for (const key of [
      'ArrowUp',
      'ArrowUp',
      'ArrowUp',
      'ArrowUp',
      'ArrowUp',
      'ArrowUp',
      'Home',
      'End',
      'ArrowUp',
    ]) {
      await view.page.keyboard.press(key);
      await view.settled();
      walked.push(await focusedKey());
    }
    assert.deepEqual(walked, ['x3', 'q0', 'j4', 'm3', 'j3', 'm2', 'm1', 'j1', 'x3', 'q0']);
    await view.page.keyboard.press('Enter');
    await focusIs('allow');
    await view.page.keyboard.press('Escape');
    await focusIs('composer');
  });

  it('the tree by keyboard: rows, folds, and Stop and Message that are always there', async () => {
    await opened();
    await view.page.getByRole('tab', { name: /Room/ }).focus();
    await view.page.keyboard.press('ArrowRight');
    await view.settled();
    await view.page.getByRole('treeitem', { name: /^ui/ }).focus();
    const names = () =>
      view.page.getByRole('treeitem').evaluateAll((rows) => rows.map((row) => row.dataset['key']));
    assert.deepEqual(await names(), ['a0', 'a1', 'a2', 'a4', 'a3']);
    await view.page.keyboard.press('ArrowLeft');
    await view.settled();
    assert.deepEqual(await names(), ['a0', 'a1', 'a2', 'a3']);
    await view.page.keyboard.press('ArrowUp');
    await focusIs('a1');
    await view.page.getByRole('button', { name: 'Stop parser' }).press('Enter');
    await view.settled();
    assert.deepEqual(view.acts, [{ type: 'stop', name: 'parser' }]);
    await view.page.getByRole('treeitem', { name: /^parser/ }).focus();
    await view.page.keyboard.press('Enter');
    await focusIs('q0');
  });

  it('how far an agent is with its own list is part of its row in the tree', async () => {
    const story = await opened();
    await view.page.getByRole('tab', { name: 'Tree' }).click();
    const items = [
      { text: 'look', status: 'done' },
      { text: 'write <b>it</b>', status: 'in_progress' },
    ] as const;
    story.push({ type: 'agent.todo', agentId: 'a2' as AgentId, items });
    change(story);
    await view.page.getByRole('treeitem', { name: /^ui.*1 of 2: write <b>it<\/b>/ }).waitFor();
  });

  it('a live region says who asks and delivers, never what streams', async () => {
    const story = await opened();
    const region = view.page.locator('[aria-live="polite"]');
    view.feed.live({ agent: 'a0' as AgentId, type: 'text', delta: 'I think ' });
    view.feed.live({ agent: 'a0' as AgentId, type: 'text', delta: '**hard**' });
    await view.page.getByText('I think **hard**').waitFor();
    assert.equal(await region.textContent(), '');
    story.say('a2' as AgentId, ['a0' as AgentId], 'Done.', 'report');
    change(story);
    await view.page.getByText('ui delivered').waitFor({ state: 'attached' });
  });

  it('interrupted runs can go on or end, one by one and all together', async () => {
    const story = new Story();
    const lead = story.begin();
    const one = story.add('one', lead, 'works');
    for (const agent of [lead, one]) {
      const run = story.start(agent);
      story.step(run, 'bash', { command: 'make deploy' });
      story.push({ type: 'run.interrupted', runId: run });
    }
    story.commit();
    await open({ state: story.state });
    assert.deepEqual(await violations(view), []);
    await view.page.getByRole('button', { name: 'Continue All' }).click();
    await view.page.locator('.row.interrupted').last().getByRole('button', { name: 'End' }).click();
    assert.deepEqual(view.acts, [
      { type: 'resume', go: true, runs: null },
      { type: 'resume', go: false, runs: ['r1' as RunId] },
    ]);
  });

  it('another window holds the workspace: nothing can be done here but to take it over', async () => {
    const around: Surroundings = {
      ...oneModel,
      banner: { type: 'read_only', why: 'elsewhere', detail: '' },
    };
    await opened({ around });
    assert.equal(
      await card()
        .getByRole('button', { name: /Allow|Deny/ })
        .count(),
      0,
    );
    assert.equal(await view.page.getByRole('textbox').isDisabled(), true);
    await view.page.getByRole('button', { name: 'Take Over Here' }).click();
    assert.deepEqual(view.acts, [{ type: 'takeOver' }]);
  });

  it('F10 a page that was thrown away comes back as it was: draft, tab, place, filter', async () => {
    const story = await opened({ height: 400 });
    await view.page.getByRole('textbox', { name: 'Message' }).fill('half a thought');
    await view.page.locator('.scroller').evaluate((element) => element.scrollTo({ top: 20 }));
    await view.page.waitForFunction(() =>
      JSON.stringify((window as { remembered?: unknown }).remembered).includes('half a thought'),
    );
    await view.page.waitForFunction(
      () =>
        ((window as { remembered?: { places: { room?: unknown } } }).remembered?.places.room ?? null) !==
        null,
    );
    const remembered: unknown = await view.page.evaluate(
      () => (window as { remembered?: unknown }).remembered,
    );
    view.feed.disconnect();
    const posts = view.posted.length;
    story.say('a1' as AgentId, ['a0' as AgentId], 'while nobody looked');
    change(story);
    assert.equal(view.posted.length, posts);
    await view.close();
    await open({ state: story.state, remembered, height: 400 });
    assert.equal(await view.page.getByRole('textbox', { name: 'Message' }).inputValue(), 'half a thought');
    assert.equal(
      await view.page.locator('.scroller').evaluate((element) => Math.round(element.scrollTop)),
      20,
    );
  });

  it('a tab that was not looked at is as things are when it is', async () => {
    const story = new Story();
    const lead = story.begin();
    const run = story.start(lead);
    story.commit();
    await open({ state: story.state });
    const call = story.step(run, 'write', { path: 'new.ts' });
    story.change(call, run, lead, 'new.ts', 3, 0, 'create');
    story.add('helper', lead, 'came later');
    change(story);
    await view.page.getByRole('tab', { name: 'Changes 1' }).click();
    await view.page.getByRole('button', { name: 'Show the diff of new.ts' }).waitFor();
    await view.page.getByRole('tab', { name: 'Tree' }).click();
    await view.page.getByRole('treeitem', { name: /helper/ }).waitFor();
    story.change(call, run, lead, 'other.ts', 3, 0, 'create');
    change(story);
    await view.page.getByRole('tab', { name: 'Changes 2' }).click();
    await view.page.getByRole('button', { name: 'Show the diff of other.ts' }).waitFor();
    assert.deepEqual(
      view.posted.flatMap((post) =>
        post.type === 'page' && post.page.list !== 'room' ? [post.page.list] : [],
      ),
      ['changes', 'tree'],
    );
  });

  it('a missed post is noticed and everything is asked for anew', async () => {
    const story = await opened();
    const lost: PatchPost = { type: 'patch', seq: 99, now: Date.now(), head: null, ops: [], live: [] };
    view.post(lost);
    await view.settled();
    assert.deepEqual(
      view.received.map((message) => message.type),
      ['ready', 'resync'],
    );
    story.say('a1' as AgentId, ['a0' as AgentId], 'after the gap');
    change(story);
    await view.page.getByText('after the gap').waitFor();
  });
});
