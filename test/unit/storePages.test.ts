import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { append, at, emptyTable, replaceAt, type Table, values } from '../../src/base/table';
import { nodeFiles } from '../../src/store/files';
import { lazyPage } from '../../src/store/lazyPage';
import type { OpenedSession } from '../../src/store/port';
import { loadState, StatePages } from '../../src/store/statePages';
import { fault, faultyFiles, storeIn, temporaryFolders } from '../support/storeFixture';

const folder = temporaryFolders();

interface Item {
  readonly n: number;
  readonly text: string;
}

interface State {
  readonly seq: number;
  readonly items: Table<Item>;
  readonly session: { readonly title: string } | null;
  readonly others: Table<string>;
}

const empty: State = { seq: 0, items: emptyTable(), session: null, others: emptyTable() };
const item = (n: number): Item => ({ n, text: 'x'.repeat(90) });

function grown(state: State, count: number): State {
  let { items, others } = state;
  for (let n = 0; n < count; n++) {
    items = append(items, item(items.size));
    if (n % 10 === 0) others = append(others, `other ${others.size}`);
  }
  return { seq: state.seq + count, items, session: { title: 'One' }, others };
}

const pagesIn = (session: string) => readdirSync(join(session, 'pages')).sort();

describe('store: pages of the state', () => {
  it('a state is found again as it was, the order of its keys too', async () => {
    const session = folder();
    const state = grown(empty, 1000);
    const { body } = await new StatePages(nodeFiles, session, null).write(state, '000000001000-1');
    const loaded = await loadState(nodeFiles, session, body);
    assert.deepEqual(loaded?.state, state);
    assert.equal(JSON.stringify(loaded?.state), JSON.stringify(state));
  });

  it('any JSON is a state, with tables or without', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.array(fc.jsonValue(), { maxLength: 300 }), async (rest, items) => {
        const session = folder();
        const table = items.reduce<Table<unknown>>(append, emptyTable());
        for (const state of [rest, { a: rest, table, empty: emptyTable(), z: null }]) {
          const { body } = await new StatePages(nodeFiles, session, null).write(state, '000000000001-1');
          const loaded = await loadState(nodeFiles, session, body);
          assert.equal(JSON.stringify(loaded?.state), JSON.stringify(state));
        }
        rmSync(session, { recursive: true });
      }),
      { numRuns: 30 },
    );
  });

  it('only pages that are new are written, also after opening', async () => {
    const session = folder();
    const pages = new StatePages(nodeFiles, session, null);
    const first = grown(empty, 10_000);
    const whole = await pages.write(first, '000000010000-1');
    await pages.keep(whole);
    const second = { ...grown(first, 100), items: replaceAt(grown(first, 100).items, 5000, item(7)) };
    const step = await pages.write(second, '000000010100-1');
    await pages.keep(step);
    assert.ok(step.bytes - step.body.length < 4 * 128 * 120, `${step.bytes} bytes after ${whole.bytes}`);
    const loaded = await loadState(nodeFiles, session, step.body);
    assert.deepEqual(loaded?.state, second);
    const reopened = new StatePages(nodeFiles, session, loaded);
    const third = grown(loaded?.state as State, 100);
    const next = await reopened.write(third, '000000010200-2');
    assert.ok(next.bytes - next.body.length < 4 * 128 * 120, `${next.bytes} bytes`);
    assert.deepEqual((await loadState(nodeFiles, session, next.body))?.state, third);
  });

  it('files that neither generation refers to are removed, and superseded pages never outgrow the rest', async () => {
    const session = folder();
    const pages = new StatePages(nodeFiles, session, null);
    let state = grown(empty, 20_000);
    const live = JSON.stringify(state).length;
    let written: { body: Buffer } | null = null;
    for (let n = 1; n <= 60; n++) {
      // Every fortieth page changes.
      for (let i = (n % 40) * 128; i < state.items.size; i += 40 * 128)
        state = { ...state, items: replaceAt(state.items, i, item(n)) };
      state = grown(state, 200);
      const step = await pages.write(state, `${String(n).padStart(12, '0')}-1`);
      await pages.keep(step);
      written = step;
      const total = pagesIn(session).reduce(
        (sum, name) => sum + statSync(join(session, 'pages', name)).size,
        0,
      );
      // Two generations, each with at most as much again that is no longer used, or 4 MB.
      assert.ok(total < 2 * JSON.stringify(state).length + 9_000_000, `${total} bytes for ${live}`);
    }
    assert.deepEqual((await loadState(nodeFiles, session, written?.body ?? Buffer.alloc(0)))?.state, state);
  }).timeout(20_000);

  it('a page is parsed when something looks into it, and then is an ordinary list', () => {
    const broken = lazyPage(Buffer.from('not JSON'));
    assert.ok(Array.isArray(broken));
    assert.throws(() => broken.length, SyntaxError);
    const list = [{ a: 1 }, 'b', [null]];
    const page = () => lazyPage(Buffer.from(JSON.stringify(list)));
    assert.deepEqual(page(), list);
    assert.deepEqual([...page(), 'c'], [...list, 'c']);
    assert.deepEqual(page().slice(1), list.slice(1));
    assert.deepEqual(page().concat(['d']), [...list, 'd']);
    assert.equal(JSON.stringify({ page: page() }), JSON.stringify({ page: list }));
    assert.deepEqual(page().map(String), list.map(String));
    assert.deepEqual(Object.keys(page()), ['0', '1', '2']);
    assert.ok(1 in page() && !(3 in page()));
    assert.deepEqual(Object.freeze(page()), list);
    const same = page();
    assert.equal(same[0], same[0], 'parsed once');
  });

  it('a table goes on from pages that were read', () => {
    const items = Array.from({ length: 300 }, (_, n) => n);
    const read = (part: number[]) => lazyPage(Buffer.from(JSON.stringify(part))) as readonly number[];
    const table: Table<number> = {
      size: 300,
      pages: [read(items.slice(0, 128)), read(items.slice(128, 256)), read(items.slice(256))],
    };
    assert.equal(at(table, 130), 130);
    const changed = append(replaceAt(table, 200, -1), 300);
    assert.deepEqual([...values(changed)], [...items.map((n) => (n === 200 ? -1 : n)), 300]);
    assert.equal(changed.pages[0], table.pages[0], 'an untouched page is the same');
    assert.deepEqual([...values(table)], items);
  });
});

describe('store faults: pages of the state', () => {
  const stateOf = (opened: OpenedSession) => opened.checkpoint?.state as State | undefined;

  /** Checkpoints at 500 and 600 of 600 records. */
  async function written() {
    const storage = folder();
    const store = storeIn(storage);
    const session = await store.create('s1');
    let state = empty;
    session.setCheckpointSource(() => ({ seq: state.seq, state }));
    for (const count of [500, 100]) {
      await session.append(Array.from({ length: count }, () => '1'));
      state = grown(state, count);
      await session.checkpoint();
    }
    await store.dispose();
    return { storage, session: join(storage, 'sessions', 's1'), first: grown(empty, 500), second: state };
  }

  it('F4 a page that is damaged or missing makes its checkpoint unusable; the one before is used', async () => {
    for (const damage of ['flip', 'cut', 'remove'] as const) {
      const { storage, session, first, second } = await written();
      assert.deepEqual(stateOf(await storeIn(storage, { epoch: 2 }).open('s1')), second);
      const path = join(session, 'pages', pagesIn(session)[1] ?? '');
      const bytes = readFileSync(path);
      if (damage === 'remove') rmSync(path);
      else if (damage === 'cut') writeFileSync(path, bytes.subarray(0, -1));
      else {
        bytes[100] = (bytes[100] ?? 0) ^ 1;
        writeFileSync(path, bytes);
      }
      const opened = await storeIn(storage, { epoch: 3 }).open('s1');
      assert.deepEqual(stateOf(opened), first);
      assert.deepEqual(
        opened.notices.map((notice) => notice.type === 'checkpoint_unusable' && notice.reason),
        [`a page of it is ${damage === 'remove' ? 'missing' : 'damaged'}`],
      );
    }
  });

  it('F4 a page that both share is damaged: the whole journal is replayed', async () => {
    const { storage, session } = await written();
    rmSync(join(session, 'pages'), { recursive: true });
    const opened = await storeIn(storage, { epoch: 2 }).open('s1');
    assert.equal(opened.checkpoint, null);
    assert.equal(opened.notices.length, 2);
    const seqs: number[] = [];
    for await (const { seq } of opened.tail) seqs.push(seq);
    assert.equal(seqs.length, 600);
  });

  it('F3 a checkpoint that fails leaves both generations whole, and so does the next that succeeds', async () => {
    for (const place of ['/pages/', '/state-'] as const) {
      const { storage, session, second } = await written();
      let fails = true;
      const files = faultyFiles({
        datasync: (path) => (fails && path.includes(place) ? fault('EIO') : undefined),
      });
      const store = storeIn(storage, { epoch: 2, files });
      const opened = await store.open('s1');
      let state = grown(stateOf(opened) ?? empty, 200);
      opened.store.setCheckpointSource(() => ({ seq: state.seq, state }));
      await opened.store.append(Array.from({ length: 200 }, () => '1'));
      await opened.store.checkpoint();
      const readOnly = storeIn(storage, { epoch: null });
      assert.deepEqual(stateOf(await readOnly.open('s1')), second);
      fails = false;
      state = grown(state, 1);
      await opened.store.append(['1']);
      await opened.store.checkpoint();
      assert.deepEqual(stateOf(await readOnly.open('s1')), state);
      // The one before is still whole.
      const [newest = ''] = readdirSync(session).filter(
        (name) => name.startsWith('state-') && name.endsWith('-2'),
      );
      rmSync(join(session, newest));
      assert.deepEqual(stateOf(await readOnly.open('s1')), second);
    }
  });
});
