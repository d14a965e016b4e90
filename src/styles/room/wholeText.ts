import * as z from 'zod';

/** A text that says something. Given on as it was written, so nothing is trimmed. */
export const wholeText = (what: string) =>
  z.string().refine((value) => value.trim() !== '', `${what} must not be empty`);
