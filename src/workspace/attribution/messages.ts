import type { KnownWrite } from '../attributionPort';
import type { Found } from './tracker';

/** What the host asks and tells the worker. */
export type Call =
  | { readonly type: 'begin' | 'end'; readonly n: number; readonly watch: number }
  | { readonly type: 'writing'; readonly id: number; readonly writes: readonly KnownWrite[] }
  | { readonly type: 'settled'; readonly id: number; readonly done: boolean }
  | { readonly type: 'saved'; readonly real: string; readonly at: number };

export interface Look {
  /** null: nothing that is anybody's. */
  readonly found: Found | null;
  /** false: a folder is not tracked any more, as was told. */
  readonly complete: boolean;
}

export type WorkerWord =
  | ({ readonly type: 'looked'; readonly n: number } & Look)
  | { readonly type: 'failed'; readonly n: number; readonly text: string }
  | { readonly type: 'problem'; readonly text: string };
