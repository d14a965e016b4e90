import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** A server whose answers are written by the test, byte for byte. */
export class RawServer {
  readonly bodies: Record<string, unknown>[] = [];
  readonly headers: IncomingMessage['headers'][] = [];
  readonly sockets = new Set<Socket>();
  readonly #server: Server;
  #handlers: Handler[] = [];

  constructor() {
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      this.sockets.add(request.socket);
      this.headers.push(request.headers);
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body = Buffer.concat(parts).toString();
        this.bodies.push(JSON.parse(body) as Record<string, unknown>);
        const handler = this.#handlers.shift();
        if (handler === undefined) response.writeHead(500).end('no handler left');
        else handler(request, response, body);
      });
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** One handler per request, in order. */
  answer(...handlers: Handler[]): void {
    this.#handlers.push(...handlers);
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}

export const frame = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
export const text = (content: string, finish: string | null = null): string =>
  frame({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
export const OK = `${text('fine', 'stop')}data: [DONE]\n\n`;

export const ok: Handler = (_, response) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(OK);
export const refuse =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
