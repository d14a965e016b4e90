import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { systemClock } from '../../src/base/clock';
import { Lease, type LeaseOptions } from '../../src/store/lease';
import { takeEpoch } from '../../src/store/leaseFiles';
import type { LeaseState } from '../../src/store/port';
import { bundleFor } from '../support/bundle';
import { contentOf, listeningLog, numbered, storeIn, temporaryFolders } from '../support/storeFixture';

const folder = temporaryFolders();
const WORKSPACE = 'ab'.repeat(32);

/** Another window, in a process of its own. */
class Window {
  readonly child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #reader: Interface;

  constructor(script: string, globalFolder: string) {
    const child = spawn(process.execPath, [script, globalFolder, WORKSPACE], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.child = child;
    this.#reader = createInterface({ input: child.stdout });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  tell(word: string): void {
    this.child.stdin?.write(`${word}\n`);
  }

  async says<T>(word: string): Promise<T> {
    for (;;) {
      const next = await this.#lines.next();
      assert.equal(next.done, false, `the window ended before it said ${word}`);
      const [said, value] = JSON.parse(next.value ?? '[]') as [string, T];
      // That it lost the lease may be said at any time.
      if (said === 'lost' && word !== 'lost') continue;
      assert.equal(said, word);
      return value;
    }
  }

  async does(word: string): Promise<LeaseState> {
    this.tell(word);
    return this.says<LeaseState>('state');
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.child.once('close', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }
}

describe('store faults: the lease', function () {
  this.timeout(30_000);
  let bundled = '';
  let script = '';
  const windows: Window[] = [];
  const leases: Lease[] = [];

  before(() => {
    bundled = mkdtempSync(join(tmpdir(), 'teamroom-lease-'));
    script = bundleFor('test/support/leaseChild.ts', bundled);
  });

  after(() => rmSync(bundled, { recursive: true, force: true }));

  afterEach(async () => {
    for (const lease of leases.splice(0)) await lease.release();
    for (const window of windows.splice(0)) await window.kill();
  });

  async function started(globalFolder: string): Promise<Window> {
    const window = new Window(script, globalFolder);
    windows.push(window);
    await window.says('ready');
    return window;
  }

  async function acquire(globalFolder: string, options: Partial<LeaseOptions> = {}): Promise<Lease> {
    const lease = await Lease.acquire({
      globalFolder,
      workspace: WORKSPACE,
      pid: process.pid,
      host: 'here',
      runtimeFolder: null,
      clock: systemClock,
      log: listeningLog(),
      probe: async () => true,
      onLost: async () => undefined,
      ...options,
    });
    leases.push(lease);
    return lease;
  }

  const leaseFolder = (globalFolder: string) => join(globalFolder, 'leases', WORKSPACE);

  it('F5 a second window reads only, and is told who writes', async () => {
    const global = folder();
    const first = await started(global);
    assert.deepEqual(await first.does('acquire'), { type: 'held', epoch: 1 });
    const second = await acquire(global);
    assert.deepEqual(second.state, {
      type: 'elsewhere',
      holder: { pid: first.child.pid, host: 'here', epoch: 1 },
    });
    assert.equal(await second.isCurrent(), false);
  });

  it('F5 a lease that was given back is taken without asking, with the next epoch', async () => {
    const global = folder();
    const first = await started(global);
    await first.does('acquire');
    await first.does('release');
    assert.deepEqual((await acquire(global)).state, { type: 'held', epoch: 2 });
  });

  it('F5 a killed window is followed at once, whoever has its pid now; what it left behind is cleaned up', async () => {
    const global = folder();
    const first = await started(global);
    await first.does('acquire');
    const record = JSON.parse(readFileSync(join(leaseFolder(global), '1.json'), 'utf8')) as {
      socket: string;
    };
    await first.kill();
    // The pid is in use again: by this process.
    writeFileSync(join(leaseFolder(global), '1.json'), JSON.stringify({ ...record, pid: process.pid }));
    assert.ok(existsSync(record.socket));
    assert.deepEqual((await acquire(global)).state, { type: 'held', epoch: 2 });
    assert.equal(existsSync(dirname(record.socket)), false);
    assert.deepEqual(readdirSync(leaseFolder(global)), ['2.json']);
  });

  it('F5 a window that no longer answers yields, and has closed its store by then', async () => {
    const global = folder();
    const first = await started(global);
    await first.does('acquire');
    first.tell('dead');
    await first.says('dead');
    const second = await acquire(global);
    assert.deepEqual(second.state, { type: 'held', epoch: 2 });
    await first.says('lost');
  });

  it('F5 Take Over Here: the holder closes its journal first; its records are all there', async () => {
    const global = folder();
    const storage = folder();
    const order: string[] = [];
    const first: Lease = await acquire(global, {
      onLost: async () => {
        await store.dispose();
        order.push('closed');
      },
    });
    const store = storeIn(storage, { epoch: first.epoch, isCurrent: () => first.isCurrent() });
    const session = await store.create('s1');
    await session.append(['1']);
    const second = await acquire(global);
    assert.equal(second.state.type, 'elsewhere');
    const inFlight = session.append(['2']);
    assert.deepEqual(await second.takeOver(), { type: 'held', epoch: 2 });
    order.push('taken');
    await inFlight;
    assert.deepEqual(order, ['closed', 'taken']);
    assert.deepEqual(first.state, {
      type: 'elsewhere',
      holder: { pid: process.pid, host: 'here', epoch: 2 },
    });
    assert.deepEqual([await first.isCurrent(), await second.isCurrent()], [false, true]);
    await assert.rejects(session.append(['3']), { code: 'closed' });
    const { tail } = await contentOf(await storeIn(storage, { epoch: 2 }).open('s1'));
    assert.deepEqual(tail, numbered(1, ['1', '2']));
    // And back again.
    assert.deepEqual(await first.takeOver(), { type: 'held', epoch: 3 });
    assert.equal(await second.isCurrent(), false);
  });

  it('F5 Take Over Here passes over a holder that does not answer; when it wakes it finds itself fenced', async () => {
    const global = folder();
    const first = await started(global);
    await first.does('acquire');
    first.child.kill('SIGSTOP');
    const second = await acquire(global);
    assert.equal(second.state.type, 'elsewhere', 'it may be asleep: only the person can tell');
    assert.deepEqual(await second.takeOver(), { type: 'held', epoch: 2 });
    first.child.kill('SIGCONT');
    first.tell('look');
    assert.equal(await first.says('current'), false);
    assert.equal(await second.isCurrent(), true);
    assert.deepEqual(await first.does('take_over'), { type: 'held', epoch: 3 }, 'it can take it back');
    assert.equal(await second.isCurrent(), false);
  });

  it('F5 a holder whose lease was passed over learns it when it looks, and its store is closed', async () => {
    const global = folder();
    let lost = 0;
    const first = await acquire(global, {
      onLost: async () => {
        lost += 1;
      },
    });
    assert.equal(await first.isCurrent(), true);
    await takeEpoch(leaseFolder(global), { pid: 7, host: 'there', epoch: 2, socket: '/nowhere' });
    assert.deepEqual([await first.isCurrent(), await first.isCurrent(), lost], [false, false, 1]);
    assert.deepEqual(first.state, { type: 'elsewhere', holder: { pid: 7, host: 'there', epoch: 2 } });
  });

  it('F5 Take Over Here in a window that does not know yet that it lost the lease', async () => {
    const global = folder();
    const first = await acquire(global);
    await takeEpoch(leaseFolder(global), { pid: 7, host: 'there', epoch: 2, socket: '/nowhere' });
    assert.deepEqual(await first.takeOver(), { type: 'held', epoch: 3 });
    assert.deepEqual(await first.takeOver(), { type: 'held', epoch: 3 }, 'it has it: nothing to take');
  });

  it('of many windows at once exactly one gets the lease, also after a killed one', async () => {
    const global = folder();
    for (let round = 1; round <= 3; round++) {
      const racing = await Promise.all([1, 2, 3, 4].map(() => started(global)));
      const states = await Promise.all(racing.map((window) => window.does('acquire')));
      const held = racing.filter((_, index) => states[index]?.type === 'held');
      assert.equal(held.length, 1, JSON.stringify(states));
      const epochs = states.map((state) => (state.type === 'held' ? state.epoch : state.holder.epoch));
      assert.deepEqual([...new Set(epochs)], [round], 'the others know who it is');
      for (const window of racing) await window.kill();
    }
  });

  it('two windows in one process that race for a dead lease: one wins', async () => {
    const global = folder();
    await takeEpoch(leaseFolder(global), { pid: 1, host: 'here', epoch: 5, socket: '/nowhere/s' });
    const both = await Promise.all(Array.from({ length: 6 }, () => acquire(global)));
    assert.equal(both.filter(({ state }) => state.type === 'held').length, 1);
    assert.deepEqual(
      both.map(({ state }) => (state.type === 'held' ? state.epoch : state.holder.epoch)),
      both.map(() => 6),
    );
  });

  it('a number that was passed long ago is not granted again', async () => {
    const record = { pid: 1, host: 'here', socket: null };
    const leases = leaseFolder(folder());
    for (const epoch of [1, 2, 3]) assert.equal(await takeEpoch(leases, { ...record, epoch }), true);
    assert.equal(await takeEpoch(leases, { ...record, epoch: 2 }), false);
    assert.equal(await takeEpoch(leases, { ...record, epoch: 3 }), false);
    assert.deepEqual(readdirSync(leases), ['3.json']);
  });

  it('a holder on another machine is never taken for dead, but can be taken over', async () => {
    const global = folder();
    await takeEpoch(leaseFolder(global), { pid: 1, host: 'there', epoch: 1, socket: '/nowhere/s' });
    const lease = await acquire(global);
    assert.deepEqual(lease.state, { type: 'elsewhere', holder: { pid: 1, host: 'there', epoch: 1 } });
    assert.deepEqual(await lease.takeOver(), { type: 'held', epoch: 2 });
  });

  it('a socket that someone else listens on by now is not taken for the holder', async () => {
    const global = folder();
    const other = await acquire(folder());
    assert.equal(other.state.type, 'held');
    const path = join(folder(), 's');
    const server = createServer((socket) => socket.end('what?\n')).listen(path);
    await takeEpoch(leaseFolder(global), { pid: 1, host: 'here', epoch: 1, socket: path });
    assert.deepEqual((await acquire(global)).state, { type: 'held', epoch: 2 });
    server.close();
  });

  for (const content of ['', '{', '{"pid":"x"}'])
    it(`a lease file that says ${content === '' ? 'nothing' : content} is followed`, async () => {
      const global = folder();
      mkdirSync(leaseFolder(global), { recursive: true });
      writeFileSync(join(leaseFolder(global), '4.json'), content);
      assert.deepEqual((await acquire(global)).state, { type: 'held', epoch: 5 });
    });

  it('the socket has a short name however long the runtime folder is, or when it is missing', async () => {
    const long = join(folder(), 'x'.repeat(120));
    mkdirSync(long);
    for (const runtimeFolder of [long, '/missing', null, folder()]) {
      const global = folder();
      await acquire(global, { runtimeFolder });
      const { socket } = JSON.parse(readFileSync(join(leaseFolder(global), '1.json'), 'utf8')) as {
        socket: string;
      };
      assert.ok(Buffer.byteLength(socket) < 104, socket);
      assert.ok(
        socket.startsWith(
          runtimeFolder?.includes('teamroom') && runtimeFolder !== long ? runtimeFolder : tmpdir(),
        ),
      );
    }
  });
});
