import type { BlobId } from './ids';

/** Longest body, in UTF-8 bytes, that lies in an event itself; longer ones are blobs. */
export const INLINE_BYTES = 1024;
/** How much of a blob is kept beside its reference, in characters, so that rows can be shown without reading it. */
export const HEAD_CHARS = 240;

/** A body of any length: itself, or a reference to a blob with its beginning. */
export type Text =
  | { readonly type: 'inline'; readonly text: string }
  | { readonly type: 'blob'; readonly blob: BlobId; readonly bytes: number; readonly head: string };

export const inline = (text: string): Text => ({ type: 'inline', text });

/** What can be shown without reading a blob: the whole text, or its head with an ellipsis. */
export const headOf = (text: Text): string => (text.type === 'inline' ? text.text : `${text.head}…`);

export const isBlank = (text: Text): boolean => text.type === 'inline' && text.text.trim() === '';
