import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentId, ModelId } from '../../src/shared/ids';
import type { Surroundings } from '../../src/shared/project/who';
import { cacheRoot } from '../support/vscode/install';
import { violations } from '../support/webview/axe';
import { csvStory, MODEL, oneModel, Story } from '../support/webview/story';
import { type TestView, ViewBench, type ViewOptions } from '../support/webview/view';

const twoModels: Surroundings = {
  ...oneModel,
  models: new Map([
    [MODEL, { label: 'small', parallel: 2, rehearsal: false }],
    ['m2' as ModelId, { label: 'large', parallel: 2, rehearsal: false }],
  ]),
};

describe('settings and control of a session in the Room', function () {
  this.timeout(60_000);
  let bench: ViewBench;
  let view: TestView;
  const open = async (story: Story, options: Omit<ViewOptions, 'state'> = {}) => {
    story.commit();
    view = await bench.open({ state: story.state, ...options });
    await view.settled();
  };
  const gear = () => view.page.getByRole('button', { name: 'Settings of this task' });
  const change = (story: Story) => view.feed.change(story.state, story.commit());
  before(async () => {
    bench = await ViewBench.start();
    await mkdir(join(cacheRoot(), 'artifacts'), { recursive: true });
  });
  afterEach(async () => {
    assert.deepEqual(view.complaints, []);
    await view.close();
  });
  after(() => bench.stop());

  it('L-13 the size of the team is set in place; a refusal names the bounds there and keeps what was written', async () => {
    const story = csvStory();
    let words = 'A team has between 1 and 32 agents.';
    const answer: ViewOptions['answer'] = (message) =>
      message.type === 'act' ? { type: 'acted', act: message.act, ok: words === '', words } : null;
    await open(story, { answer });
    await gear().click();
    const least = view.page.getByRole('spinbutton', { name: 'At least' });
    const most = view.page.getByRole('spinbutton', { name: 'At most' });
    assert.deepEqual([await least.inputValue(), await most.inputValue()], ['1', '4']);
    await most.fill('99');
    await most.press('Enter');
    await view.page.getByRole('alert').getByText(words).waitFor();
    assert.equal(await most.inputValue(), '99');
    words = '';
    await most.fill('6');
    await view.page.getByRole('button', { name: 'Set', exact: true }).click();
    await view.settled();
    assert.deepEqual(view.acts, [
      { type: 'setSize', min: 1, max: 99 },
      { type: 'setSize', min: 1, max: 6 },
    ]);
    const settings = story.state.session?.settings ?? assert.fail('no session');
    story.push({
      type: 'settings.changed',
      settings: { ...settings, size: { min: 2, max: 6 } },
      by: { type: 'person' },
    });
    change(story);
    await view.page.waitForFunction(() => true);
    for (let i = 0; i < 60 && (await least.inputValue()) !== '2'; i++) await view.settled();
    assert.deepEqual([await least.inputValue(), await most.inputValue()], ['2', '6']);
  });

  it('mode and limits are said, and changed by a command; where no team is offered there is no size', async () => {
    const story = csvStory();
    await open(story);
    await gear().click();
    await view.page.getByText('asks before writes and commands').waitFor();
    await view.page.getByText('$5.00 · 2.0M tokens · 50 steps a turn · 30 minutes a turn').waitFor();
    await view.page.getByRole('button', { name: 'Change: Permissions' }).click();
    await view.page.getByRole('button', { name: 'Change: Limits' }).click();
    assert.deepEqual(view.acts, [
      { type: 'settings', what: 'mode' },
      { type: 'settings', what: 'limits' },
    ]);
    story.push({ type: 'session.offered', offered: false });
    change(story);
    await view.page.getByRole('spinbutton').first().waitFor({ state: 'detached' });
  });

  for (const theme of ['dark', 'light', 'contrast'] as const)
    it(`has no violation that axe knows, at any width: ${theme}`, async () => {
      for (const width of [170, 250, 420]) {
        await open(csvStory(Date.now() - 8 * 60_000), { theme, width });
        await gear().click();
        await view.page.getByRole('spinbutton').first().waitFor();
        await view.settled();
        assert.deepEqual(await violations(view), []);
        const path = join(cacheRoot(), 'artifacts', `webview-settings-${theme}-${width}.png`);
        await view.page.screenshot({ path });
        if (width < 420) await view.close();
      }
    });

  it('Pause All stands where it says that somebody works, and not in a pause', async () => {
    const story = csvStory();
    await open(story);
    await view.page.getByRole('button', { name: 'Pause All' }).click();
    assert.deepEqual(view.acts, [{ type: 'pause', paused: true }]);
    story.push({ type: 'session.paused', paused: true });
    change(story);
    await view.page.getByText('Paused: no agent begins another step.').waitFor();
    assert.equal(await view.page.getByRole('button', { name: 'Pause All' }).count(), 0);
  });

  it('a failed turn goes on as it was, or on another model where there is one', async () => {
    const failed = () => {
      const story = new Story();
      const lead = story.begin();
      const run = story.start(lead);
      story.say(lead, [], 'I could not.', 'answer', run, { reason: 'error', detail: 'The server said 500.' });
      story.end(run, 'error', 'The server said 500.');
      return story;
    };
    await open(failed());
    await view.page.getByRole('button', { name: 'Continue' }).waitFor();
    assert.equal(await view.page.getByRole('button', { name: 'On Another Model…' }).count(), 0);
    await view.close();
    await open(failed(), { around: twoModels });
    await view.page.getByRole('button', { name: 'On Another Model…' }).click();
    assert.deepEqual(view.acts, [{ type: 'retryOn', agent: 'a0' as AgentId }]);
  });
});
