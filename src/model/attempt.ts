import type { ModelEvent, ModelRequest } from './port';

/** One request to a model, never repeated: what an adapter implements and `retry` makes a `ModelPort` of. */
export interface ModelAttempts {
  /**
   * Yields display events and exactly one end. `onProgress` is called when the server has sent something that moves
   * the answer on; keepalives don't count. Aborting closes the connection at once; an answer that was complete by
   * then is still given.
   */
  attempt(request: ModelRequest, signal: AbortSignal, onProgress: () => void): AsyncIterable<ModelEvent>;
  /** `ModelPort.written` */
  written(request: ModelRequest): Promise<string>;
}

/** What a person or a log should hear although the answer came: never an error, never silent. */
export type ModelNotice =
  /** The server refuses this request field; it is no longer sent. */
  | { readonly type: 'field_dropped'; readonly model: string; readonly field: string }
  /** The model wants its reasoning back with every request; it is sent from now on. */
  | { readonly type: 'reasoning_replayed'; readonly model: string }
  /** Lines of an answer were unreadable and skipped: the answer may lack a piece. */
  | { readonly type: 'lines_skipped'; readonly model: string; readonly lines: number };
