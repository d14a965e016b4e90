/** Characters that turn the direction of writing or leave no trace: a command must be what it reads (A25). */
const UNSEEN = /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

const number = (char: string): string => `‹U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase()}›`;

/**
 * A text for a notification. The editor makes links of `[words](address)` there, those that run commands included,
 * and what agents write must not become one (A21).
 */
export const noLinks = (text: string): string => text.replace(UNSEEN, number).replaceAll('](', '] (');

/** A text for a list or the status bar, where the editor draws a picture for `$(name)`. */
export const noPictures = (text: string): string => text.replace(UNSEEN, number).replaceAll('$(', '$ (');
