import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentId, SessionId } from '../../src/shared/ids';
import type { DiffView, HeadSession } from '../../src/shared/protocol';
import type { State } from '../../src/shared/state';
import { cacheRoot } from '../support/vscode/install';
import { reviewStory } from '../support/webview/reviewStory';
import { csvStory, oneModel, troubleStory } from '../support/webview/story';
import { type TestView, ViewBench, type ViewOptions } from '../support/webview/view';

const artifacts = join(cacheRoot(), 'artifacts');

const sessionsOf = (state: State): readonly HeadSession[] => [
  { id: state.session?.id ?? ('' as SessionId), title: 'Move the settings to TOML', at: 0, open: true },
  { id: 's-old' as SessionId, title: 'CSV export', at: 0, open: false },
];

const diff: DiffView = {
  hunks: [
    {
      id: null,
      undone: false,
      oldStart: 40,
      newStart: 40,
      lines: [
        { mark: ' ', text: '  <Toolbar>' },
        { mark: '-', text: '    <Print />' },
        { mark: '+', text: '    <Print />' },
        { mark: '+', text: '    <ExportCsv rows={rows} separator={separatorOf(locale)} quoted />' },
      ],
    },
  ],
  added: 2,
  removed: 1,
  cut: 0,
};

const hunks: DiffView = {
  ...diff,
  hunks: diff.hunks.flatMap((hunk) => [
    { ...hunk, id: `${'1'.repeat(32)}-0` },
    { ...hunk, id: `${'2'.repeat(32)}-0`, undone: true, oldStart: 80, newStart: 81 },
  ]),
};

/** What can't be seen without scrolling sideways, but for what may be scrolled so: diffs, code, cut words. */
const beyondTheEdge = (view: TestView) =>
  view.page.evaluate(() => {
    const found: string[] = [];
    const walk = (root: ParentNode) => {
      for (const each of root.querySelectorAll<HTMLElement>('*')) {
        if (each.shadowRoot !== null) walk(each.shadowRoot);
        if (
          each.closest('.diff, pre, .unseen, .path, .doing, .tail, .who, .usage, svg, select, option') !==
          null
        )
          continue;
        const { right, left, width } = each.getBoundingClientRect();
        if (width > 0 && (right > innerWidth + 0.5 || left < -0.5))
          found.push(`${each.localName}.${each.className} ${Math.round(left)}..${Math.round(right)}`);
      }
    };
    walk(document.body);
    return found;
  });

describe('how the Room looks', function () {
  this.timeout(60_000);
  let bench: ViewBench;
  before(async () => {
    bench = await ViewBench.start();
    await mkdir(artifacts, { recursive: true });
  });
  after(() => bench.stop());

  /** Takes the picture, and says what reaches beyond the edge of the view there. */
  const shoot = async (view: TestView, name: string) => {
    await view.page.screenshot({ path: join(artifacts, `webview-${name}.png`) });
    assert.deepEqual(await beyondTheEdge(view), [], name);
  };

  for (const theme of ['dark', 'light'] as const) {
    it(`what asks, fails or is cut off: ${theme}`, async () => {
      const story = troubleStory(Date.now() - 125_000);
      // A row tells of the server only while its agent waits for the model's answer.
      const waiting = story.add('checker', 'a0' as AgentId, 'checks the result');
      story.start(waiting);
      const around = { ...oneModel, sessions: sessionsOf(story.state) };
      const answer: ViewOptions['answer'] = (message) =>
        message.type === 'diff' ? { type: 'diff', of: message.of, diff, problem: '' } : null;
      const view = await bench.open({ state: story.state, theme, width: 340, height: 1500, around, answer });
      view.feed.live({
        agent: 'a0' as AgentId,
        type: 'text',
        delta: 'I look at what the **formatter** has left…',
      });
      await view.page.getByText('is writing…').waitFor();
      await view.settled();
      await shoot(view, `trouble-${theme}`);
      await view.page.getByRole('tab', { name: /Tree/ }).click();
      await view.page.getByRole('treeitem').first().waitFor();
      const doing = { type: 'retry', attempt: 2, waitMs: 9000, reason: 'the server is busy' } as const;
      view.feed.live({ agent: waiting, ...doing });
      await view.page
        .getByText(/waits for the server/)
        .first()
        .waitFor();
      await shoot(view, `trouble-tree-${theme}`);
      await view.page.getByRole('tab', { name: /Changes/ }).click();
      await view.settled();
      await shoot(view, `trouble-changes-${theme}`);
      await view.close();
    });
  }

  for (const theme of ['dark', 'light', 'contrast'] as const) {
    for (const width of [170, 250, 420]) {
      it(`what is to review: ${theme} at ${width} px`, async () => {
        const story = reviewStory(Date.now() - 7 * 60_000);
        const view = await bench.open({
          state: story.state,
          theme,
          width,
          height: 1100,
          answer: (message) =>
            message.type === 'diff' ? { type: 'diff', of: message.of, diff: hunks, problem: '' } : null,
        });
        await view.settled();
        await shoot(view, `review-room-${theme}-${width}`);
        await view.page.getByRole('tab', { name: /Changes/ }).click();
        await view.page.getByRole('button', { name: 'Show the diff of src/csv/read.ts' }).first().click();
        await view.page.getByRole('region', { name: /Diff of/ }).waitFor();
        await view.page.getByRole('button', { name: 'Request Changes…' }).first().click();
        await view.page.getByRole('button', { name: 'Show the diff of src/csv/write.ts' }).hover();
        await view.settled();
        await shoot(view, `review-${theme}-${width}`);
        await view.close();
      });
    }
    // 170: the 340 pixels of an ordinary sidebar at 200% zoom.
    for (const width of [170, 250, 340, 600]) {
      it(`${theme} at ${width} px`, async () => {
        const story = csvStory(Date.now() - 7 * 60_000 - 41_000);
        const view = await bench.open({
          state: story.state,
          theme,
          width,
          answer: (message) =>
            message.type === 'diff' ? { type: 'diff', of: message.of, diff, problem: '' } : null,
        });
        await view.settled();
        await shoot(view, `room-${theme}-${width}`);
        await view.page.getByRole('tab', { name: /Tree/ }).click();
        await view.page.getByRole('treeitem').first().waitFor();
        await view.page.getByRole('treeitem', { name: /^parser/ }).hover();
        await view.settled();
        await shoot(view, `tree-${theme}-${width}`);
        await view.page.getByRole('tab', { name: /Changes/ }).click();
        await view.page.getByRole('button', { name: 'Show the diff of src/report.tsx' }).click();
        await view.page.getByRole('region', { name: /Diff of/ }).waitFor();
        await view.settled();
        await shoot(view, `changes-${theme}-${width}`);
        await view.close();
        const empty = await bench.open({ state: null, theme, width, around: oneModel });
        await empty.settled();
        await shoot(empty, `empty-${theme}-${width}`);
        await empty.close();
      });
    }
  }
});
