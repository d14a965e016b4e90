import type { Result } from '../base/result';
import type { EngineProblem } from '../runtime/engine';
import type { Desk } from './commands/desk';
import { commands } from './commands/table';
import { problemText } from './problemTexts';

/** What became of an act of the Room. */
export interface Acted {
  readonly ok: boolean;
  /** What the person should read about it; empty: nothing. */
  readonly words: string;
}

export const DONE: Acted = { ok: true, words: '' };

export const failed = (words: string): Acted => ({ ok: false, words });

export const acted = (result: Result<unknown, EngineProblem>): Acted =>
  result.ok ? DONE : failed(problemText(result.error));

/** Does what the command of the palette does. */
export async function run(
  desk: Desk,
  command: keyof typeof commands,
  ...args: readonly unknown[]
): Promise<Acted> {
  await commands[command](desk, args);
  return DONE;
}
