import { parseJson } from '../lenient';
import type { CallDelta } from './chunk';

interface Slot {
  index: number | undefined;
  id: string | undefined;
  name: string;
  args: string;
  announced: boolean;
}

export interface AssembledCall {
  readonly tool: string;
  readonly args: string;
}

/** A call without a name has no tool that could answer; under this one it is told so like any unknown tool. */
const NAMELESS = 'unnamed';

/**
 * Puts the pieces of tool calls together. The protocol says "by index"; servers leave the index out, give every call
 * index 0, send ids late, twice, empty or never, repeat names, or send arguments first (faults 1, 2, 5 to 9, 32, 34).
 * So a piece goes to the call that its id names, else its index, else the last one, and opens a new call only where
 * the piece can't belong to the old one.
 */
export class CallSlots {
  readonly #slots: Slot[] = [];
  readonly #tools: ReadonlySet<string>;
  #chars = 0;

  /** `tools`: the names that were offered; they tell a name sent in pieces from the next call's name. */
  constructor(tools: ReadonlySet<string>) {
    this.#tools = tools;
  }

  get any(): boolean {
    return this.#slots.length > 0;
  }

  /** Characters of all names and arguments so far. */
  get chars(): number {
    return this.#chars;
  }

  /** Takes one piece; answers the tool's name when this is the first that is known of the call, for display. */
  add(delta: CallDelta): string | undefined {
    const slot = this.#find(delta) ?? this.#open(delta.index);
    if (isReplay(slot, delta)) return undefined;
    slot.index ??= delta.index;
    // A real id may come after an absent one (fault 7).
    slot.id ??= delta.id;
    if (delta.name !== undefined) this.#name(slot, delta.name);
    slot.args += delta.args;
    this.#chars += delta.args.length;
    if (slot.announced || slot.name === '' || delta.name === undefined) return undefined;
    slot.announced = true;
    return slot.name;
  }

  /** All calls in the order they were opened; without arguments they get an empty object (fault 11). */
  calls(): AssembledCall[] {
    return this.#slots
      .filter((slot) => slot.name !== '' || slot.args.trim() !== '')
      .map((slot) => ({
        tool: slot.name === '' ? NAMELESS : slot.name,
        args: slot.args.trim() === '' ? '{}' : slot.args,
      }));
  }

  #open(index: number | undefined): Slot {
    const slot: Slot = { index, id: undefined, name: '', args: '', announced: false };
    this.#slots.push(slot);
    return slot;
  }

  #find(delta: CallDelta): Slot | undefined {
    const candidate = this.#candidate(delta);
    return candidate === undefined || this.#isNext(candidate, delta) ? undefined : candidate;
  }

  /** The newest call that the piece names by id, else by index, else simply the newest. */
  #candidate({ id, index }: CallDelta): Slot | undefined {
    if (id !== undefined) {
      const named = this.#slots.findLast(
        (slot) => slot.id === id && (index === undefined || slot.index === undefined || slot.index === index),
      );
      if (named !== undefined) return named;
    }
    if (index !== undefined) {
      const placed = this.#slots.findLast((slot) => slot.index === index);
      // A call opened without an index may get one later.
      return placed ?? this.#slots.findLast((slot) => slot.index === undefined && id === undefined);
    }
    return this.#slots.at(-1);
  }

  /** Whether the piece begins another call although its place (index, or none) is that of `slot`. */
  #isNext(slot: Slot, delta: CallDelta): boolean {
    const otherId = delta.id !== undefined && slot.id !== undefined && delta.id !== slot.id;
    // Some servers make up a fresh id for every piece: without a name, inside unfinished arguments, it means nothing.
    if (otherId) return delta.name !== undefined || delta.index === undefined || isComplete(slot.args);
    if (delta.name === undefined || slot.name === '') return false;
    if (isReplay(slot, delta)) return false;
    if (isComplete(slot.args)) return delta.name !== slot.name || delta.args.trim() !== '';
    if (delta.name === slot.name) return false;
    // Another name before any argument: the rest of a name, or the next call of a tool without arguments.
    return slot.args.trim() !== '' || !this.#continuesName(slot.name, delta.name);
  }

  #continuesName(begun: string, more: string): boolean {
    return [...this.#tools].some((tool) => tool.startsWith(begun + more));
  }

  #name(slot: Slot, name: string): void {
    if (slot.name === name) return;
    slot.name = slot.name === '' ? name : slot.name + name;
    this.#chars += name.length;
  }
}

/** The same whole call again, as a proxy sends after it has reconnected (fault 34). */
function isReplay(slot: Slot, delta: CallDelta): boolean {
  return (
    delta.id !== undefined &&
    slot.id === delta.id &&
    slot.name === delta.name &&
    slot.args === delta.args &&
    isComplete(slot.args)
  );
}

/** Only asked where a piece could belong to two calls, so parsing here costs nothing in ordinary streams. */
function isComplete(args: string): boolean {
  return args.trim() !== '' && parseJson(args) !== undefined;
}
