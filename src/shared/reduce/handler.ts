import { append, at, replaceAt, type Table } from '../../base/table';
import type { EventType, TeamEvent } from '../events';
import { indexOf, type LocalId } from '../ids';
import type { OpenIndex, State } from '../state';

export type EventOf<T extends EventType> = Extract<TeamEvent, { readonly type: T }>;

/** Answers the state after the event, or null when the event makes no sense in this state. */
export type Handler<T extends EventType> = (state: State, event: EventOf<T>) => State | null;

export type Handlers<T extends EventType> = { readonly [K in T]: Handler<K> };

type TableName = {
  [K in keyof State]: State[K] extends Table<infer _> ? K : never;
}[keyof State];
type ItemOf<K extends TableName> = State[K] extends Table<infer T> ? T : never;

/** Appends an item whose id must be the one that the table gives next. */
export function add<K extends TableName>(
  state: State,
  name: K,
  item: ItemOf<K> & { readonly id: LocalId },
): State | null {
  const table = state[name] as unknown as Table<ItemOf<K>>;
  if (indexOf(item.id) !== table.size) return null;
  return { ...state, [name]: append(table, item) };
}

/** Changes one item; null if there is none, or if the change answers null. */
export function change<K extends TableName>(
  state: State,
  name: K,
  id: LocalId,
  alter: (item: ItemOf<K>) => ItemOf<K> | null,
): State | null {
  const table = state[name] as unknown as Table<ItemOf<K>>;
  const index = indexOf(id);
  const item = at(table, index);
  if (item === undefined) return null;
  const altered = alter(item);
  if (altered === null) return null;
  return { ...state, [name]: replaceAt(table, index, altered) };
}

export function opened<K extends keyof OpenIndex>(state: State, name: K, id: OpenIndex[K][number]): State {
  return { ...state, open: { ...state.open, [name]: [...state.open[name], id] } };
}

export function closed<K extends keyof OpenIndex>(state: State, name: K, id: OpenIndex[K][number]): State {
  const ids: readonly LocalId[] = state.open[name];
  return { ...state, open: { ...state.open, [name]: ids.filter((open) => open !== id) } };
}
