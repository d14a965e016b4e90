/**
 * Measures the folder store: B6 (raw group commit), B7, B8, B9 of the speed targets.
 *
 *     npx esbuild test/bench/store.ts --bundle --platform=node --outfile=out/bench-store.cjs && node out/bench-store.cjs
 */
import { mkdtempSync, rmSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../../src/base/clock';
import { append, emptyTable } from '../../src/base/table';
import { type FilePort, nodeFiles } from '../../src/store/files';
import type { HistoryFactory } from '../../src/store/historyPort';
import { folderWorkspaceStore } from '../../src/store/workspaceStore';

const quiet = { debug: () => undefined, info: () => undefined, warn: console.warn, error: console.error };
const RECORD = (n: number) => JSON.stringify({ at: n, type: 'run.started', text: 'x'.repeat(950) });
const EVENT = (n: number) => JSON.stringify({ at: n, type: 'run.started', text: 'x'.repeat(580) });

/** No database: what is measured is the path without the worker, which never runs during a load. */
const noHistory: HistoryFactory = () => ({
  pageEvents: async () => [],
  searchMessages: async () => [],
  save: async (_, seq) => ({ seq, bytes: 0 }),
  close: async () => undefined,
});

const storeIn = (storage: string, epoch: number, files: FilePort = nodeFiles) =>
  folderWorkspaceStore({
    storage,
    clock: systemClock,
    log: quiet,
    history: noHistory,
    files,
    right: { epoch, isCurrent: async () => true },
  });

const at = (sorted: readonly number[], part: number) =>
  sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
const ms = (value: number) => `${value.toFixed(2)} ms`;

async function timed(count: number, job: (n: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const start = performance.now();
    await job(n);
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b);
}

async function inFolder<T>(job: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'teamroom-bench-'));
  try {
    return await job(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One durable append, one agent, beside a bare write and fdatasync of the same size. */
const single = () =>
  inFolder(async (folder) => {
    const handle = await fs.open(join(folder, 'raw'), 'a');
    const bytes = Buffer.from(`${RECORD(1)}\n`);
    const store = storeIn(folder, 1);
    const session = await store.create('s1');
    for (const round of ['warm', 'measured']) {
      const raw = await timed(1500, async () => {
        await handle.write(bytes);
        await handle.datasync();
      });
      const ours = await timed(1500, (n) => session.append([RECORD(n)]));
      const withBody = await timed(500, (n) => {
        session.keep(`${round} ${n} `.repeat(500));
        return session.append([RECORD(n)]);
      });
      if (round === 'warm') continue;
      console.log(`B7 bare write + fdatasync   p50 ${ms(at(raw, 0.5))}  p99 ${ms(at(raw, 0.99))}`);
      console.log(`B7 append, 1 KB             p50 ${ms(at(ours, 0.5))}  p99 ${ms(at(ours, 0.99))}`);
      console.log(`B7 append with a 6 KB body  p50 ${ms(at(withBody, 0.5))}  p99 ${ms(at(withBody, 0.99))}`);
    }
    await handle.close();
    await store.dispose();
  });

/** 32 producers that each wait for their own record, beside the same over bare writes. */
const grouped = () =>
  inFolder(async (folder) => {
    const handle = await fs.open(join(folder, 'raw'), 'a');
    const store = storeIn(folder, 1);
    const session = await store.create('s1');
    let waiting: { bytes: Buffer; done: () => void }[] = [];
    let running = false;
    const run = async () => {
      running = true;
      await Promise.resolve();
      while (waiting.length > 0) {
        const batch = waiting;
        waiting = [];
        await handle.write(Buffer.concat(batch.map(({ bytes }) => bytes)));
        await handle.datasync();
        for (const { done } of batch) done();
      }
      running = false;
    };
    const bare = (n: number) =>
      new Promise<void>((done) => {
        waiting.push({ bytes: Buffer.from(`${RECORD(n)}\n`), done });
        if (!running) void run();
      });
    const rate = async (append: (n: number) => Promise<unknown>): Promise<number> => {
      const start = performance.now();
      const producers = Array.from({ length: 32 }, () => timed(1000, append));
      await Promise.all(producers);
      return 32_000 / ((performance.now() - start) / 1000);
    };
    const rates: [number, number][] = [];
    for (let round = 0; round < 5; round++)
      rates.push([await rate(bare), await rate((n) => session.append([RECORD(n)]))]);
    const median = (of: 0 | 1) =>
      at(
        rates.map((pair) => pair[of]).sort((a, b) => a - b),
        0.5,
      );
    console.log(`B6 bare group commit, 32    ${median(0).toFixed(0)} records/s`);
    console.log(
      `B6 append, 32               ${median(1).toFixed(0)} records/s (${(median(1) / median(0)).toFixed(2)})`,
    );
    await handle.close();
    await store.dispose();
  });

/** Opening after so many events: the checkpoint and the tail, parsed. */
const opening = (count: number) =>
  inFolder(async (folder) => {
    let written = 0;
    const files: FilePort = {
      ...nodeFiles,
      async create(path) {
        const file = await nodeFiles.create(path);
        const write = (bytes: Uint8Array, position: number) => {
          written += bytes.length;
          return file.write(bytes, position);
        };
        return { ...file, write };
      },
    };
    const store = storeIn(folder, 1, files);
    const session = await store.create('s1');
    // A state nearly as large as the journal, as the real one is.
    let items = emptyTable<string>();
    session.setCheckpointSource(() => ({ seq: items.size, state: { items } }));
    const times: number[] = [];
    for (let n = 0; n < count; n += 10) {
      const records = Array.from({ length: 10 }, (_, i) => EVENT(n + i));
      items = records.reduce(append, items);
      const start = performance.now();
      await session.append(records);
      times.push(performance.now() - start);
    }
    // Not closed: as a killed process leaves it.
    const opens: number[] = [];
    let tailLength = 0;
    for (let epoch = 2; epoch < 7; epoch++) {
      const start = performance.now();
      const opened = await storeIn(folder, epoch).open('s1');
      tailLength = 0;
      for await (const { json } of opened.tail) {
        JSON.parse(json);
        tailLength += 1;
      }
      opens.push(performance.now() - start);
      await opened.store.close();
    }
    await store.dispose();
    const last = times.slice(-100).sort((a, b) => a - b);
    console.log(
      `B8 B9 ${String(count).padStart(6)} events: open ${ms(
        at(
          opens.sort((a, b) => a - b),
          0.5,
        ),
      )} (tail ${tailLength}); ` +
        `commit p50 ${ms(at(last, 0.5))}; ${(written / count).toFixed(0)} bytes written per event`,
    );
  });

async function main(): Promise<void> {
  await single();
  await grouped();
  for (const count of [1_000, 10_000, 100_000]) await opening(count);
}

void main();
