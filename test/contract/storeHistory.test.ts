import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import type { HistoryFactory } from '../../src/store/historyPort';
import { inProcessHistory } from '../../src/store/inProcessHistory';
import type { SessionStore } from '../../src/store/port';
import { workerHistory } from '../../src/store/workerHistory';
import { bundleFor } from '../support/bundle';
import { heldClock, listeningLog, storeIn, temporaryFolders } from '../support/storeFixture';

const folder = temporaryFolders();
const script = join(__dirname, 'storeWorker.js');
const wasm = join(__dirname, 'sql-wasm.wasm');
const imagesIn = (storage: string) =>
  readdirSync(join(storage, 'sessions', 's1')).filter((name) => name.startsWith('history-'));

const adapters: [string, () => HistoryFactory][] = [
  ['in process', () => inProcessHistory(null)],
  ['in a worker', () => workerHistory({ script, wasm, clock: systemClock, log: listeningLog() })],
];

const message = (session: SessionStore, n: number, text: string) =>
  JSON.stringify({
    at: 1,
    type: 'message.posted',
    message: {
      id: `m${n}`,
      n,
      from: { type: 'agent', id: 'a1' },
      fromName: 'ann',
      kind: 'message',
      text: session.keep(text),
      thread: null,
    },
    recipients: [],
  });

const run = (n: number) =>
  JSON.stringify({ at: 1, type: 'run.queued', runId: `r${n}`, agentId: `a${n % 2}` });

async function found(session: SessionStore, text: string, limit = 10): Promise<string[]> {
  return (await session.searchMessages(text, limit)).map(({ id }) => id);
}

/** Enough records for the database to be written when it is quiet. */
async function withImage(storage: string, history: HistoryFactory): Promise<void> {
  const clock = heldClock();
  const store = storeIn(storage, { clock, history });
  const session = await store.create('s1');
  await session.append([message(session, 1, 'the first apple')]);
  await session.append(Array.from({ length: 1200 }, (_, n) => run(n)));
  while (imagesIn(storage).every((name) => name.endsWith('.tmp'))) {
    await new Promise(setImmediate);
    clock.pass(3_000);
  }
  await session.append([message(session, 2, 'the second apple')]);
  await store.dispose();
}

for (const [name, adapter] of adapters)
  describe(`store history: ${name}`, () => {
    it('events are paged in order, the newest included, and only durable ones', async () => {
      const session = await storeIn(folder(), { history: adapter() }).create('s1');
      assert.deepEqual(await session.pageEvents(1, 10), []);
      const records = [message(session, 1, 'hello'), run(1), run(2), '"no object"'];
      await session.append(records);
      assert.deepEqual(await session.pageEvents(1, 2), [
        { seq: 1, agent: 'a1', type: 'message.posted', json: records[0] },
        { seq: 2, agent: 'a1', type: 'run.queued', json: records[1] },
      ]);
      await session.append([run(5)]);
      assert.deepEqual(await session.pageEvents(3, 10), [
        { seq: 3, agent: 'a0', type: 'run.queued', json: records[2] },
        { seq: 4, agent: null, type: '', json: records[3] },
        { seq: 5, agent: 'a1', type: 'run.queued', json: run(5) },
      ]);
    });

    it('messages are found by the beginnings of words, newest first, in long bodies too', async () => {
      const session = await storeIn(folder(), { history: adapter() }).create('s1');
      await session.append([
        message(session, 1, 'Die Übergabe ist fertig'),
        message(session, 2, `${'filler '.repeat(400)} needle at the end`),
        message(session, 3, 'nothing AND everything OR "quoted" NEAR'),
        message(session, 4, 'the übergabe again'),
      ]);
      assert.deepEqual(await found(session, 'über'), ['m4', 'm1']);
      assert.deepEqual(await found(session, 'über', 1), ['m4']);
      assert.deepEqual(await found(session, 'FERTIG die'), ['m1']);
      assert.deepEqual(await found(session, 'needle'), ['m2']);
      assert.deepEqual(await found(session, 'nothing AND "every'), ['m3']);
      assert.deepEqual(await found(session, 'OR NOT near'), ['m3']);
      assert.deepEqual(await found(session, '  *"()'), []);
      assert.deepEqual(await found(session, 'missing'), []);
    });

    it('is written when it is quiet, read at the next opening, and goes on from there', async () => {
      const storage = folder();
      await withImage(storage, adapter());
      assert.deepEqual(imagesIn(storage), ['history-000000001201-1']);
      const { store: session } = await storeIn(storage, { history: adapter(), epoch: 2 }).open('s1');
      assert.deepEqual(await found(session, 'apple'), ['m2', 'm1']);
      assert.equal((await session.pageEvents(1, 5000)).length, 1202);
    });

    for (const [damage, apply] of [
      ['zero-length', (path: string) => truncateSync(path, 0)],
      ['cut', (path: string) => truncateSync(path, readFileSync(path).length - 100)],
      [
        'changed',
        (path: string) => {
          const bytes = readFileSync(path);
          bytes[5000] = (bytes[5000] ?? 0) ^ 4;
          writeFileSync(path, bytes);
        },
      ],
    ] as const)
      it(`F4 a ${damage} database is put aside and built again from the journal`, async () => {
        const storage = folder();
        await withImage(storage, adapter());
        const [image = ''] = imagesIn(storage);
        apply(join(storage, 'sessions', 's1', image));
        const log = listeningLog();
        const { store: session } = await storeIn(storage, { history: adapter(), epoch: 2, log }).open('s1');
        assert.deepEqual(await found(session, 'apple'), ['m2', 'm1']);
        assert.deepEqual(imagesIn(storage), [`${image}.damaged`]);
        assert.deepEqual(log.lines, ['warn a history database was damaged and is built again']);
      });

    it('a database of a history that was cut off is not used', async () => {
      const storage = folder();
      await withImage(storage, adapter());
      const [journal = ''] = readdirSync(join(storage, 'sessions', 's1')).filter((n) => n.endsWith('.log'));
      const path = join(storage, 'sessions', 's1', journal);
      // Behind the first record.
      truncateSync(path, readFileSync(path).indexOf('\n@', 30) + 1);
      const { store: session } = await storeIn(storage, { history: adapter(), epoch: 2 }).open('s1');
      await session.append([message(session, 2, 'another apple'), run(1)]);
      assert.deepEqual(await found(session, 'apple'), ['m2', 'm1']);
      assert.equal((await session.pageEvents(1, 5000)).length, 3);
    });

    it('a window that only reads finds what was durable when it opened', async () => {
      const storage = folder();
      await withImage(storage, adapter());
      const [image = ''] = imagesIn(storage);
      truncateSync(join(storage, 'sessions', 's1', image), 10);
      const { store: session } = await storeIn(storage, { history: adapter(), epoch: null }).open('s1');
      assert.deepEqual(await found(session, 'apple'), ['m2', 'm1']);
      assert.deepEqual(imagesIn(storage), [image], 'nothing is put aside');
    });
  });

describe('store history: the worker', () => {
  it('is started by a question, not by opening, appending or a checkpoint', async () => {
    const missing = workerHistory({ script: '/missing.js', wasm, clock: systemClock, log: listeningLog() });
    const store = storeIn(folder(), { history: missing });
    const session = await store.create('s1');
    session.setCheckpointSource(() => ({ seq: session.seq, state: 'x' }));
    await session.append(['1']);
    await session.checkpoint();
    await assert.rejects(session.pageEvents(1, 1), { code: 'io' });
    await store.dispose();
  });

  it('that ended without an answer is told, and the next question starts another', async () => {
    const place = { folder: folder(), schema: 1, repair: true };
    const log = listeningLog();
    const clock = heldClock();
    const history = workerHistory({ script, wasm, clock, log })(place, () => undefined);
    // A call of a wrong shape ends it.
    await assert.rejects(history.pageEvents('x' as never, 1, 0), { code: 'io' });
    assert.deepEqual(log.lines, ['error the history worker failed']);
    assert.deepEqual(await history.pageEvents(1, 1, 0), []);
    // Unused for long it ends by itself; a question starts it again.
    clock.pass(60_000);
    assert.deepEqual(await history.pageEvents(1, 1, 0), []);
    await history.close();
  });

  it('never keeps a process from ending', () => {
    const child = bundleFor('test/support/historyChild.ts', folder());
    const output = execFileSync(process.execPath, [child, folder(), script, wasm], { timeout: 20_000 });
    assert.equal(output.toString(), 'answered 0\n');
  });
});
