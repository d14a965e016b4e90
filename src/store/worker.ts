import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod';
import { asFailure } from './files';
import { inProcessHistory } from './inProcessHistory';
import type { WorkerAnswer } from './workerHistory';

/** The worker's thread: calls come as messages and are answered by number. */
const given = z
  .object({ folder: z.string(), schema: z.number(), repair: z.boolean(), wasm: z.string() })
  .parse(workerData);
const callSchema = z.discriminatedUnion('method', [
  z.object({
    n: z.number(),
    method: z.literal('pageEvents'),
    args: z.tuple([z.number(), z.number(), z.number()]),
  }),
  z.object({
    n: z.number(),
    method: z.literal('searchMessages'),
    args: z.tuple([z.string(), z.number(), z.number()]),
  }),
  z.object({ n: z.number(), method: z.literal('save'), args: z.tuple([z.number(), z.number()]) }),
]);

const post = (answer: WorkerAnswer): void => parentPort?.postMessage(answer);
const history = inProcessHistory(given.wasm)(given, (damage) => post({ type: 'damage', damage }));

function perform(call: z.infer<typeof callSchema>): Promise<unknown> {
  switch (call.method) {
    case 'pageEvents':
      return history.pageEvents(...call.args);
    case 'searchMessages':
      return history.searchMessages(...call.args);
    case 'save':
      return history.save(...call.args);
  }
}

async function answer(message: unknown): Promise<void> {
  const call = callSchema.parse(message);
  let reply: WorkerAnswer;
  try {
    reply = { n: call.n, type: 'done', value: await perform(call) };
  } catch (error) {
    const { code, message: text } = asFailure(error);
    reply = { n: call.n, type: 'failed', code, message: text };
  }
  post(reply);
}

// What isn't answered (a message of a wrong shape) ends the worker, which the other side sees.
parentPort?.on('message', (message: unknown) => void answer(message));
