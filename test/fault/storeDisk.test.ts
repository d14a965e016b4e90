import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Text } from '../../src/shared/text';
import type { StoreFailureCode } from '../../src/store/port';
import { bundleFor } from '../support/bundle';
import {
  contentOf,
  type FileFaults,
  fault,
  faultyFiles,
  numbered,
  storeIn,
  temporaryFolders,
} from '../support/storeFixture';

const folder = temporaryFolders();
const isJournal = (path: string) => path.endsWith('.log');
const isPack = (path: string) => path.endsWith('.bin');

async function reopened(storage: string, epoch = 9) {
  const store = storeIn(storage, { epoch });
  const content = await contentOf(await store.open('s1'));
  await store.dispose();
  return content;
}

const codes = async (calls: readonly Promise<void>[]): Promise<(StoreFailureCode | 'done')[]> =>
  (await Promise.allSettled(calls)).map((result) =>
    result.status === 'fulfilled' ? 'done' : (result.reason as { code: StoreFailureCode }).code,
  );

describe('store faults: the disk', () => {
  it('F2 a disk that fills at any byte: nothing of the call counts, and what follows later is not fused with it', async () => {
    const length = 45;
    for (let room = 0; room < length; room++)
      for (const then of ['error', 'nothing'] as const) {
        const storage = folder();
        let left = Number.POSITIVE_INFINITY;
        const files = faultyFiles({
          write: (path, bytes) => {
            if (!isJournal(path)) return undefined;
            const taken = Math.min(left, bytes);
            if (taken === 0 && then === 'error') return fault('ENOSPC');
            left -= taken;
            return taken;
          },
        });
        const store = storeIn(storage, { files });
        const session = await store.create('s1');
        await session.append(['"first"']);
        left = room;
        assert.deepEqual(await codes([session.append(['"a"', '"b"']), session.append(['"c"'])]), [
          'disk_full',
          'disk_full',
        ]);
        assert.equal(session.seq, 1);
        left = Number.POSITIVE_INFINITY;
        assert.deepEqual(await codes([session.append(['"d"'])]), ['disk_full'], 'until it is opened again');
        const { store: again, ...opened } = await store.open('s1');
        assert.deepEqual(
          { ...(await contentOf({ ...opened, store: again })) },
          { checkpoint: null, tail: numbered(1, ['"first"']), notices: [], seq: 1 },
        );
        await again.append(['"second"']);
        assert.deepEqual((await reopened(storage)).tail, numbered(1, ['"first"', '"second"']));
        rmSync(storage, { recursive: true });
      }
  }).timeout(60_000);

  it('F2 a short count that is followed by room is a whole record', async () => {
    const storage = folder();
    const files = faultyFiles({ write: (_, bytes) => Math.ceil(bytes / 3) });
    const session = await storeIn(storage, { files }).create('s1');
    const kept = session.keep('body '.repeat(1000));
    await session.append(['"whole"', '"record"']);
    const opened = await storeIn(storage, { epoch: 2 }).open('s1');
    assert.deepEqual((await contentOf(opened)).tail, numbered(1, ['"whole"', '"record"']));
    assert.equal(await opened.store.read(kept), 'body '.repeat(1000));
  });

  it('F2 a really full disk: told, and nothing acknowledged is lost', async function () {
    const mount = folder();
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=262144', 'tmpfs', mount], { stdio: 'pipe' });
    } catch (error) {
      console.log(`      no small disk could be mounted here: ${String(error).split('\n')[0]}`);
      this.skip();
    }
    try {
      const store = storeIn(mount);
      const session = await store.create('s1');
      const acked: string[] = [];
      let code: unknown = null;
      while (code === null && acked.length < 1000) {
        const record = JSON.stringify({
          n: acked.length,
          body: session.keep(`${acked.length} `.repeat(997)),
        });
        await session.append([record]).then(
          () => acked.push(record),
          (error: { code: unknown }) => {
            code = error.code;
          },
        );
      }
      assert.equal(code, 'disk_full');
      assert.ok(acked.length > 20, `${acked.length} records fit`);
      const opened = await storeIn(mount, { epoch: 2 }).open('s1');
      const { tail } = await contentOf(opened);
      assert.deepEqual(tail, numbered(1, acked));
      for (const { json } of tail) {
        const { n, body } = JSON.parse(json) as { n: number; body: Text };
        assert.equal(await opened.store.read(body), `${n} `.repeat(997));
      }
      await store.dispose();
      await opened.store.close();
    } finally {
      execFileSync('umount', [mount]);
    }
  });

  const flushFaults: [string, FileFaults][] = [
    ['EIO', { datasync: (path) => (isJournal(path) ? fault('EIO') : undefined) }],
    [
      'EIO, and the file can not be cut back',
      {
        datasync: (path) => (isJournal(path) ? fault('EIO') : undefined),
        truncate: () => fault('EIO'),
      },
    ],
    ['EROFS', { create: (path) => (isJournal(path) ? fault('EROFS') : undefined) }],
    ['EMFILE', { create: (path) => (isJournal(path) ? fault('EMFILE') : undefined) }],
  ];
  for (const [name, faults] of flushFaults)
    it(`F3 a flush that fails (${name}) is never taken for a success, and not tried again`, async () => {
      const storage = folder();
      await (await storeIn(storage).create('s1')).append(['"first"']);
      let flushes = 0;
      const files = faultyFiles({
        ...faults,
        done: () => {
          flushes += 1;
        },
      });
      const store = storeIn(storage, { files, epoch: 2 });
      const { store: session } = await store.open('s1');
      const calls = [session.append(['"a"']), session.append(['"b"'])];
      assert.deepEqual(await codes(calls), ['io', 'io']);
      const before = flushes;
      assert.deepEqual(await codes([session.append(['"c"'])]), ['io']);
      assert.equal(flushes, before);
      await store.dispose();
      const { tail, notices } = await reopened(storage);
      const kept = name.includes('cut back') ? ['"first"', '"a"', '"b"'] : ['"first"'];
      assert.deepEqual({ tail, notices }, { tail: numbered(1, kept), notices: [] });
    });

  it('a body is on the disk before the record that refers to it, and costs a flush only when there is one', async () => {
    const seen: string[] = [];
    const files = faultyFiles({
      done: (what, path) => {
        if (isPack(path) || isJournal(path)) seen.push(`${what} ${isPack(path) ? 'pack' : 'journal'}`);
      },
    });
    const session = await storeIn(folder(), { files }).create('s1');
    session.keep('long '.repeat(500));
    await session.append(['1']);
    await session.append(['2']);
    session.keep('long '.repeat(500));
    await session.append(['3']);
    const journal = ['write journal', 'datasync journal'];
    assert.deepEqual(seen, ['write pack', 'datasync pack', ...journal, ...journal, ...journal]);
  });

  it('a body that can not be written keeps its record off the disk', async () => {
    const storage = folder();
    const files = faultyFiles({ datasync: (path) => (isPack(path) ? fault('ENOSPC') : undefined) });
    const session = await storeIn(storage, { files }).create('s1');
    await session.append(['"first"']);
    const kept = session.keep('long '.repeat(500));
    assert.deepEqual(await codes([session.append(['"second"'])]), ['disk_full']);
    assert.equal(await session.read(kept), 'long '.repeat(500), 'still readable in memory');
    assert.deepEqual((await reopened(storage)).tail, numbered(1, ['"first"']));
  });

  it('a damaged body is told as such; others in the pack are read', async () => {
    const storage = folder();
    const store = storeIn(storage);
    const session = await store.create('s1');
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(3000));
    const kept = texts.map((text) => session.keep(text));
    await session.append(['1']);
    await store.dispose();
    const blobs = join(storage, 'sessions', 's1', 'blobs');
    const pack = join(blobs, readdirSync(blobs)[0] ?? '');
    const whole = readFileSync(pack);
    for (const at of [whole.indexOf('bbbb') + 50, whole.indexOf('B ', 3000) + 5]) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(pack, bytes);
      const { store: again } = await storeIn(storage, { epoch: 2 }).open('s1');
      assert.equal(await again.read(kept[0] as Text), texts[0]);
      assert.equal(await again.read(kept[2] as Text), texts[2]);
      await assert.rejects(again.read(kept[1] as Text), (error: { code: string }) =>
        ['damaged_blob', 'missing_blob'].includes(error.code),
      );
      // Put again it is whole again.
      const { blob } = again.keepBytes(Buffer.from(texts[1] ?? ''));
      await again.append(['2']);
      assert.equal(Buffer.from(await again.readBytes(blob)).toString(), texts[1]);
      await again.close();
      for (const name of readdirSync(blobs)) if (join(blobs, name) !== pack) rmSync(join(blobs, name));
    }
  });

  it('calls that arrive during a flush share the next one', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let flushes = 0;
    const files = faultyFiles({
      done: (what, path) => {
        if (what === 'datasync' && isJournal(path)) flushes += 1;
      },
    });
    const slow: typeof files = {
      ...files,
      async create(path) {
        const file = await files.create(path);
        return {
          ...file,
          datasync: async () => {
            if (flushes === 0) await held;
            await file.datasync();
          },
        };
      },
    };
    const session = await storeIn(folder(), { files: slow }).create('s1');
    const order: number[] = [];
    const append = (n: number) => session.append([String(n)]).then(() => order.push(n));
    const first = append(0);
    await new Promise(setImmediate);
    const rest = Array.from({ length: 100 }, (_, n) => append(n + 1));
    assert.equal(flushes, 0);
    release();
    await Promise.all([first, ...rest]);
    assert.equal(flushes, 2);
    assert.deepEqual(
      order,
      Array.from({ length: 101 }, (_, n) => n),
    );
  });

  it('F5 after a pause the lease is looked at: a window that lost it writes no more', async () => {
    const storage = folder();
    let isCurrent = true;
    const session = await storeIn(storage, { isCurrent: async () => isCurrent }).create('s1');
    isCurrent = false;
    assert.deepEqual(await codes([session.append(['1'])]), ['fenced']);
    assert.deepEqual(await codes([session.append(['2'])]), ['fenced']);
    assert.deepEqual((await reopened(storage)).tail, []);
  });

  it('F5 a window that was taken over and writes once more harms nothing', async () => {
    const storage = folder();
    const old = await storeIn(storage, { epoch: 1 }).create('s1');
    await old.append(['"old 1"']);
    const { store: session } = await storeIn(storage, { epoch: 2 }).open('s1');
    await session.append(['"new 2"']);
    await old.append(['"ghost 2"', '"ghost 3"', '"ghost 4"']);
    old.setCheckpointSource(() => ({ seq: 4, state: '"ghost"' }));
    await old.checkpoint();
    await session.append(['"new 3"']);
    const { tail, checkpoint, notices } = await reopened(storage);
    assert.deepEqual(
      { tail, checkpoint },
      { tail: numbered(1, ['"old 1"', '"new 2"', '"new 3"']), checkpoint: null },
    );
    assert.deepEqual(
      notices.map(({ type }) => type),
      ['checkpoint_unusable'],
    );
  });

  it('F1 a killed process: everything it had acknowledged is there, bodies too', async () => {
    const storage = join(folder(), 'storage');
    mkdirSync(storage);
    const script = bundleFor('test/support/storeChild.ts', folder());
    const acked: string[] = [];
    for (let round = 1; round <= 6; round++) {
      const child = spawn(process.execPath, [script, storage, String(round)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: child.stdout });
      let seen = 0;
      lines.on('line', (line) => {
        if (line === 'ready') return;
        acked.push(line);
        seen += 1;
        // At another place each time.
        if (seen === 40 + round * 37) child.kill('SIGKILL');
      });
      const [code, signal] = await new Promise<[number | null, string | null]>((resolve) =>
        child.once('close', (...ended) => resolve(ended)),
      );
      assert.deepEqual([code, signal], [null, 'SIGKILL'], 'it ended by our signal');
    }
    const opened = await storeIn(storage, { epoch: 50 }).open('s1');
    const { tail, seq, checkpoint } = await contentOf(opened);
    assert.equal(checkpoint?.seq, tail[0] === undefined ? seq : tail[0].seq - 1);
    const all = await opened.store.pageEvents(1, 1_000_000);
    assert.deepEqual(
      all.map((row) => row.seq),
      Array.from({ length: seq }, (_, n) => n + 1),
    );
    const durable = new Set(all.map(({ json }) => json));
    for (const record of acked) {
      assert.ok(durable.has(record), `lost: ${record.slice(0, 60)}`);
      const { name, n, body } = JSON.parse(record) as { name: number; n: number; body: Text };
      assert.equal(await opened.store.read(body), `${name}/${n} `.repeat(200));
    }
    // Both records of a call or none.
    for (let n = 0; n < all.length; n += 2) assert.equal(all[n]?.json, all[n + 1]?.json);
    assert.ok(basename(storage) === 'storage' && acked.length > 600, `${acked.length} acknowledged`);
  }).timeout(60_000);
});
