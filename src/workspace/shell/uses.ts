import type { KnownWord } from './words';

/** How a reading program uses a file. */
export type Use =
  /** Its name and properties. */
  | 'meta'
  | 'content'
  /** The content of everything below a folder. */
  | 'tree'
  /** The same without hidden files and those that git ignores. */
  | 'listed';

export interface UsedFile {
  readonly word: KnownWord;
  readonly use: Use;
  /** What the files read below a folder end with; null: anything. */
  readonly endings: readonly string[] | null;
}

/** What a program would read with these words; null: it isn't known to only read. */
export type ProgramReader = (words: readonly KnownWord[]) => readonly UsedFile[] | null;
