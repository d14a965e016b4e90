import { randomUUID } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as net from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { errorCode } from './files';

const questionSchema = z.object({
  type: z.enum(['ask', 'take_over']),
  workspace: z.string(),
  epoch: z.number(),
  /** Who asks. */
  pid: z.number(),
  host: z.string(),
});
const answerSchema = z.object({ type: z.enum(['alive', 'yielded', 'other']) });

export type Question = z.infer<typeof questionSchema>;
/** `other`: whoever listens there doesn't hold this lease (any more). */
export type Answer = z.infer<typeof answerSchema>['type'];

/** Node cuts longer paths without a word, so that two of them would be the same socket (facts). */
const LONGEST_PATH_BYTES = 100;
const LONGEST_LINE = 4096;
const FOLDER = 'tr-';

/** Where holders answer newcomers. */
export class LeaseListener {
  readonly path: string;
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();

  private constructor(path: string, server: net.Server) {
    this.path = path;
    this.#server = server;
  }

  /**
   * @param runtimeFolder where the socket may lie (XDG_RUNTIME_DIR); null, too long or unusable: the temporary folder
   * @param answer must not reject
   */
  static async start(
    runtimeFolder: string | null,
    answer: (question: Question) => Promise<Answer>,
    log: Log,
  ): Promise<LeaseListener> {
    const path = await socketPath(runtimeFolder);
    const server = net.createServer();
    const listener = new LeaseListener(path, server);
    server.on('connection', (socket) => listener.#serve(socket, answer, log));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, () => {
        server.off('error', reject);
        server.on('error', (error) => log.error('the lease can no longer be asked for', error));
        resolve();
      });
    });
    // A process that has nothing else to do may end.
    server.unref();
    return listener;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroySoon();
    await closed;
    await removeSocket(this.path);
  }

  #serve(socket: net.Socket, answer: (question: Question) => Promise<Answer>, log: Log): void {
    this.#sockets.add(socket);
    socket.unref();
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', (error) => log.debug('a newcomer went away', { reason: error.message }));
    onLine(socket, (line) => {
      const question = parseLine(questionSchema, line);
      if (question === null) socket.destroy();
      else void answer(question).then((type) => socket.end(`${JSON.stringify({ type })}\n`));
    });
  }
}

/**
 * Asks the holder. `unreachable`: nobody listens there; `silent`: somebody does, without an answer in `limitMs`.
 */
export function askHolder(
  path: string,
  question: Question,
  clock: Clock,
  limitMs: number,
): Promise<Answer | 'unreachable' | 'silent'> {
  return new Promise((resolve) => {
    const socket = net.connect(path);
    let connected = false;
    const end = (result: Answer | 'unreachable' | 'silent') => {
      limit.dispose();
      socket.destroy();
      resolve(result);
    };
    const limit = clock.after(limitMs, () => end('silent'));
    socket.on('connect', () => {
      connected = true;
      socket.write(`${JSON.stringify(question)}\n`);
    });
    onLine(socket, (line) => end(parseLine(answerSchema, line)?.type ?? 'other'));
    socket.on('error', (error) => end(isGone(error) || connected ? 'unreachable' : 'silent'));
    socket.on('close', () => end('unreachable'));
  });
}

/** Removes what a dead holder left behind; nothing else that may lie there. */
export async function removeSocket(path: string): Promise<void> {
  if (process.platform === 'win32' || !basename(dirname(path)).startsWith(FOLDER)) return;
  try {
    await fs.rm(path, { force: true });
    await fs.rmdir(dirname(path));
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOENT' && code !== 'ENOTEMPTY' && code !== 'EPERM' && code !== 'EACCES') throw error;
  }
}

/** Not there, or nobody listens. Anything else (no permission, no descriptors) says nothing about the holder. */
function isGone(error: Error): boolean {
  const code = errorCode(error);
  return code === 'ECONNREFUSED' || code === 'ENOENT' || code === 'ENOTSOCK';
}

/** A short path in a folder that only this user may enter. */
async function socketPath(runtimeFolder: string | null): Promise<string> {
  if (process.platform === 'win32') return `\\\\.\\pipe\\teamroom-${randomUUID()}`;
  const candidates = [runtimeFolder, tmpdir(), '/tmp'].filter((folder) => folder !== null);
  let problem: unknown = new Error('no folder for a socket');
  for (const folder of candidates) {
    if (Buffer.byteLength(join(folder, `${FOLDER}XXXXXX`, 's')) > LONGEST_PATH_BYTES) continue;
    try {
      return join(await fs.mkdtemp(join(folder, FOLDER)), 's');
    } catch (error) {
      problem = error;
    }
  }
  throw problem;
}

/** Calls back once with the first line; one that is too long is cut and won't be understood. */
function onLine(socket: net.Socket, callback: (line: string) => void): void {
  let text = '';
  const onData = (chunk: Buffer) => {
    text += chunk.toString();
    const end = text.indexOf('\n');
    if (end < 0 && text.length < LONGEST_LINE) return;
    socket.off('data', onData);
    callback(end < 0 ? '' : text.slice(0, end));
  };
  socket.on('data', onData);
}

function parseLine<T>(schema: z.ZodType<T>, line: string): T | null {
  try {
    return schema.parse(JSON.parse(line));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}
