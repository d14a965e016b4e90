import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { resolveHistoryFolder, workspaceKey } from '../../src/store/historyFolder';
import { chainOf, segmentName } from '../../src/store/segments';
import { contentOf, fault, faultyFiles, numbered, storeIn, temporaryFolders } from '../support/storeFixture';

const folder = temporaryFolders();
const listing = { id: 's1', title: 'One', createdAt: 1, changedAt: 2, style: 'room', open: false };
const created = JSON.stringify({
  at: 77,
  type: 'session.created',
  session: { id: 's1', title: 'From the journal', style: 'room', kind: 'team' },
});

/** A workspace with a described session (s1) and one that was only created and begun (s2). */
async function workspace(): Promise<string> {
  const storage = folder();
  const store = storeIn(storage);
  await store.create('s1');
  await store.describe(listing);
  const session = await store.create('s2');
  await session.append([created, '"more"']);
  await store.dispose();
  return storage;
}

const begun = {
  id: 's2',
  title: 'From the journal',
  createdAt: 77,
  changedAt: 77,
  style: 'room',
  open: true,
};

describe('store: the index of sessions', () => {
  it('a session that a crash kept out of the index is listed from its journal, and written into it', async () => {
    const storage = await workspace();
    assert.deepEqual(await storeIn(storage, { epoch: 2 }).list(), [listing, begun]);
    assert.deepEqual(JSON.parse(readFileSync(join(storage, 'index.json'), 'utf8')), {
      version: 1,
      sessions: [listing, begun],
    });
  });

  for (const content of [null, '', '{"version":1,"sessions":[{"id":"s1"}]}', '[]', '\0\0\0'])
    it(`is rebuilt from the folders when it is ${content === null ? 'missing' : JSON.stringify(content)}`, async () => {
      const storage = await workspace();
      if (content === null) rmSync(join(storage, 'index.json'));
      else writeFileSync(join(storage, 'index.json'), content);
      assert.deepEqual(await storeIn(storage, { epoch: 2 }).list(), [listing, begun]);
    });

  it('lists a session whose files say nothing about it: it is still there', async () => {
    const storage = await workspace();
    rmSync(join(storage, 'index.json'));
    writeFileSync(join(storage, 'sessions', 's1', 'session.json'), '{');
    const [first] = await storeIn(storage).list();
    assert.deepEqual(first, { id: 's1', title: '', createdAt: 0, changedAt: 0, style: '', open: true });
  });

  it('forgets a session whose folder is gone', async () => {
    const storage = await workspace();
    rmSync(join(storage, 'sessions', 's1'), { recursive: true });
    assert.deepEqual(await storeIn(storage).list(), [begun]);
  });

  it('is not written by a window that only reads', async () => {
    const storage = await workspace();
    rmSync(join(storage, 'index.json'));
    const store = storeIn(storage, { epoch: null });
    assert.deepEqual(await store.list(), [listing, begun]);
    assert.deepEqual(readdirSync(storage), ['sessions']);
    for (const refused of [store.create('s3'), store.describe(listing), store.remove('s1')])
      await assert.rejects(refused, { code: 'fenced' });
    assert.deepEqual(readdirSync(join(storage, 'sessions')), ['s1', 's2']);
  });

  it('a session that can not be deleted whole is never listed again', async () => {
    const storage = await workspace();
    const files = faultyFiles({});
    const store = storeIn(storage, {
      files: {
        ...files,
        remove: async (path) => {
          if (path.includes('.removed-') && existsSync(path)) throw fault('EBUSY');
          await files.remove(path);
        },
      },
    });
    await assert.rejects(store.remove('s1'), { code: 'io' });
    assert.deepEqual(await storeIn(storage).list(), [begun]);
    await storeIn(storage).remove('s2');
    assert.deepEqual(readdirSync(join(storage, 'sessions')), [], 'and what was left over goes with the next');
  });

  it('an id that could be a path is refused', async () => {
    const store = storeIn(folder());
    for (const id of ['', '.', '..', '../x', 'a/b', 'a\\b', '.hidden', 'x'.repeat(65)])
      await assert.rejects(store.create(id), { code: 'io' }, JSON.stringify(id));
  });

  it('temporary files of a crash are removed when the session is opened', async () => {
    const storage = await workspace();
    writeFileSync(join(storage, 'sessions', 's2', 'state-000000000002-1.tmp'), 'half');
    const { tail } = await contentOf(await storeIn(storage, { epoch: 2 }).open('s2'));
    assert.deepEqual(tail, numbered(1, [created, '"more"']));
    assert.equal(
      readdirSync(join(storage, 'sessions', 's2')).some((name) => name.endsWith('.tmp')),
      false,
    );
  });
});

describe('store: which segments count', () => {
  const chain = (...names: [number, number][]) =>
    chainOf([...names.map(([seq, epoch]) => segmentName(seq, epoch)), 'journal-x.log', 'session.json']).map(
      ({ firstSeq, epoch, lastSeq }) => [firstSeq, epoch, lastSeq],
    );

  it('in one epoch each ends where the next begins', () => {
    assert.deepEqual(chain([101, 1], [1, 1]), [
      [1, 1, 100],
      [101, 1, Number.POSITIVE_INFINITY],
    ]);
  });

  it('a higher epoch cuts off what a lower one wrote at the same place or later', () => {
    assert.deepEqual(chain([1, 1], [50, 1], [40, 2], [90, 1], [60, 3], [60, 2]), [
      [1, 1, 39],
      [40, 2, 59],
      [60, 3, Number.POSITIVE_INFINITY],
    ]);
  });
});

describe('store: the history follows the workspace', () => {
  const setting = () => {
    const root = folder();
    const resolveFor = (storage: string, key = 'k1') =>
      resolveHistoryFolder({
        storageDir: join(root, storage),
        globalDir: join(root, 'global'),
        workspaceKey: key,
      });
    return { root, resolveFor };
  };

  it('the storage folder used first is used again, whatever the editor hands out later', async () => {
    const { root, resolveFor } = setting();
    assert.equal(await resolveFor('ws'), join(root, 'ws'));
    assert.equal(await resolveFor('ws-1'), join(root, 'ws'));
    assert.equal(await resolveFor('ws-1', 'other'), join(root, 'ws-1'), 'each workspace has its own');
  });

  it('one that is gone is replaced by the current one, for good', async () => {
    const { root, resolveFor } = setting();
    await resolveFor('ws');
    rmSync(join(root, 'ws'), { recursive: true });
    assert.equal(await resolveFor('ws-1'), join(root, 'ws-1'));
    assert.equal(await resolveFor('ws-2'), join(root, 'ws-1'));
  });

  it('a damaged pointer is replaced', async () => {
    const { root, resolveFor } = setting();
    mkdirSync(join(root, 'global', 'history'), { recursive: true });
    writeFileSync(join(root, 'global', 'history', 'k1.json'), '{"version":1');
    assert.equal(await resolveFor('ws-1'), join(root, 'ws-1'));
    assert.equal(await resolveFor('ws-2'), join(root, 'ws-1'));
  });

  it('windows that open at once agree', async () => {
    const { resolveFor } = setting();
    const names = ['ws', 'ws-1', 'ws-2', 'ws-3'];
    const found = await Promise.all(names.map((name) => resolveFor(name)));
    assert.equal(new Set(found).size, 1);
  });

  it('a workspace is the same however its folder is reached', async () => {
    const root = folder();
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    const key = await workspaceKey(join(root, 'real'));
    assert.match(key, /^[0-9a-f]{64}$/);
    assert.equal(await workspaceKey(join(root, 'link')), key);
    assert.equal(await workspaceKey(join(root, 'real', '..', 'real', '.')), key);
    assert.notEqual(await workspaceKey(join(root, 'missing')), key);
  });
});
