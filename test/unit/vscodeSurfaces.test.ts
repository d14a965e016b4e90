import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { SessionChange, UndoWhy } from '../../src/runtime/engine';
import { type BlobId, type ChangeId, localId, type SessionId } from '../../src/shared/ids';
import { agentNamed } from '../../src/shared/lookup';
import type { Change } from '../../src/shared/state';
import type { Refusal } from '../../src/team/commands';
import { changedFiles } from '../../src/vscode/changedFiles';
import { diffView, spansView } from '../../src/vscode/diffView';
import { hasMarker, markerName, setMarker } from '../../src/vscode/marker';
import { noLinks, noPictures } from '../../src/vscode/plainText';
import { problemText, refusalText } from '../../src/vscode/problemTexts';
import { say, translateWith, undoWhy } from '../../src/vscode/texts';
import { Notifier } from '../../src/vscode/views/notifier';
import { csvStory, Story } from '../support/webview/story';

describe('texts of agents on the editor’s own surfaces', () => {
  it('become no link and no picture there, and what is unseen is shown by its number (A21, A25)', () => {
    assert.equal(
      noLinks('asks: [Allow](command:teamroom.stopAll "x") \u202Eexe.txt'),
      'asks: [Allow] (command:teamroom.stopAll "x") ‹U+202E›exe.txt',
    );
    assert.equal(noPictures('$(check) done\u200B'), '$ (check) done‹U+200B›');
    // The editor's own pattern of a link in a notification.
    const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)/;
    const part = fc.constantFrom('[', ']', '(', ')', 'a', 'command:x', '\u200b', ' ', '](');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => !link.test(noLinks(parts.join('')))),
      { numRuns: 500 },
    );
  });
});

describe('what an agent has done to its files', () => {
  it('is one entry a file, from the first content to the last, by what still stands', () => {
    const story = new Story();
    const lead = story.begin();
    const ui = story.add('ui', lead, 'page');
    const run = story.start(ui);
    const other = story.add('docs', lead, 'docs');
    const otherRun = story.start(other);
    const call = story.step(run, 'edit', {});
    const otherCall = story.step(otherRun, 'edit', {});
    story.change(call, run, ui, 'a.ts', 2, 1);
    story.change(call, run, ui, 'b.ts', 5, 0, 'create');
    const third = story.change(call, run, ui, 'a.ts', 1, 1);
    story.change(otherCall, otherRun, other, 'a.ts', 1, 0);
    const shown = () =>
      changedFiles(story.state, ui).map(
        ({ path, status, added, removed, undone, last }) =>
          `${path} ${status} +${added} −${removed}${undone ? ' undone' : ''}${last ? ' last' : ''}`,
      );
    assert.deepEqual(shown(), ['a.ts changed +3 −2', 'b.ts new +5 −0 last']);
    story.push({ type: 'change.undone', changeId: third, by: { type: 'person' } });
    assert.deepEqual(shown(), ['a.ts changed +2 −1', 'b.ts new +5 −0 last']);
  });

  it('can not be compared where a command left no content', () => {
    const story = new Story();
    const lead = story.begin();
    const run = story.start(lead);
    const callId = story.step(run, 'bash', {});
    const change: Omit<Change, 'at' | 'undone'> = {
      id: localId<ChangeId>('h', 0),
      agentId: lead,
      runId: run,
      callId,
      path: 'logo.png',
      kind: 'modify',
      before: null,
      beforeHash: 'b'.repeat(64),
      after: 'a'.repeat(64) as BlobId,
      afterHash: 'a'.repeat(64),
      added: 0,
      removed: 0,
    };
    story.push({ type: 'change.made', change });
    assert.deepEqual(
      changedFiles(story.state, lead).map((file) => file.comparable),
      [false],
    );
  });
});

describe('a diff for the sidebar', () => {
  it('has its hunks with their lines, and leaves the sign of a missing line end out', () => {
    const diff = diffView('a\nb\nc\n', 'a\nx\nc');
    assert.deepEqual(diff, {
      hunks: [
        {
          id: null,
          undone: false,
          oldStart: 1,
          newStart: 1,
          lines: [
            { mark: ' ', text: 'a' },
            { mark: '-', text: 'b' },
            { mark: '-', text: 'c' },
            { mark: '+', text: 'x' },
            { mark: '+', text: 'c' },
          ],
        },
      ],
      added: 2,
      removed: 2,
      cut: 0,
    });
  });

  it('B19 is cut where it is long, and given up where it would hold the editor up', () => {
    const lines = (n: number, word: string) => Array.from({ length: n }, (_, i) => `${word} ${i}\n`).join('');
    const long = diffView('', lines(1000, 'new'));
    assert.equal(long?.hunks[0]?.lines.length, 400);
    assert.equal(long?.cut, 600);
    assert.equal(long?.added, 1000);
    const began = performance.now();
    assert.equal(diffView(lines(20_000, 'old'), lines(20_000, 'new')), null);
    assert.ok(performance.now() - began < 1000);
    assert.equal(diffView('x'.repeat(2_000_001), ''), null);
  });

  it('is for texts only', () => {
    const view = (...bytes: readonly number[]) =>
      spansView([{ before: null, after: new Uint8Array(bytes) }], new Set())?.added ?? null;
    assert.equal(view(0x61, 0), null);
    assert.equal(view(0xff, 0xfe), null);
    assert.equal(view(...Buffer.from('é')), 1);
  });
});

describe('the marker of unfinished work', () => {
  it('is there as long as it is set, by workspace', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'teamroom-marker-'));
    const name = markerName(['/work/a'], null);
    const other = markerName(['/work/b'], null);
    assert.ok(name !== null && other !== null && name !== other);
    assert.equal(markerName([], null), null);
    assert.equal(markerName(['/b', '/a'], null), markerName(['/a', '/b'], null));
    assert.equal(hasMarker(dir, name), false);
    setMarker(dir, name, true);
    setMarker(dir, name, true);
    assert.deepEqual([hasMarker(dir, name), hasMarker(dir, other)], [true, false]);
    setMarker(dir, name, false);
    setMarker(dir, name, false);
    assert.equal(hasMarker(dir, name), false);
    await rm(dir, { recursive: true });
  });
});

describe('notifications', () => {
  const told: string[] = [];
  const shown: string[] = [];
  let answer: (choice: string | undefined) => void = () => undefined;
  const notifier = (seen: boolean) =>
    new Notifier({
      asker: {
        tell: (_kind, message) => {
          told.push(message);
          return new Promise((resolve) => {
            answer = resolve;
          });
        },
      },
      isSeen: () => seen,
      show: async (session) => void shown.push(session),
      onError: assert.ifError,
    });
  const change = (story: Story): SessionChange => ({
    session: 's1' as SessionId,
    state: story.state,
    events: story.commit(),
  });
  beforeEach(() => {
    told.length = 0;
    shown.length = 0;
  });

  it('tell who asks what while the Room is hidden, one at a time, and lead to it', async () => {
    const story = csvStory();
    const hidden = notifier(false);
    hidden.take(change(story));
    assert.deepEqual(told, ['parser asks to run a command: npm test -- --grep csv']);
    const ui = agentNamed(story.state, 'ui');
    assert.ok(ui);
    const run = ui.runs[0];
    assert.ok(run);
    const call = story.step(run, 'write', { path: 'x' });
    story.ask(run, call, { type: 'question', text: { type: 'inline', text: 'Which one?' }, choices: [] });
    hidden.take(change(story));
    assert.equal(told.length, 1, 'the first one is still there');
    answer('Show');
    await new Promise(setImmediate);
    assert.deepEqual(shown, ['s1']);
  });

  it('say nothing where the person looks at it, and nothing of members that finish', () => {
    const story = csvStory();
    notifier(true).take(change(story));
    assert.deepEqual(told, []);
  });

  it('tell the end of the work once, and how it ended', () => {
    const story = new Story();
    const lead = story.begin('Tidy up');
    const run = story.start(lead);
    const hidden = notifier(false);
    hidden.take(change(story));
    story.end(run);
    hidden.take(change(story));
    const again = story.start(lead);
    story.end(again, 'error', 'the server refused the key');
    hidden.take(change(story));
    assert.deepEqual(told, [
      'The team has finished: Tidy up',
      'The team could not go on with "Tidy up": the server refused the key',
    ]);
  });
});

describe('problems in words', () => {
  const refusals: readonly Refusal[] = [
    { code: 'unavailable', why: 'one_request' },
    { code: 'unavailable', why: 'one_agent' },
    { code: 'all_name' },
    { code: 'bad_name', name: 'X' },
    { code: 'taken', name: 'x' },
    { code: 'no_goal' },
    { code: 'full', size: 4, max: 4 },
    { code: 'nobody' },
    { code: 'unknown', name: 'x' },
    { code: 'self' },
    { code: 'nobody_to_stop' },
    { code: 'not_yours', name: 'x' },
    { code: 'unknown_expert', name: 'x', known: ['general'] },
    { code: 'unknown_model', name: 'x' },
    { code: 'too_deep', depth: 3 },
    { code: 'not_allowed', what: 'x' },
    { code: 'size_bounds', min: 5, max: 2, cap: 8 },
    { code: 'limit_bounds', limit: 'steps' },
    { code: 'status_again', allowed: 2 },
    { code: 'empty' },
    { code: 'gone', what: 'ask' },
    { code: 'downstream_unfinished', names: ['x'] },
    { code: 'fenced', attempt: 1, current: 2 },
    { code: 'wrong_state', what: 'x', is: 'y' },
  ];

  it('each refusal has its own sentence, with nothing left unfilled', () => {
    const words = refusals.map(refusalText);
    assert.equal(new Set(words).size, words.length);
    for (const text of words) {
      assert.match(text, /^\S.*\.$/);
      assert.doesNotMatch(text, /\{\d\}|undefined/);
    }
  });

  it('a problem says what can be done', () => {
    assert.match(problemText({ code: 'no_model', model: null }), /Add one, or rehearse/);
    assert.match(problemText({ code: 'read_only', why: 'elsewhere' }), /Take Over Here/);
    const refused = [
      { path: 'a.ts', why: { code: 'overlap', by: [], outside: false } },
      { path: 'b.ts', why: { code: 'overlap', by: ['ui'], outside: true } },
    ] as const;
    const report = { id: null, undone: [], refused };
    assert.equal(
      problemText({ code: 'conflict', report }),
      'Left as it is: a.ts (changed since); b.ts (changed since by ui, you or a program)',
    );
  });

  it('why a file was not undone has its words, whatever the reason, and its code is never shown', () => {
    // Complete by its type: a new reason is missed here before anybody meets it without words.
    const plain: Readonly<Record<Exclude<UndoWhy['code'], 'overlap' | 'no_merge' | 'place_taken'>, true>> = {
      no_before: true,
      hunk_gone: true,
      half_done: true,
      outside: true,
      invalid: true,
      no_folder: true,
      denied: true,
      missing: true,
      not_a_file: true,
      not_a_folder: true,
      exists: true,
      workspace_folder: true,
      into_itself: true,
      too_many: true,
      too_much: true,
      too_large: true,
      binary: true,
      not_utf8: true,
      unsaved: true,
      stale: true,
      unread: true,
      leased: true,
      io: true,
    };
    const since = { by: ['ui'], outside: true };
    const reasons: readonly UndoWhy[] = [
      { code: 'overlap', ...since },
      { code: 'no_merge', ...since },
      { code: 'place_taken', place: 'b.ts' },
      ...(Object.keys(plain) as (keyof typeof plain)[]).map((code) => ({ code })),
    ];
    for (const reason of reasons) {
      const words = undoWhy(reason);
      assert.match(words, /^[a-z][^{]* \S+$/u, reason.code);
      assert.doesNotMatch(words, /_|undefined/u, reason.code);
    }
  });

  it('all words go through the translator of the editor', () => {
    const asked: string[] = [];
    translateWith((message, ...args) => {
      asked.push(message);
      return `[${args.join()}]`;
    });
    const text = say.files(3);
    translateWith((message, ...args) =>
      message.replace(/\{(\d+)\}/g, (all, index: string) => String(args[Number(index)] ?? all)),
    );
    assert.equal(text, '[3]');
    assert.deepEqual(asked, ['{0} files']);
  });
});
