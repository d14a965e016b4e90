import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Gates } from './gates';
import { agentOf, RequestRecord } from './record';
import type { AgentScript, Script, ScriptEntry, ScriptedAnswer } from './script';
import { documentOf, framesOf } from './sse';

export interface ScriptedModelOptions {
  readonly port?: number;
  /** Pieces that a text is sent in where its entry doesn't say. Default 3. */
  readonly chunks?: number;
  /** An unscripted request is an HTTP 400, and `close` rejects; otherwise it is answered "done". */
  readonly strict?: boolean;
  /** Keep the requests' bodies. False for long workloads: only sizes and times are kept. Default true. */
  readonly keepBodies?: boolean;
}

/** Starts a server on 127.0.0.1 that speaks streamed chat completions and answers as scripted. */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const model = new ScriptedModel(options);
  await model.listen();
  return model;
}

export class ScriptedModel {
  readonly log: RequestRecord[] = [];
  /** Requests that nobody had scripted, and scripts that threw. */
  readonly problems: string[] = [];
  readonly #options: ScriptedModelOptions;
  readonly #server: Server;
  readonly #gates = new Gates();
  readonly #arrivals = new Gates();
  readonly #scripts = new Map<string, ScriptEntry[] | Exclude<AgentScript, readonly ScriptEntry[]>>();
  readonly #counts = new Map<string, number>();
  readonly #start = performance.now();
  #callCount = 0;
  #openRequests = 0;
  readonly #onIdle: (() => void)[] = [];

  constructor(options: ScriptedModelOptions) {
    this.#options = options;
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      this.#receive(request, response).catch((error: unknown) => {
        this.problems.push(String(error));
        response.destroy();
      });
    });
  }

  /** The base URL that a model entry wants. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Requests that are being answered now. */
  get open(): number {
    return this.#openRequests;
  }

  /** Resolves when no request is being answered any more. */
  idle(): Promise<void> {
    return this.#openRequests === 0
      ? Promise.resolve()
      : new Promise((resolve) => this.#onIdle.push(resolve));
  }

  listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.port ?? 0, '127.0.0.1', resolve);
    });
  }

  /** Adds to the scripts: lists are appended, a function replaces what the agent had. */
  script(script: Script): void {
    for (const [agent, entries] of Object.entries(script)) {
      if (typeof entries === 'function') this.#scripts.set(agent, entries);
      else {
        const before = this.#scripts.get(agent);
        const added = entries.flatMap(spread);
        this.#scripts.set(agent, Array.isArray(before) ? [...before, ...added] : added);
      }
    }
  }

  requestsOf(agent: string): readonly RequestRecord[] {
    return this.log.filter((record) => record.agent === agent);
  }

  /** Resolves with the n-th request (from 1) of the agent when it has arrived. */
  async waitFor(agent: string, n = 1): Promise<RequestRecord> {
    await this.#arrivals.opened(`${agent} ${n}`);
    const record = this.requestsOf(agent)[n - 1];
    if (record === undefined) throw new Error(`request ${n} of ${agent} is not in the log`);
    return record;
  }

  /** Resolves when an answer has stopped at this gate. */
  held(gate: string): Promise<void> {
    return this.#arrivals.opened(`held ${gate}`);
  }

  /** Opens a gate for good; also before anybody has come to it. */
  release(gate: string): void {
    this.#gates.open(gate);
  }

  /** Entries that were not used, as "agent: count". */
  unused(): string[] {
    return [...this.#scripts].flatMap(([agent, script]) =>
      Array.isArray(script) && script.length > 0 ? [`${agent}: ${script.length}`] : [],
    );
  }

  /** Ends all connections. Rejects if strict and something came that was not scripted. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
    if (this.#options.strict === true && this.problems.length > 0) throw new Error(this.problems.join('\n'));
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const path = request.url ?? '';
    if (path.startsWith('/__')) await this.#control(path, response);
    else if (path.endsWith('/models')) sendJson(response, { data: [{ id: 'scripted', object: 'model' }] });
    else if (path.endsWith('/chat/completions')) {
      await this.#chat(request, Buffer.concat(parts).toString(), response);
    } else response.writeHead(404).end('{"error":{"message":"no such address"}}');
  }

  async #chat(request: IncomingMessage, raw: string, response: ServerResponse): Promise<void> {
    const agent = agentOf(raw);
    const n = (this.#counts.get(agent) ?? 0) + 1;
    this.#counts.set(agent, n);
    const { headers, url = '' } = request;
    const record = new RequestRecord({ agent, n, url, headers, raw, inMs: performance.now() - this.#start });
    this.log.push(record);
    this.#openRequests++;
    response.once('close', () => {
      record.aborted = !response.writableFinished;
      record.outMs = performance.now() - this.#start;
      this.#openRequests--;
      if (this.#openRequests === 0) for (const done of this.#onIdle.splice(0)) done();
      if (this.#options.keepBodies === false) record.forget();
    });
    const answer = this.#answerTo(record);
    record.answer = answer;
    this.#arrivals.open(`${agent} ${n}`);
    await this.#send(answer, record, response);
  }

  #answerTo(record: RequestRecord): ScriptedAnswer {
    const script = this.#scripts.get(record.agent) ?? this.#scripts.get('*');
    const entry = Array.isArray(script) ? script.shift() : script;
    if (entry === undefined) {
      if (this.#options.strict !== true) return { text: 'done' };
      this.problems.push(`request ${record.n} of ${record.agent} is not scripted`);
      return { status: 400, raw: '{"error":{"message":"this request is not scripted"}}' };
    }
    return typeof entry === 'function' ? entry(record) : filled(entry, record);
  }

  async #send(answer: ScriptedAnswer, record: RequestRecord, response: ServerResponse): Promise<void> {
    const { status, raw } = answer;
    if (status !== undefined) return sendError(answer, status, response);
    if (raw !== undefined) {
      response.writeHead(200, { 'content-type': answer.contentType ?? 'text/event-stream' }).end(raw);
      return;
    }
    const ids = { next: () => `call_scripted_${++this.#callCount}` };
    // Looked for in the text: parsing every body would be this server's largest cost in long workloads.
    if (!record.raw.includes('"stream":true')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(documentOf(answer, record.bytes, ids));
      return;
    }
    const frames = framesOf(answer, this.#options.chunks ?? 3, record.bytes, ids);
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    await this.#stream(frames, answer, response);
  }

  async #stream(frames: string[], answer: ScriptedAnswer, response: ServerResponse): Promise<void> {
    // The last three frames end the answer: the middle is that of what comes before them.
    const middle = Math.ceil((frames.length - 3) / 2);
    for (const [index, frame] of frames.entries()) {
      if (response.destroyed) return;
      if (index === middle) {
        if (answer.stall === true) return;
        if (answer.cut === true) {
          await written(response);
          response.destroy();
          return;
        }
        if (answer.hold !== undefined) {
          this.#arrivals.open(`held ${answer.hold}`);
          await this.#gates.opened(answer.hold);
        }
      }
      if (answer.delayMs !== undefined) await new Promise((resolve) => setTimeout(resolve, answer.delayMs));
      response.write(frame);
    }
    response.end();
  }

  /** For tests in other processes: /__log, /__release/GATE, /__held/GATE, /__wait/AGENT/N (the last two wait). */
  async #control(path: string, response: ServerResponse): Promise<void> {
    const [, verb, name = '', n = '1'] = path.split('/').map(decodeURIComponent);
    if (verb === '__log') return sendJson(response, { log: this.log, problems: this.problems });
    if (verb === '__release') this.release(name);
    else if (verb === '__held') await this.held(name);
    else if (verb === '__wait') return sendJson(response, await this.waitFor(name, Number(n)));
    else return void response.writeHead(404).end();
    sendJson(response, {});
  }
}

function spread(entry: ScriptEntry): ScriptEntry[] {
  const times = typeof entry === 'function' ? 1 : (entry.times ?? 1);
  return Array.from({ length: times }, () => entry);
}

/** Puts {{n}} and {{agent}} into an entry that has them, so that a JSON script can tell requests apart. */
function filled(entry: ScriptedAnswer, { n, agent }: RequestRecord): ScriptedAnswer {
  const text = JSON.stringify(entry);
  if (!text.includes('{{')) return entry;
  return JSON.parse(text.replaceAll('{{n}}', String(n)).replaceAll('{{agent}}', agent)) as ScriptedAnswer;
}

function sendError(answer: ScriptedAnswer, status: number, response: ServerResponse): void {
  const body = answer.raw ?? JSON.stringify({ error: { message: `scripted ${status}`, type: 'scripted' } });
  response.writeHead(status, {
    'content-type': answer.contentType ?? 'application/json',
    ...(answer.retryAfter !== undefined && { 'retry-after': String(answer.retryAfter) }),
  });
  response.end(body);
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}

/** Resolves when what was written so far has left for the client, so that a reset doesn't overtake it. */
const written = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.write(': \n\n', () => setImmediate(resolve)));
