import type { IncomingHttpHeaders } from 'node:http';
import type { AskedRequest, ScriptedAnswer, WireMessage } from './script';

interface WireBody {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly WireMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** One request as the server has seen it. The body is parsed only when somebody looks, which keeps workloads fast. */
export class RequestRecord implements AskedRequest {
  readonly agent: string;
  readonly n: number;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
  /** Milliseconds since the server's start. */
  readonly inMs: number;
  outMs: number | undefined;
  /** The client closed the connection before the answer was out. */
  aborted = false;
  /** What the script answered; undefined while it is being decided. */
  answer: ScriptedAnswer | undefined;
  #raw: string | undefined;
  #parsed: WireBody | undefined;

  constructor(fields: {
    agent: string;
    n: number;
    url: string;
    headers: IncomingHttpHeaders;
    raw: string;
    inMs: number;
  }) {
    this.agent = fields.agent;
    this.n = fields.n;
    this.url = fields.url;
    this.headers = fields.headers;
    this.bytes = Buffer.byteLength(fields.raw);
    this.inMs = fields.inMs;
    this.#raw = fields.raw;
  }

  /** The body as it came; "" after `forget`. */
  get raw(): string {
    return this.#raw ?? '';
  }

  get body(): WireBody & Readonly<Record<string, unknown>> {
    this.#parsed ??= JSON.parse(this.#raw ?? '{}') as WireBody;
    return this.#parsed as WireBody & Readonly<Record<string, unknown>>;
  }

  get messages(): readonly WireMessage[] {
    return this.body.messages ?? [];
  }

  get tools(): readonly string[] {
    return (this.body.tools ?? []).map((tool) => tool.function.name);
  }

  /** Drops the body; counts stay. */
  forget(): void {
    this.#raw = undefined;
    this.#parsed = undefined;
  }

  toJSON(): object {
    const { agent, n, url, headers, bytes, inMs, outMs, aborted, body } = this;
    return { agent, n, url, headers, bytes, inMs, outMs: outMs ?? null, aborted, body };
  }
}

/** Who asks: the name in the first line of the system prompt, "You are NAME, …"; "?" where there is none. */
export function agentOf(rawBody: string): string {
  return /"content":"You are ([a-z][a-z0-9_-]*),/.exec(rawBody)?.[1] ?? '?';
}
