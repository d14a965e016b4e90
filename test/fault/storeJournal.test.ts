import assert from 'node:assert/strict';
import { cpSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { readCommit } from '../../src/store/frame';
import type { OpenedSession } from '../../src/store/port';
import { contentOf, numbered, storeIn, temporaryFolders } from '../support/storeFixture';

const folder = temporaryFolders();
const sessionIn = (storage: string) => join(storage, 'sessions', 's1');

const journalsIn = (storage: string) =>
  readdirSync(sessionIn(storage))
    .filter((name) => name.endsWith('.log'))
    .sort();

function journalOf(storage: string): string {
  const [name, ...others] = journalsIn(storage);
  assert.ok(name !== undefined && others.length === 0, 'one journal segment');
  return join(sessionIn(storage), name);
}

/** A session with one commit per list, written and closed. */
async function written(commits: readonly (readonly string[])[]): Promise<string> {
  const storage = folder();
  const store = storeIn(storage);
  const session = await store.create('s1');
  for (const records of commits) await session.append(records);
  await store.dispose();
  return storage;
}

/** Where each commit begins, and the end of the file. */
function boundaries(bytes: Buffer): number[] {
  const starts: number[] = [];
  let at = bytes.indexOf('\n') + 1;
  while (at < bytes.length) {
    starts.push(at);
    const frame = readCommit(bytes, at);
    assert.equal(frame.type, 'commit');
    if (frame.type === 'commit') at = frame.commit.end;
  }
  return [...starts, bytes.length];
}

function copyOf(storage: string): string {
  const copy = folder();
  cpSync(storage, copy, { recursive: true });
  return copy;
}

const open = (storage: string): Promise<OpenedSession> => storeIn(storage, { epoch: 2 }).open('s1');

/** Opens a damaged journal, writes on and opens again: what is kept plus the new record, and no more to be told. */
async function openAndGoOn(storage: string, kept: readonly string[]) {
  const opened = await open(storage);
  const content = await contentOf(opened);
  assert.deepEqual(content.tail, numbered(1, kept));
  assert.equal(content.seq, kept.length);
  await opened.store.append(['"new"']);
  await opened.store.close();
  const again = await open(storage);
  const { tail, notices } = await contentOf(again);
  await again.store.close();
  assert.deepEqual({ tail, notices }, { tail: numbered(1, [...kept, '"new"']), notices: [] });
  return content.notices;
}

const COMMITS = [['"one"'], ['"two"', '"three"'], ['{"four":"ü@\\n"}'], ['"five"', '"six"']];

describe('store faults: the journal', () => {
  it('F1 cut at every byte: all commits before are kept, the last is there whole or not at all', async () => {
    const storage = await written(COMMITS);
    const bytes = readFileSync(journalOf(storage));
    const ends = boundaries(bytes);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const copy = copyOf(storage);
      truncateSync(journalOf(copy), cut);
      const whole = ends.filter((end) => end <= cut).length - 1;
      const notices = await openAndGoOn(copy, COMMITS.slice(0, Math.max(0, whole)).flat());
      const good = ends.findLast((end) => end <= cut) ?? 0;
      const torn = cut - good;
      assert.deepEqual(notices, torn === 0 ? [] : [{ type: 'torn_tail', bytes: torn }], `cut at ${cut}`);
    }
  }).timeout(60_000);

  it('F1 a length that reached the disk before its bytes (zeros) is a torn tail', async () => {
    const storage = await written(COMMITS);
    const path = journalOf(storage);
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(700)]));
    assert.deepEqual(await openAndGoOn(storage, COMMITS.flat()), [{ type: 'torn_tail', bytes: 700 }]);
  });

  it('a bit flipped anywhere: all commits before are kept, everything else is put aside and told', async () => {
    const storage = await written(COMMITS);
    const bytes = readFileSync(journalOf(storage));
    const ends = boundaries(bytes);
    for (let at = ends[0] ?? 0; at < bytes.length; at++) {
      const copy = copyOf(storage);
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(journalOf(copy), damaged);
      const index = ends.findLastIndex((end) => end <= at);
      const kept = COMMITS.slice(0, index).flat();
      const [notice, ...others] = await openAndGoOn(copy, kept);
      assert.equal(others.length, 0);
      assert.ok(notice?.type === 'broken_middle', `byte ${at}: ${JSON.stringify(notice)}`);
      assert.equal(notice.seq, kept.length + 1);
      const lostForSure = COMMITS.slice(index + 1).flat().length;
      const lostAtMost = COMMITS.slice(index).flat().length;
      assert.ok(notice.lostRecords > lostForSure && notice.lostRecords <= lostAtMost, `byte ${at}`);
      assert.deepEqual(readFileSync(notice.putAside), damaged.subarray(ends[index]));
    }
  }).timeout(60_000);

  it('a damaged first line loses nothing silently: the whole segment is put aside', async () => {
    const storage = await written(COMMITS);
    const path = journalOf(storage);
    const bytes = readFileSync(path);
    writeFileSync(path, Buffer.concat([Buffer.from('?'), bytes.subarray(1)]));
    const [notice] = await openAndGoOn(storage, []);
    assert.ok(notice?.type === 'broken_middle');
    assert.equal(notice.lostRecords, 6);
  });

  it('damage in an older segment puts all newer ones aside as well', async () => {
    const storage = await written(COMMITS);
    for (const epoch of [2, 3]) {
      const store = storeIn(storage, { epoch });
      const { store: session } = await store.open('s1');
      await session.append([`"epoch ${epoch}"`]);
      await store.dispose();
    }
    const names = journalsIn(storage);
    assert.equal(names.length, 3);
    const second = join(sessionIn(storage), names[1] ?? '');
    const bytes = readFileSync(second);
    bytes[bytes.length - 3] = 0;
    writeFileSync(second, bytes);
    const store = storeIn(storage, { epoch: 4 });
    const opened = await store.open('s1');
    const { tail, notices } = await contentOf(opened);
    assert.deepEqual(tail, numbered(1, COMMITS.flat()));
    assert.deepEqual(
      notices.map((notice) => ({
        ...notice,
        putAside: notice.type === 'broken_middle' && basename(notice.putAside),
      })),
      [{ type: 'broken_middle', seq: 7, lostRecords: 2, putAside: `${names[1]}.damaged` }],
    );
    await opened.store.append(['"new"']);
    await store.dispose();
    const { tail: after, notices: none } = await contentOf(await storeIn(storage, { epoch: 5 }).open('s1'));
    assert.deepEqual({ after, none }, { after: numbered(1, [...COMMITS.flat(), '"new"']), none: [] });
    assert.deepEqual(
      readdirSync(sessionIn(storage)).filter((name) => name.includes('damaged')),
      [`${names[1]}.damaged`, `${names[2]}.damaged`],
    );
  });

  it('a segment that is missing is told, and what lies behind it is put aside', async () => {
    const storage = await written(COMMITS);
    const store = storeIn(storage, { epoch: 2 });
    await (await store.open('s1')).store.append(['"later"']);
    await store.dispose();
    truncateSync(join(sessionIn(storage), journalsIn(storage)[0] ?? ''), 0);
    const { tail, notices } = await contentOf(await storeIn(storage, { epoch: 3 }).open('s1'));
    assert.deepEqual(tail, []);
    assert.equal(notices[0]?.type === 'broken_middle' && notices[0].lostRecords, 1);
  });

  it('a journal of several segments is cut anywhere and goes on', async () => {
    const storage = folder();
    const store = storeIn(storage);
    const session = await store.create('s1');
    const records = Array.from({ length: 9 }, (_, n) => JSON.stringify(`${n}`.repeat(1_000_000)));
    for (const record of records) await session.append([record]);
    await store.dispose();
    const names = journalsIn(storage);
    assert.ok(names.length > 1, 'more than one segment');
    const last = join(sessionIn(storage), names.at(-1) ?? '');
    const opened = await open(storage);
    assert.deepEqual((await contentOf(opened)).tail, numbered(1, records));
    await opened.store.close();
    truncateSync(last, 100);
    const { tail, notices } = await contentOf(await open(storage));
    assert.equal(notices[0]?.type, 'torn_tail');
    assert.deepEqual(tail, numbered(1, records.slice(0, tail.length)));
  });

  it('any journal cut anywhere gives whole commits from the beginning, and goes on', async () => {
    const commits = fc.array(fc.array(fc.json(), { minLength: 1, maxLength: 4 }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(commits, fc.double({ min: 0, max: 1, noNaN: true }), async (given, part) => {
        const storage = await written(given);
        const path = journalOf(storage);
        const bytes = readFileSync(path);
        const cut = Math.floor(bytes.length * part);
        const whole = boundaries(bytes).filter((end) => end <= cut).length - 1;
        truncateSync(path, cut);
        await openAndGoOn(storage, given.slice(0, Math.max(0, whole)).flat());
      }),
      { numRuns: 60 },
    );
  }).timeout(60_000);

  it('a newer journal is refused and left as it is', async () => {
    const storage = await written(COMMITS);
    const before = readFileSync(journalOf(storage));
    await assert.rejects(storeIn(storage, { schema: 0 }).open('s1'), { code: 'newer_schema' });
    assert.deepEqual(readFileSync(journalOf(storage)), before);
  });

  it('a window that only reads changes nothing, and sees the whole commits of a write in progress', async () => {
    const storage = await written(COMMITS);
    const path = journalOf(storage);
    truncateSync(path, readFileSync(path).length - 3);
    const before = readFileSync(path);
    const opened = await storeIn(storage, { epoch: null }).open('s1');
    const { tail, notices } = await contentOf(opened);
    assert.deepEqual({ tail, notices }, { tail: numbered(1, COMMITS.slice(0, 3).flat()), notices: [] });
    await assert.rejects(opened.store.append(['1']), { code: 'fenced' });
    assert.deepEqual(readFileSync(path), before);
    assert.deepEqual(readdirSync(sessionIn(storage)), [basename(path)]);
  });
});
