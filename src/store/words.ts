/**
 * The words of a text, in lower case: by them messages are found, and in capitals AND, OR, NOT and NEAR would be
 * operators of the index.
 */
export const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
