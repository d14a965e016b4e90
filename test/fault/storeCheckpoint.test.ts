import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { append, emptyTable } from '../../src/base/table';
import { nodeFiles } from '../../src/store/files';
import { writeSealed } from '../../src/store/sealedFile';
import {
  contentOf,
  type FileFaults,
  fault,
  faultyFiles,
  heldClock,
  listeningLog,
  numbered,
  storeIn,
  temporaryFolders,
} from '../support/storeFixture';

const folder = temporaryFolders();
const sessionIn = (storage: string) => join(storage, 'sessions', 's1');
/** The journal has noticed that nothing more waits. */
const settled = () => new Promise(setImmediate);

const statesIn = (storage: string) =>
  readdirSync(sessionIn(storage)).filter((name) => /^state-[0-9]+-[0-9]+$/.test(name));

/** Six records; checkpoints at 2 and 4. */
async function written(): Promise<string> {
  const storage = folder();
  const store = storeIn(storage);
  const session = await store.create('s1');
  session.setCheckpointSource(() => ({ seq: session.seq, state: `{"at":${session.seq}}` }));
  for (const n of [1, 2, 3, 4, 5, 6]) {
    await session.append([String(n)]);
    if (n === 2 || n === 4) await session.checkpoint();
  }
  await store.dispose();
  return storage;
}

async function read(storage: string, epoch = 2) {
  const opened = await storeIn(storage, { epoch }).open('s1');
  const content = await contentOf(opened);
  await opened.store.close();
  return content;
}

const damages: [string, (bytes: Buffer) => Buffer][] = [
  ['zero-length', () => Buffer.alloc(0)],
  ['cut in its body', (bytes) => bytes.subarray(0, bytes.length - 1)],
  ['cut in its first line', (bytes) => bytes.subarray(0, 30)],
  ['zeros', (bytes) => Buffer.alloc(bytes.length)],
  ['longer than it was', (bytes) => Buffer.concat([bytes, Buffer.from('x')])],
  ['something else', () => Buffer.from('{"seq":3,"state":"{}"}\n')],
];

describe('store faults: checkpoints', () => {
  it('two generations are kept', async () => {
    const storage = await written();
    assert.deepEqual(statesIn(storage), ['state-000000000002-1', 'state-000000000004-1']);
    assert.deepEqual(await read(storage), {
      checkpoint: { seq: 4, state: '{"at":4}' },
      tail: numbered(5, ['5', '6']),
      notices: [],
      seq: 6,
    });
  });

  for (const [name, damage] of damages) {
    it(`F4 the newest is ${name}: the one before is used, the bad one is put aside and told`, async () => {
      const storage = await written();
      const path = join(sessionIn(storage), 'state-000000000004-1');
      const bad = damage(readFileSync(path));
      writeFileSync(path, bad);
      const { notices, ...content } = await read(storage);
      assert.deepEqual(content, {
        checkpoint: { seq: 2, state: '{"at":2}' },
        tail: numbered(3, ['3', '4', '5', '6']),
        seq: 6,
      });
      assert.deepEqual(
        notices.map((notice) => notice.type === 'checkpoint_unusable' && notice.putAside),
        [`${path}.damaged`],
      );
      assert.deepEqual(readFileSync(`${path}.damaged`), bad);
      assert.equal(existsSync(path), false);
      assert.deepEqual((await read(storage, 3)).notices, [], 'told once');
    });

    it(`F4 both are ${name}: the whole journal is replayed`, async () => {
      const storage = await written();
      for (const state of statesIn(storage)) {
        const path = join(sessionIn(storage), state);
        writeFileSync(path, damage(readFileSync(path)));
      }
      const { notices, ...content } = await read(storage);
      assert.deepEqual(content, {
        checkpoint: null,
        tail: numbered(1, ['1', '2', '3', '4', '5', '6']),
        seq: 6,
      });
      assert.equal(notices.length, 2);
    });
  }

  it('F4 a bit flipped anywhere in it is found', async () => {
    const storage = await written();
    const name = 'state-000000000004-1';
    const bytes = readFileSync(join(sessionIn(storage), name));
    for (let at = 0; at < bytes.length; at++) {
      const copy = folder();
      cpSync(storage, copy, { recursive: true });
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(join(sessionIn(copy), name), damaged);
      const { checkpoint, notices } = await read(copy);
      assert.deepEqual({ seq: checkpoint?.seq, told: notices.length }, { seq: 2, told: 1 }, `byte ${at}`);
    }
  }).timeout(30_000);

  it('F4 one of a newer version is refused, and nothing is touched', async () => {
    const storage = await written();
    const head = { kind: 'state' as const, schema: 2, seq: 6, position: null };
    await writeSealed(nodeFiles, sessionIn(storage), 1, head, Buffer.from('from the future'));
    const before = readdirSync(sessionIn(storage));
    await assert.rejects(storeIn(storage, { epoch: 2 }).open('s1'), { code: 'newer_schema' });
    assert.deepEqual(readdirSync(sessionIn(storage)), before);
  });

  it('F4 one of an older version is passed over without a word: the journal gives the state', async () => {
    const storage = await written();
    const opened = await storeIn(storage, { epoch: 2, schema: 2 }).open('s1');
    const { checkpoint, tail, notices } = await contentOf(opened);
    assert.deepEqual(
      { checkpoint, notices, tail },
      { checkpoint: null, notices: [], tail: numbered(1, ['1', '2', '3', '4', '5', '6']) },
    );
  });

  it('one that the journal does not reach is not used', async () => {
    const storage = await written();
    const [journal] = readdirSync(sessionIn(storage)).filter((name) => name.endsWith('.log'));
    const path = join(sessionIn(storage), journal ?? '');
    // The file as it was after the third record.
    truncateSync(path, readFileSync(path).indexOf('\n4\n') - 10);
    const { checkpoint, tail, notices } = await read(storage);
    assert.equal(checkpoint?.seq, 2);
    assert.deepEqual(tail, numbered(3, ['3']));
    assert.deepEqual(
      notices.map(({ type }) => type),
      ['checkpoint_unusable', 'torn_tail'],
    );
  });

  const steps: [string, FileFaults][] = [
    ['create', { create: (path) => (path.endsWith('.tmp') ? fault('EACCES') : undefined) }],
    ['write', { write: (path) => (path.endsWith('.tmp') ? fault('ENOSPC') : undefined) }],
    ['datasync', { datasync: (path) => (path.endsWith('.tmp') ? fault('EIO') : undefined) }],
    ['rename', { rename: () => fault('EIO') }],
  ];
  for (const [step, faults] of steps)
    it(`F3 writing one fails (${step}): it is logged, the earlier ones stay, appending goes on`, async () => {
      const storage = await written();
      const log = listeningLog();
      const store = storeIn(storage, { files: faultyFiles(faults), log, epoch: 2 });
      const { store: session } = await store.open('s1');
      session.setCheckpointSource(() => ({ seq: session.seq, state: 'new' }));
      await session.checkpoint();
      assert.deepEqual(log.lines, ['error the checkpoint could not be written']);
      await session.append(['7']);
      await store.dispose();
      const { checkpoint, tail, notices } = await read(storage, 3);
      assert.deepEqual(
        { checkpoint, tail, notices },
        { checkpoint: { seq: 4, state: '{"at":4}' }, tail: numbered(5, ['5', '6', '7']), notices: [] },
      );
    });

  it('one is written by itself when 1,000 records have come and it is quiet, and not before', async () => {
    const storage = folder();
    const clock = heldClock();
    const store = storeIn(storage, { clock });
    const session = await store.create('s1');
    session.setCheckpointSource(() => ({ seq: session.seq, state: `${session.seq}` }));
    for (let n = 0; n < 999; n += 9) await session.append(Array.from({ length: 9 }, () => '1'));
    clock.pass(10_000);
    await settled();
    assert.deepEqual(statesIn(storage), []);
    await session.append(['1']);
    await settled();
    clock.pass(10_000);
    await store.dispose();
    assert.deepEqual(statesIn(storage), ['state-000000001000-1']);
  });

  it('one is written without a pause when much more has come', async () => {
    const storage = folder();
    const clock = heldClock();
    const store = storeIn(storage, { clock });
    const session = await store.create('s1');
    session.setCheckpointSource(() => ({ seq: session.seq, state: `${session.seq}` }));
    for (let n = 0; n < 10; n++) await session.append(Array.from({ length: 1000 }, () => '1'));
    await store.dispose();
    assert.ok(statesIn(storage).length > 0, 'a checkpoint under load');
  });

  it('B9 what checkpoints write grows with the journal, not with its square', async () => {
    const sizes: number[] = [];
    for (const count of [10_000, 80_000]) {
      const storage = folder();
      let bytes = 0;
      const clock = heldClock();
      const files = faultyFiles({
        write: (_, length) => {
          bytes += length;
          return undefined;
        },
      });
      const store = storeIn(storage, { clock, files });
      const session = await store.create('s1');
      const record = JSON.stringify({ type: 'x', text: 'y'.repeat(300) });
      // A state that grows with the history, nearly as large as it.
      let items = emptyTable<string>();
      session.setCheckpointSource(() => ({ seq: items.size, state: { items } }));
      for (let n = 0; n < count; n += 100) {
        for (let i = 0; i < 100; i++) items = append(items, record);
        await session.append(Array.from({ length: 100 }, () => record));
        await settled();
        clock.pass(300);
      }
      await store.dispose();
      sizes.push(bytes / count);
      rmSync(storage, { recursive: true });
    }
    const [small = 0, large = 0] = sizes;
    assert.ok(large < small * 1.2, `${small.toFixed(0)} and ${large.toFixed(0)} bytes per event`);
  }).timeout(60_000);

  it('no checkpoint is written by a window that lost its lease', async () => {
    const storage = folder();
    let isCurrent = true;
    const log = listeningLog();
    const session = await storeIn(storage, { isCurrent: async () => isCurrent, log }).create('s1');
    session.setCheckpointSource(() => ({ seq: session.seq, state: 'x' }));
    await session.append(['1']);
    isCurrent = false;
    await session.checkpoint();
    assert.deepEqual(statesIn(storage), []);
    assert.deepEqual(log.lines, ['warn no checkpoint: another window took this workspace over']);
  });

  it('F12 a clock that is set back changes neither order nor checkpoints', async () => {
    const storage = folder();
    const clock = heldClock();
    const store = storeIn(storage, { clock });
    const session = await store.create('s1');
    session.setCheckpointSource(() => ({ seq: session.seq, state: 'x' }));
    const records = Array.from({ length: 1200 }, (_, n) => String(n));
    for (const record of records.slice(0, 50)) {
      await session.append([record]);
      clock.pass(-60_000);
    }
    await session.append(records.slice(50));
    await settled();
    clock.pass(60_000_000);
    await store.dispose();
    assert.deepEqual(statesIn(storage), ['state-000000001200-1']);
    const all = await storeIn(storage, { epoch: 2 }).open('s1');
    assert.deepEqual(
      (await all.store.pageEvents(1, 5000)).map(({ json }) => json),
      records,
    );
  });
});
