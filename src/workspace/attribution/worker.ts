import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { SerialQueue } from '../../base/queue';
import { hashOf } from '../text';
import type { Content } from './contents';
import type { Call, WorkerWord } from './messages';
import { Tracker } from './tracker';

/** The worker's thread: looks are asked for by number and made one after another. */
const given = z
  .object({ folders: z.array(z.object({ name: z.string(), root: z.string() })) })
  .parse(workerData);
const bytes = z.instanceof(Uint8Array).nullable();
const callSchema: z.ZodType<Call> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begin'), n: z.number(), watch: z.number() }),
  z.object({ type: z.literal('end'), n: z.number(), watch: z.number() }),
  z.object({
    type: z.literal('writing'),
    id: z.number(),
    writes: z.array(
      z.object({ real: z.string(), before: bytes, beforeHash: z.string().nullable(), after: bytes }),
    ),
  }),
  z.object({ type: z.literal('settled'), id: z.number(), done: z.boolean() }),
  z.object({ type: z.literal('saved'), real: z.string(), at: z.number() }),
]);

/** How long copies are made before it is seen whether something was asked for. */
const COPY_SLICE_MS = 30;

const post = (word: WorkerWord): void => parentPort?.postMessage(word);
const tracker = new Tracker(given.folders, (text) => post({ type: 'problem', text }));
const queue = new SerialQueue();
let waiting = 0;

const contentOf = (value: Uint8Array | null): Content | null =>
  value === null ? null : { bytes: value, hash: hashOf(value) };

function take(call: Call): void {
  switch (call.type) {
    case 'begin':
    case 'end':
      void look(call);
      return;
    case 'writing':
      for (const { real, before, beforeHash, after } of call.writes) {
        const held = beforeHash === null ? null : { bytes: before, hash: beforeHash };
        tracker.known.writing(call.id, { real, before: held, after: contentOf(after) });
      }
      return;
    case 'settled':
      tracker.known.settled(call.id, call.done);
      return;
    case 'saved':
      tracker.known.saved(call.real, call.at);
      return;
  }
}

async function look(call: Extract<Call, { type: 'begin' | 'end' }>): Promise<void> {
  waiting++;
  try {
    const found = await queue.run(() =>
      call.type === 'begin' ? tracker.begin(call.watch) : tracker.end(call.watch),
    );
    post({ type: 'looked', n: call.n, found, complete: tracker.isComplete });
  } catch (error) {
    post({ type: 'failed', n: call.n, text: error instanceof Error ? error.message : String(error) });
  } finally {
    waiting--;
  }
  setImmediate(catchUp);
}

/** Goes on with the copies while nothing is asked for. */
function catchUp(): void {
  if (waiting === 0 && !tracker.catchUp(COPY_SLICE_MS)) setImmediate(catchUp);
}

// What isn't answered (a message of a wrong shape) ends the worker, which the other side sees.
parentPort?.on('message', (message: unknown) => take(callSchema.parse(message)));
