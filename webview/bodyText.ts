import { tamed } from './hidden';

declare global {
  /** Set by the page's second script, which has run before the host's first answer comes. */
  var teamroomMarkdown: ((key: string, text: string) => HTMLElement) | undefined;
}

/** A row's text as markdown; as it was written if the script that reads markdown could not be loaded. */
export function bodyText(key: string, text: string): HTMLElement {
  const read = globalThis.teamroomMarkdown;
  if (read !== undefined) return read(key, text);
  const plain = document.createElement('div');
  plain.className = 'markdown plain';
  plain.textContent = tamed(text);
  return plain;
}
