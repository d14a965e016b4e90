import assert from 'node:assert/strict';
import { append, emptyTable, type Table, values } from '../../src/base/table';
import type { Text } from '../../src/shared/text';
import type { OpenedSession, SessionStore } from '../../src/store/port';
import { CrashDisk, randomFrom } from '../support/crashDisk';
import { contentOf, heldClock, storeIn } from '../support/storeFixture';

interface Acked {
  /** One list per call, in the order of the calls. */
  readonly calls: string[][];
}

/** The reduced state of these tests: all records, in a table as the real state's. */
interface Log {
  readonly records: Table<string>;
}

/** Agents that append, keep bodies and checkpoint until the power goes. */
async function work(
  { store: session, state }: { readonly store: SessionStore; readonly state: Log },
  disk: CrashDisk,
  given: string[][],
  acked: Acked,
  random: () => number,
) {
  let log = state;
  session.setCheckpointSource(() => ({ seq: session.seq, state: log }));
  const round = given.length;
  const agent = async (name: number) => {
    for (let n = 0; ; n++) {
      const body =
        random() < 0.5 ? session.keep(`${round}/${name}/${n} `.repeat(150)) : session.keep('short');
      const count = 1 + Math.floor(random() * 40);
      const records = Array.from({ length: count }, (_, i) => JSON.stringify({ round, name, n, i, body }));
      given.push(records);
      log = { records: records.reduce(append, log.records) };
      await session.append(records);
      acked.calls.push(records);
      if (random() < 0.1) await session.checkpoint();
    }
  };
  await Promise.race([disk.powerLoss, ...[1, 2, 3].map(agent)]);
}

/** What is on the disk, from the beginning: the checkpoint stands for the records that it counts. */
async function check(
  session: SessionStore,
  found: readonly string[],
  given: readonly string[][],
  acked: Acked,
) {
  const calls = new Map(given.map((records) => [records[0], records]));
  const whole: string[] = [];
  for (let at = 0; at < found.length; ) {
    const records = calls.get(found[at]);
    assert.ok(records !== undefined, `not the beginning of a call: ${found[at]}`);
    assert.deepEqual(found.slice(at, at + records.length), records, 'a call is there whole or not at all');
    whole.push(records[0] ?? '');
    at += records.length;
  }
  const there = new Set(whole);
  for (const records of acked.calls) assert.ok(there.has(records[0] ?? ''), `lost: ${records[0]}`);
  for (const json of found) {
    const { body } = JSON.parse(json) as { body: Text };
    if (acked.calls.some((records) => records.includes(json))) await session.read(body);
  }
}

const empty: Log = { records: emptyTable() };

async function stateOf(opened: OpenedSession): Promise<Log> {
  let log = (opened.checkpoint?.state as Log | undefined) ?? empty;
  for await (const { json } of opened.tail) log = { records: append(log.records, json) };
  return log;
}

async function lifeOf(seed: number): Promise<void> {
  const random = randomFrom(seed);
  const storage = '/disk';
  const given: string[][] = [];
  const acked: Acked = { calls: [] };
  let survivors = new Map<string, Buffer>();
  for (let epoch = 1; epoch <= 4; epoch++) {
    const disk = new CrashDisk(10 + Math.floor(random() * 150), survivors);
    // Its time stands still: a process that lost its power has no timers either.
    const store = storeIn(storage, { files: disk, epoch, clock: heldClock() });
    const opening = async () => {
      const known = await store.list();
      if (known.length === 0)
        return work({ store: await store.create('s1'), state: empty }, disk, given, acked, random);
      const opened = await store.open('s1');
      return work({ store: opened.store, state: await stateOf(opened) }, disk, given, acked, random);
    };
    await Promise.race([disk.powerLoss, opening()]);
    disk.cutPower();
    survivors = disk.survivors(random);
    // Looked at on a copy of what survived.
    const whole = new CrashDisk(Number.POSITIVE_INFINITY, survivors);
    const reader = storeIn(storage, { files: whole, epoch: 90 });
    if ((await reader.list()).length === 0) {
      assert.deepEqual(acked.calls, [], 'nothing was acknowledged');
      continue;
    }
    const opened = await reader.open('s1');
    const { checkpoint, notices } = await contentOf(opened);
    for (const notice of notices) assert.notEqual(notice.type, 'checkpoint_unusable', JSON.stringify(notice));
    // Everything from the first record, without the checkpoint's help.
    const bare = new Map([...survivors].filter(([path]) => !path.includes('/state-')));
    const replayed = await storeIn(storage, {
      files: new CrashDisk(Number.POSITIVE_INFINITY, bare),
      epoch: 91,
    }).open('s1');
    const { tail } = await contentOf(replayed);
    assert.ok((checkpoint?.seq ?? 0) <= tail.length, 'a checkpoint is never ahead of the journal');
    const records = tail.map(({ json }) => json);
    assert.deepEqual(
      [...values((await stateOf(opened)).records)],
      records,
      'the checkpoint and its tail, or the journal',
    );
    assert.equal(opened.store.seq, tail.length);
    await check(opened.store, records, given, acked);
  }
}

describe('store faults: power loss', () => {
  it('F1 acked is never lost, calls are whole, bodies are there: 4 losses in each of 80 lives', async () => {
    for (let seed = 1; seed <= 80; seed++) {
      try {
        await lifeOf(seed);
      } catch (error) {
        throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
      }
    }
  }).timeout(120_000);
});
