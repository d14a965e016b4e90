import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type AgentId, type JobId, localId } from '../../src/shared/ids';
import { cacheRoot } from '../support/vscode/install';
import { violations } from '../support/webview/axe';
import { Story } from '../support/webview/story';
import { type TestView, ViewBench, type ViewOptions } from '../support/webview/view';

/** A member that runs a command, and one whose server runs in the background; with a helper beside them. */
function commandStory(): Story {
  const story = new Story(Date.now() - 90_000);
  const lead = story.begin();
  const tester = story.add('tester', lead, 'tests');
  const server = story.add('server', lead, 'serves');
  story.step(story.start(tester), 'bash', { command: 'npm test' });
  const run = story.start(server);
  const call = story.step(run, 'bash', { command: 'npm run dev', background: true });
  story.push({
    type: 'job.started',
    job: {
      id: localId<JobId>('j', 0),
      agentId: server,
      runId: run,
      callId: call,
      command: 'npm run dev',
      cwd: '.',
      pgid: 1,
      processStart: '1',
    },
  });
  story.finish(call);
  story.end(run);
  return story;
}

describe('what commands write, in the Tree', function () {
  this.timeout(60_000);
  let bench: ViewBench;
  let view: TestView;
  let story: Story;
  const open = async (options: Omit<ViewOptions, 'state'> = {}) => {
    story = commandStory();
    story.commit();
    view = await bench.open({ state: story.state, ...options });
    await view.settled();
    await view.page.getByRole('tab', { name: 'Tree' }).click();
    await view.page.getByRole('treeitem').first().waitFor();
  };
  const write = (agent: string, call: string, chunk: string) =>
    view.feed.live({ agent: agent as AgentId, type: 'output', call, chunk });
  const unfold = (name: string) =>
    view.page.getByRole('button', { name: `What a command of ${name} writes` });
  before(async () => {
    bench = await ViewBench.start();
    await mkdir(join(cacheRoot(), 'artifacts'), { recursive: true });
  });
  afterEach(async () => {
    assert.deepEqual(view.complaints, []);
    await view.close();
  });
  after(() => bench.stop());

  it('its last line is seen, and unfolds to its end, as a terminal would leave it', async () => {
    await open();
    write('a1', 'c0', 'first\n\u001b[32mok\u001b[0m 1\n10%\r50%\r90%');
    await view.page.locator('[data-last="90%"]').waitFor();
    await unfold('tester').click();
    const output = view.page.getByRole('textbox', { name: 'What a command of tester writes' });
    assert.equal(await output.inputValue(), 'first\nok 1\n90%');
    write('a1', 'c0', `${'x'.repeat(100_000)}\nend`);
    for (let i = 0; i < 60 && !(await output.inputValue()).endsWith('end'); i++) await view.settled();
    assert.ok((await output.inputValue()).length <= 4000);
    const rest = await output.evaluate((box) => [
      box.scrollHeight > box.clientHeight,
      box.scrollHeight - box.scrollTop - box.clientHeight < 4,
    ]);
    assert.deepEqual(rest, [true, true], 'it is bounded, and its end is in sight');
    story.finish('c0' as never);
    view.feed.change(story.state, story.commit());
    await output.waitFor({ state: 'detached' });
  });

  it('a command in the background has a line with its output as long as it runs', async () => {
    await open();
    await view.page.getByText('npm run dev').waitFor();
    write('a2', 'c1', 'listening on 3000\n');
    await view.page.locator('[data-last="listening on 3000"]').waitFor();
    await view.page.getByRole('treeitem', { name: /^server has a command in the background/ }).waitFor();
  });

  for (const theme of ['dark', 'light', 'contrast'] as const)
    for (const width of [250, 420])
      it(`has no violation that axe knows: ${theme} at ${width} px`, async () => {
        await open({ theme, width });
        write(
          'a1',
          'c0',
          `${Array.from({ length: 30 }, (_, i) => `test ${i + 1} passed in a while`).join('\n')}`,
        );
        write('a2', 'c1', 'listening on 3000\n');
        await unfold('tester').click();
        await unfold('server').waitFor();
        await view.settled();
        await view.page.screenshot({
          path: join(cacheRoot(), 'artifacts', `webview-output-${theme}-${width}.png`),
        });
        assert.deepEqual(await violations(view), []);
      });
});
