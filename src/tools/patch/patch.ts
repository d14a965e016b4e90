/** A line of a hunk: kept, put in or taken out. */
export interface HunkLine {
  readonly mark: ' ' | '+' | '-';
  readonly text: string;
}

export interface Hunk {
  /** Lines that stand at or before the place, outermost first (`@@ class A`). */
  readonly anchors: readonly string[];
  /** The number of its first line in the text before, from 1; null: not told. */
  readonly line: number | null;
  /** Its last line is the last one of the file. */
  readonly atEnd: boolean;
  readonly lines: readonly HunkLine[];
}

/** What a patch does to one file. Paths are as the model wrote them. */
export type FilePatch =
  | { readonly type: 'add'; readonly path: string; readonly text: string }
  /** `hunks`: the content that is to be there; null: whatever it is. */
  | { readonly type: 'delete'; readonly path: string; readonly hunks: readonly Hunk[] | null }
  | {
      readonly type: 'update';
      readonly path: string;
      readonly moveTo: string | null;
      readonly hunks: readonly Hunk[];
      readonly finalBreak: FinalBreak;
    };

/** Whether the text ends with a line break afterwards; `keep`: as before. */
export type FinalBreak = 'keep' | 'with' | 'without';

export const isChange = (line: HunkLine): boolean => line.mark !== ' ';
