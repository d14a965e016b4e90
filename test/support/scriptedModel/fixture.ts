import type { ModelEnd } from '../../../src/model/port';

/** A fault of "What model servers send": the bytes of a body, and what must come of them however they are split. */
export interface Fixture {
  readonly title: string;
  readonly body: string;
  /** The connection is reset after the bytes instead of ending in order. */
  readonly reset?: boolean;
  readonly expect: Expected;
}

export interface Expected {
  readonly reason: ModelEnd['reason'];
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly (readonly [tool: string, args: string])[];
  readonly fault?: { readonly kind: string; readonly retryable: boolean; readonly says?: RegExp };
  readonly usage?: readonly [input: number, cached: number, output: number];
}

export const TOOLS = new Set(['read', 'write', 'team_add', 'team_send', 'list']);

export const frame = (value: unknown): string =>
  `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`;
export const DONE = 'data: [DONE]\n\n';
export const delta = (content: object, finish: string | null = null): string =>
  frame({ choices: [{ index: 0, delta: content, finish_reason: finish }] });
export const calls = (...deltas: object[]): string => delta({ tool_calls: deltas });
export const fn = (name: string | undefined, args: unknown): object => ({
  function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
});
export const finish = (reason: string | null = 'tool_calls'): string => delta({}, reason);
