import assert, { rejects } from 'node:assert/strict';
import fc from 'fast-check';
import type { BlobId } from '../../src/shared/ids';
import { MemoryWorkspaceStore } from '../../src/store/memory';
import type { StoreFailureCode, WorkspaceStore } from '../../src/store/port';
import { contentOf, numbered, storeIn, temporaryFolders } from '../support/storeFixture';

/** A store whose process can be ended without a word and started again on the same disk. */
interface Subject {
  readonly name: string;
  start(): { store: WorkspaceStore; restart(): WorkspaceStore };
}

const folder = temporaryFolders();
const subjects: Subject[] = [
  {
    name: 'memory',
    start() {
      const store = new MemoryWorkspaceStore();
      return { store, restart: () => store };
    },
  },
  {
    name: 'folder',
    start() {
      const storage = folder();
      let epoch = 1;
      return {
        store: storeIn(storage, { epoch }),
        restart() {
          epoch += 1;
          return storeIn(storage, { epoch });
        },
      };
    },
  },
];

const failsWith = (code: StoreFailureCode) => (error: unknown) => {
  assert.equal((error as { code?: unknown }).code, code);
  return true;
};

for (const subject of subjects)
  describe(`store contract: ${subject.name}`, () => {
    it('records are paged in order, and messages found by the beginnings of words, newest first', async () => {
      const { store } = subject.start();
      const session = await store.create('s1');
      const long = `${'filler '.repeat(400)}walnut`;
      const message = (n: number, text: string) =>
        JSON.stringify({
          at: 1,
          type: 'message.posted',
          message: { id: `m${n}`, n, text: session.keep(text) },
        });
      const records = [
        message(1, 'An apple AND a pear'),
        '{"at":1,"type":"x"}',
        message(2, long),
        message(3, 'Apples'),
      ];
      await session.append(records);
      assert.deepEqual(
        (await session.pageEvents(2, 2)).map(({ seq, json }) => ({ seq, json })),
        [
          { seq: 2, json: records[1] },
          { seq: 3, json: records[2] },
        ],
      );
      const found = async (text: string, limit = 10) =>
        (await session.searchMessages(text, limit)).map(({ id }) => id);
      assert.deepEqual(await found('appl'), ['m3', 'm1']);
      assert.deepEqual(await found('appl', 1), ['m3']);
      assert.deepEqual(await found('pea AND app'), ['m1']);
      assert.deepEqual(await found('walnut'), ['m2']);
      assert.deepEqual(await found('***'), []);
    });

    it('a new session is empty and listed', async () => {
      const { store } = subject.start();
      const session = await store.create('s1');
      assert.equal(session.seq, 0);
      assert.deepEqual(
        (await store.list()).map(({ id, open }) => ({ id, open })),
        [{ id: 's1', open: true }],
      );
      await store.dispose();
    });

    it('acknowledged records are there after a restart, numbered from 1 in the order of the calls', async () => {
      const { store, restart } = subject.start();
      const session = await store.create('s1');
      await Promise.all([
        session.append(['"a"', '"b"']),
        session.append(['"c"']),
        session.append(['"ä\\n"']),
      ]);
      assert.equal(session.seq, 4);
      const opened = await restart().open('s1');
      assert.deepEqual(await contentOf(opened), {
        checkpoint: null,
        tail: numbered(1, ['"a"', '"b"', '"c"', '"ä\\n"']),
        notices: [],
        seq: 4,
      });
      await opened.store.close();
    });

    it('goes on numbering over restarts', async () => {
      const { store, restart } = subject.start();
      await (await store.create('s1')).append(['1', '2']);
      for (const n of [3, 4, 5]) {
        const opened = await restart().open('s1');
        await opened.store.append([String(n)]);
        assert.equal(opened.store.seq, n);
        await opened.store.close();
      }
      const { tail } = await contentOf(await restart().open('s1'));
      assert.deepEqual(tail, numbered(1, ['1', '2', '3', '4', '5']));
    });

    it('gives numbers when called, before anything is flushed', async () => {
      const { store } = subject.start();
      const session = await store.create('s1');
      const first = session.append(['1', '2']);
      assert.equal(session.seq, 2);
      const second = session.append(['3']);
      assert.equal(session.seq, 3);
      await Promise.all([first, second]);
      await store.dispose();
    });

    it('an append of nothing resolves and leaves the journal as it is', async () => {
      const { store, restart } = subject.start();
      const session = await store.create('s1');
      await session.append([]);
      assert.equal(session.seq, 0);
      const { tail, notices } = await contentOf(await restart().open('s1'));
      assert.deepEqual({ tail, notices }, { tail: [], notices: [] });
    });

    it('a record of two lines is refused, and harms no other', async () => {
      const { store, restart } = subject.start();
      const session = await store.create('s1');
      const calls = [session.append(['1']), session.append(['2\n']), session.append(['3'])];
      const [first, second, third] = await Promise.allSettled(calls);
      assert.deepEqual(
        [first?.status, second?.status, third?.status],
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual((await contentOf(await restart().open('s1'))).tail, numbered(1, ['1', '3']));
    });

    it('short bodies stay inline, longer ones are blobs; both are read back', async () => {
      const { store, restart } = subject.start();
      const session = await store.create('s1');
      const short = 'ä'.repeat(512);
      const long = `${'ä'.repeat(512)}!`;
      assert.deepEqual(session.keep(short), { type: 'inline', text: short });
      const kept = session.keep(long);
      assert.equal(kept.type === 'blob' && kept.bytes, 1025);
      assert.equal(kept.type === 'blob' && kept.head, 'ä'.repeat(240));
      assert.equal(await session.read(kept), long, 'readable before it is durable');
      assert.deepEqual(session.keep(long), kept, 'the same body has the same address');
      await session.append(['1']);
      const bytes = session.keepBytes(new Uint8Array([1, 2, 3]));
      await session.append([]);
      const { store: again } = await restart().open('s1');
      assert.equal(await again.read(kept), long);
      assert.deepEqual([...(await again.readBytes(bytes.blob))], [1, 2, 3]);
      await again.close();
    });

    it('a head never ends in half a character', async () => {
      const { store } = subject.start();
      const session = await store.create('s1');
      const kept = session.keep(`x${'😀'.repeat(600)}`);
      assert.equal(kept.type === 'blob' && kept.head, `x${'😀'.repeat(119)}`);
      await store.dispose();
    });

    it('a body that is not there is a missing_blob', async () => {
      const { store } = subject.start();
      const session = await store.create('s1');
      await rejects(session.readBytes('ab'.repeat(32) as BlobId), failsWith('missing_blob'));
      await store.dispose();
    });

    it('bytes given to keepBytes may be changed afterwards', async () => {
      const { store } = subject.start();
      const session = await store.create('s1');
      const bytes = new Uint8Array(2000).fill(7);
      const { blob } = session.keepBytes(bytes);
      bytes.fill(0);
      await session.append(['1']);
      const read = await session.readBytes(blob);
      read.fill(1);
      assert.deepEqual([...new Set(await session.readBytes(blob))], [7]);
      await store.dispose();
    });

    it('opening starts from the checkpoint and gives the records behind it', async () => {
      const { store, restart } = subject.start();
      const session = await store.create('s1');
      await session.append(['1', '2', '3']);
      session.setCheckpointSource(() => ({ seq: 3, state: '{"sum":6}' }));
      await session.checkpoint();
      await session.append(['4']);
      assert.deepEqual(await contentOf(await restart().open('s1')), {
        checkpoint: { seq: 3, state: '{"sum":6}' },
        tail: numbered(4, ['4']),
        notices: [],
        seq: 4,
      });
    });

    it('a checkpoint of an older state than the journal gives all records behind it', async () => {
      const { store, restart } = subject.start();
      const session = await store.create('s1');
      await session.append(['1']);
      await session.append(['2']);
      await session.append(['3', '4']);
      session.setCheckpointSource(() => ({ seq: 2, state: 'two' }));
      await session.checkpoint();
      const { checkpoint, tail } = await contentOf(await restart().open('s1'));
      assert.deepEqual(
        { checkpoint, tail },
        { checkpoint: { seq: 2, state: 'two' }, tail: numbered(3, ['3', '4']) },
      );
    });

    it('a checkpoint waits for the records that its state already holds', async () => {
      const { store, restart } = subject.start();
      const session = await store.create('s1');
      session.setCheckpointSource(() => ({ seq: session.seq, state: 'all' }));
      const appended = session.append(['1', '2']);
      await session.checkpoint();
      await appended;
      const { checkpoint, tail } = await contentOf(await restart().open('s1'));
      assert.deepEqual({ checkpoint, tail }, { checkpoint: { seq: 2, state: 'all' }, tail: [] });
    });

    it('close flushes what was appended before; then nothing can be appended', async () => {
      const { store, restart } = subject.start();
      const session = await store.create('s1');
      const before = session.append(['1']);
      await session.close();
      await before;
      await rejects(session.append(['2']), failsWith('closed'));
      await session.close();
      assert.deepEqual((await contentOf(await restart().open('s1'))).tail, numbered(1, ['1']));
    });

    it('opening again ends the earlier store of the session', async () => {
      const { store } = subject.start();
      const first = await store.create('s1');
      await first.append(['1']);
      const second = await store.open('s1');
      await rejects(first.append(['x']), failsWith('closed'));
      await second.store.append(['2']);
      assert.equal(second.store.seq, 2);
      await store.dispose();
    });

    it('sessions are described, listed and removed', async () => {
      const { store, restart } = subject.start();
      await store.create('s1');
      await store.create('s2');
      const listing = { id: 's1', title: 'One', createdAt: 1, changedAt: 2, style: 'room', open: false };
      await store.describe(listing);
      const again = restart();
      assert.deepEqual(
        (await again.list()).find(({ id }) => id === 's1'),
        listing,
      );
      await again.remove('s1');
      assert.deepEqual(
        (await restart().list()).map(({ id }) => id),
        ['s2'],
      );
      await rejects(again.open('s1'), failsWith('io'));
      await rejects(again.describe(listing), failsWith('io'));
      await again.dispose();
    });

    it('a session is created once', async () => {
      const { store } = subject.start();
      await store.create('s1');
      await rejects(store.create('s1'), failsWith('io'));
      await store.dispose();
    });

    it('any calls, restarts and checkpoints give back what was acknowledged, in order', async () => {
      const step = fc.oneof(
        fc.array(fc.array(fc.json(), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 }),
        fc.constant('restart' as const),
        fc.constant('checkpoint' as const),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const { store, restart } = subject.start();
          let session = await store.create('s1');
          const all: string[] = [];
          const source = () => ({ seq: all.length, state: { all: [...all] } });
          session.setCheckpointSource(source);
          for (const what of steps) {
            if (what === 'checkpoint') await session.checkpoint();
            else if (what === 'restart') {
              const opened = await restart().open('s1');
              const { checkpoint, tail, notices } = await contentOf(opened);
              const state = [
                ...((checkpoint?.state as { all: string[] } | undefined)?.all ?? []),
                ...tail.map(({ json }) => json),
              ];
              assert.deepEqual({ state, notices }, { state: all, notices: [] });
              session = opened.store;
              session.setCheckpointSource(source);
            } else {
              await Promise.all(what.map((records) => session.append(records)));
              all.push(...what.flat());
            }
          }
          await session.close();
        }),
        { numRuns: 40 },
      );
    });
  });
