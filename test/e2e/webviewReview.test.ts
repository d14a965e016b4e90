import assert from 'node:assert/strict';
import type { AgentId, ChangeId, OutcomeId, UndoId } from '../../src/shared/ids';
import type { DiffView } from '../../src/shared/protocol';
import { violations } from '../support/webview/axe';
import { report, reviewStory, undo } from '../support/webview/reviewStory';
import type { Story } from '../support/webview/story';
import { oneModel } from '../support/webview/story';
import { type TestView, ViewBench, type ViewOptions } from '../support/webview/view';

const one = `${'1'.repeat(32)}-0`;
const two = `${'2'.repeat(32)}-0`;

const twoHunks = (out: ReadonlySet<string>): DiffView => ({
  hunks: [one, two].map((id, i) => ({
    id,
    undone: out.has(id),
    oldStart: 10 * i + 1,
    newStart: 10 * i + 1,
    lines: [
      { mark: '-', text: 'before' },
      { mark: '+', text: 'after' },
    ],
  })),
  added: 2,
  removed: 2,
  cut: 0,
});

describe('the Changes tab in use', function () {
  this.timeout(60_000);
  let bench: ViewBench;
  let view: TestView;
  let story: Story;
  const open = async (options: Omit<ViewOptions, 'state'> = {}) => {
    story = reviewStory();
    story.commit();
    view = await bench.open({ state: story.state, height: 1100, ...options });
    await view.settled();
    await view.page.getByRole('tab', { name: /Changes/ }).click();
    await view.page.locator('.row.group').first().waitFor();
  };
  const change = () => view.feed.change(story.state, story.commit());
  const row = (key: string) => view.page.locator(`.row[data-key="${key}"]`);
  const words = async (key: string) =>
    (await row(key).innerText()).replace(/\s+/g, ' ').replaceAll('/ ', '/').trim();
  before(async () => {
    bench = await ViewBench.start();
  });
  afterEach(async () => {
    assert.deepEqual(view.complaints, []);
    await view.close();
  });
  after(() => bench.stop());

  it('says of each file how it was changed, by what, with whom, and what can not be undone', async () => {
    await open();
    assert.equal(await words('g:a1'), 'parser 3 files · to review +96 −4');
    assert.equal(await words('p:a1:src/csv/write.ts'), 'src/csv/write.ts new +84 −0');
    assert.match(await words('p:a2:src/report.tsx'), /shared with parser by npm run format, step 1$/);
    assert.match(await words('p:a2:src/csv/read.ts'), /also edited by parser by npm run format/);
    assert.match(await words('p:a2:public/logo.svg'), /renamed was public\/icon\.svg/);
    assert.match(await words('p:a2:public/icon.png'), /icon\.png binary by/);
    assert.match(await words('p:a2:bin/run.sh'), /permissions 644 → 755/);
    assert.match(await words('p:a2:data/cache.bin'), /cache\.bin can’t be undone/);
    assert.match(await words('p:a1:src/csv/old.ts'), /undone by you .* Undo the undo/);
  });

  for (const theme of ['dark', 'light', 'contrast'] as const)
    it(`has no violation that axe knows, with diffs and words open: ${theme}`, async () => {
      await open({
        theme,
        answer: (message) =>
          message.type === 'diff'
            ? { type: 'diff', of: message.of, diff: twoHunks(new Set([two])), problem: '' }
            : null,
      });
      await view.page.getByRole('button', { name: 'Show the diff of src/csv/write.ts' }).click();
      await view.page.getByRole('button', { name: 'Request Changes…' }).first().click();
      await view.page.getByRole('region', { name: /Diff of/ }).waitFor();
      assert.deepEqual(await violations(view), []);
    });

  it('Accept clears "to review" and keeps the way back', async () => {
    await open();
    await row('p:a1:src/csv/old.ts').getByRole('button', { name: 'Accept' }).click();
    assert.deepEqual(view.acts, [{ type: 'accept', outcome: 'o0' }]);
    story.push({ type: 'outcome.accepted', outcomeId: 'o0' as OutcomeId });
    change();
    await row('g:a1').getByText('to review').waitFor({ state: 'detached' });
    assert.equal(await row('p:a1:src/csv/old.ts').getByRole('button', { name: 'Accept' }).count(), 0);
    await row('p:a1:src/csv/old.ts').getByRole('button', { name: 'Undo all 2…' }).click();
    assert.deepEqual(view.acts.at(-1), { type: 'undoMember', agent: 'a1' });
  });

  it('Request Changes takes words, none are not enough, and a refusal keeps them', async () => {
    let ok = false;
    await open({
      answer: (message) =>
        message.type === 'act'
          ? { type: 'acted', act: message.act, ok, words: ok ? '' : 'the agent has left' }
          : null,
    });
    const end = row('p:a1:src/csv/old.ts');
    await end.getByRole('button', { name: 'Request Changes…' }).click();
    const box = end.getByRole('textbox', { name: 'What should parser change?' });
    await box.press('Enter');
    assert.deepEqual(view.acts, []);
    await box.fill('quote the header too');
    await box.press('Enter');
    await view.page.getByRole('alert').getByText('the agent has left').waitFor();
    assert.equal(await box.inputValue(), 'quote the header too');
    ok = true;
    await end.getByRole('button', { name: 'Request Changes', exact: true }).click();
    await box.waitFor({ state: 'detached' });
    const asked = { type: 'requestChanges', outcome: 'o0', text: 'quote the header too' };
    assert.deepEqual(view.acts, [asked, asked]);
  });

  it('who has left can be accepted, but nobody is there to change anything', async () => {
    await open();
    const end = row('p:a3:NOTES.md');
    assert.equal(await end.getByRole('button', { name: 'Accept' }).count(), 1);
    assert.equal(await end.getByRole('button', { name: /Request/ }).count(), 0);
  });

  it('one place of a file is undone in the diff, shown as undone, and that is undone again', async () => {
    const out = new Set<string>();
    await open({
      answer: (message) =>
        message.type === 'diff'
          ? { type: 'diff', of: message.of, diff: twoHunks(new Set(out)), problem: '' }
          : null,
    });
    const file = row('p:a1:src/csv/read.ts');
    await view.page.getByRole('button', { name: 'Show the diff of src/csv/read.ts' }).first().click();
    await file.getByRole('button', { name: 'Undo this place of src/csv/read.ts, from line 11' }).click();
    assert.deepEqual(view.acts, [{ type: 'undoHunk', agent: 'a1', path: 'src/csv/read.ts', hunk: two }]);
    out.add(two);
    const id = undo(story, 'a1' as AgentId, 'src/csv/read.ts', 'h1' as ChangeId, two);
    change();
    await file.getByText('undone', { exact: true }).waitFor();
    assert.equal(await file.getByRole('button', { name: /Undo this place/ }).count(), 1);
    await file.getByRole('button', { name: 'Undo the undo of src/csv/read.ts' }).click();
    assert.deepEqual(view.acts.at(-1), { type: 'redo', undo: id satisfies UndoId });
  });

  it('what a file was is hidden as a whole while its pictures are shown', async () => {
    await open();
    await view.page.getByRole('button', { name: 'Show the diff of src/csv/write.ts' }).hover();
    const file = row('p:a1:src/csv/write.ts');
    const opacity = (of: string) => file.locator(of).evaluate((element) => getComputedStyle(element).opacity);
    assert.deepEqual([await opacity('.aside'), await opacity('.tools')], ['0', '1']);
    await view.page.mouse.move(0, 0);
    await view.settled();
    assert.deepEqual([await opacity('.aside'), await opacity('.tools')], ['1', '0']);
  });

  it('everything of the task is undone from above the list, as long as there is something', async () => {
    await open();
    await view.page.getByText('2 to review').waitFor();
    await view.page.getByRole('button', { name: 'Undo everything of this task' }).click();
    assert.deepEqual(view.acts, [{ type: 'undoTask' }]);
    for (const id of story.state.changes.pages.flat().filter((each) => each.undone === null))
      story.push({ type: 'change.undone', changeId: id.id, by: { type: 'person' } });
    change();
    await view.page.locator('.changes-bar').waitFor({ state: 'detached' });
  });

  it('a report in the room is accepted or sent back where it stands; said once, it says so', async () => {
    await open();
    await view.page.getByRole('tab', { name: /Room/ }).click();
    const card = view.page.locator('.row.message').filter({ hasText: 'RFC 4180' });
    await card.getByRole('button', { name: 'Request Changes…' }).click();
    await card.getByRole('textbox').fill('shorter');
    await card.getByRole('textbox').press('Enter');
    assert.deepEqual(view.acts, [{ type: 'requestChanges', outcome: 'o0', text: 'shorter' }]);
    const messageId = story.say('person', ['a1' as AgentId], 'shorter');
    story.push({ type: 'outcome.returned', outcomeId: 'o0' as OutcomeId, messageId });
    change();
    await card.getByText('changes requested').waitFor();
    report(story, 'a1' as AgentId, story.start('a1' as AgentId), 'Shorter now.');
    change();
    await view.page.getByText('Shorter now.').waitFor();
  });

  it('a window that can only read shows everything and changes nothing', async () => {
    await open({ around: { ...oneModel, banner: { type: 'read_only', why: 'elsewhere', detail: '' } } });
    assert.equal(
      await view.page.getByRole('button', { name: /^(Accept|Request|Undo (all|the|every))/ }).count(),
      0,
    );
    assert.equal(await row('p:a1:src/csv/old.ts').getByRole('button', { name: 'Open all diffs' }).count(), 1);
  });
});
