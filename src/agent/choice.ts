import type { CallId } from '../shared/ids';
import type { CutResult } from '../shared/state';

/** A part of a context as the choice of what stays sees it. */
export interface PartShape {
  readonly tokens: number;
  /** `words` stand for what was left out earlier. */
  readonly kind: 'words' | 'input' | 'step';
  readonly results: readonly ResultShape[];
}

export interface ResultShape {
  readonly callId: CallId;
  readonly tokens: number;
  readonly chars: number;
}

export interface Room {
  /** Tokens that the parts which stay may take. */
  readonly keep: number;
  /** Fewer tokens than this are not worth a summary. */
  readonly least: number;
}

export interface Choice {
  /** Parts before this index are left out; 0: none. */
  readonly from: number;
  readonly cut: readonly CutResult[];
}

/** What of a result is seen at least, in characters. */
export const LEAST_CHARS = 400;
/** A cut that wins fewer characters than this is none: a note stands in their place. */
export const LEAST_WON = 200;

/**
 * What stays as it is: as many of the newest parts as there is room for, and always those that the model has not
 * answered yet. Of these, results that are too long for the room are cut. Null: nothing worth while can be left out.
 */
export function chooseKept(parts: readonly PartShape[], room: Room): Choice | null {
  const unseen = firstUnseen(parts);
  let from = unseen;
  let left = room.keep - tokensOf(parts.slice(unseen));
  for (let at = unseen - 1; at >= 0; at--) {
    const part = parts[at];
    if (part === undefined || part.kind === 'words' || part.tokens > left) break;
    left -= part.tokens;
    from = at;
  }
  const out = tokensOf(parts.slice(0, from).filter((part) => part.kind !== 'words'));
  const cut = cutEvenly(parts.slice(unseen), room.keep);
  if (out >= Math.max(1, room.least)) return { from, cut };
  return cut.length === 0 ? null : { from: 0, cut };
}

/** The parts from here on are new to the model: its last step with calls, and what came after that. */
export function firstUnseen(parts: readonly PartShape[]): number {
  const step = parts.findLastIndex((part) => part.kind === 'step');
  const last = parts[step];
  return last === undefined || last.results.length === 0 ? step + 1 : step;
}

const tokensOf = (parts: readonly PartShape[]): number => parts.reduce((sum, part) => sum + part.tokens, 0);

/** Cuts results down to equal shares of the room, those that are short giving theirs to the others. */
function cutEvenly(parts: readonly PartShape[], keep: number): readonly CutResult[] {
  const results = parts.flatMap((part) => part.results).toSorted((a, b) => a.tokens - b.tokens);
  const whole = tokensOf(parts);
  if (whole <= keep) return [];
  let room = Math.max(0, keep - (whole - results.reduce((sum, result) => sum + result.tokens, 0)));
  const cut: CutResult[] = [];
  for (const [i, result] of results.entries()) {
    const share = Math.floor(room / (results.length - i));
    room -= Math.min(share, result.tokens);
    if (result.tokens <= share) continue;
    const chars = Math.max(LEAST_CHARS, Math.floor((result.chars * share) / result.tokens));
    if (chars + LEAST_WON < result.chars) cut.push({ callId: result.callId, chars });
  }
  return cut;
}

/** The oldest results, as many as it takes to save so many tokens; those that are new to the model are not touched. */
export function chooseCuts(parts: readonly PartShape[], save: number): readonly CutResult[] {
  const cut: CutResult[] = [];
  let left = save;
  for (const { callId, chars, tokens } of parts
    .slice(0, firstUnseen(parts))
    .flatMap((part) => part.results)) {
    if (left <= 0) break;
    if (chars <= LEAST_CHARS + LEAST_WON) continue;
    cut.push({ callId, chars: LEAST_CHARS });
    left -= Math.floor(tokens * (1 - LEAST_CHARS / chars));
  }
  return cut;
}
