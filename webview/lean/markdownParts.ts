/**
 * What markdown-it imports for its own, in the size that this view needs: the build puts this module in the place of
 * `entities`, `uc.micro`, `mdurl`, `punycode.js` and `linkify-it` (47 KB). Links are normalised by the browser's own
 * parser and nothing becomes a link by itself (`webview/markdown.ts`), entities are decoded by the browser.
 */

const reader = document.createElement('textarea');

/** One whole entity, "&copy;": a text area's content is text, whatever it says. */
export function decodeHTMLStrict(entity: string): string {
  if (!/^&#?\w{1,40};$/.test(entity)) return entity;
  reader.innerHTML = entity;
  return reader.value;
}

/** Punctuation and symbols, which decide where emphasis may begin. */
export const P = /\p{P}/u;
export const S = /\p{S}/u;

const notUsed = (): never => {
  throw new Error('links are normalised by webview/markdown.ts');
};
export const parse = notUsed;
export const format = notUsed;
export const encode = notUsed;
export const decode = notUsed;

export class LinkifyIt {}

export default { toASCII: notUsed, toUnicode: notUsed };
