import { asObject, asWord, parseJson } from '../lenient';
import type { ModelMessage, ModelRequest } from '../port';

/** One call of the transcript with its result. */
export interface PastCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
}

/** What the rehearsal knows: only the request. It keeps no state, so that it plays on after a restart too. */
export class RequestView {
  readonly #request: ModelRequest;
  readonly calls: readonly PastCall[];

  constructor(request: ModelRequest) {
    this.#request = request;
    this.calls = pastCalls(request.messages);
  }

  /** The name in the system prompt's first line, "You are NAME, …". */
  get agent(): string | undefined {
    const system = this.#request.messages.find((message) => message.role === 'system');
    return /^You are ([a-z][a-z0-9_-]*),/.exec(system?.text ?? '')?.[1];
  }

  offers(tool: string): boolean {
    return this.#request.tools.some(({ name }) => name === tool);
  }

  /** The newest call of this tool whose arguments have these values. */
  last(tool: string, args: Readonly<Record<string, string>> = {}): PastCall | undefined {
    const wanted = Object.entries(args);
    return this.calls.findLast(
      (call) => call.tool === tool && wanted.every(([name, value]) => call.args[name] === value),
    );
  }

  /** Texts of the marked messages or reports from this sender, oldest first. */
  from(kind: 'message' | 'report', sender: string): readonly string[] {
    const mark = new RegExp(`^\\[Team ${kind} from ${sender} to [^\\n]*:\\]\\n`);
    return this.#userParts().flatMap((part) => {
      const found = mark.exec(part);
      return found === null ? [] : [part.slice(found[0].length).trim()];
    });
  }

  /** What the person wrote, oldest first: user messages without what the host and other agents put into them. */
  get personWords(): readonly string[] {
    return this.#request.messages.flatMap((message) =>
      message.role === 'user' ? ownWords(message.text) : [],
    );
  }

  /** The newest message is the person's and waits for an answer. */
  get lastIsPersons(): boolean {
    const last = this.#request.messages.findLast(({ role }) => role === 'user' || role === 'assistant');
    return last?.role === 'user' && ownWords(last.text).length > 0;
  }

  /** User messages, split where several marked messages came as one (L-78). */
  #userParts(): string[] {
    return this.#request.messages.flatMap((message) =>
      message.role === 'user' ? message.text.split(/\n\n(?=\[Team (?:message|report) from )/) : [],
    );
  }
}

function pastCalls(messages: readonly ModelMessage[]): PastCall[] {
  const results = new Map<string, string>();
  for (const message of messages) if (message.role === 'tool') results.set(message.wireId, message.text);
  return messages.flatMap((message) =>
    message.role !== 'assistant'
      ? []
      : message.calls.map((call) => ({
          tool: call.tool,
          args: asObject(parseJson(call.args)) ?? {},
          result: results.get(call.wireId) ?? '',
        })),
  );
}

/** Notes and the host's words are one paragraph each under their mark; messages of others fill what follows theirs. */
function ownWords(text: string): readonly string[] {
  const rest = text.replace(/^\[(?:Note|From Teamroom):\]\n[^\n]*/gm, '').trim();
  return rest === '' || rest.includes('[Team ') ? [] : [rest];
}

/** The first line of a text that says something. */
export const firstLine = (text: string): string =>
  asWord(text.split('\n').find((line) => line.trim() !== '')) ?? '';
