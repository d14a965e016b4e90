import createDOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { tamed } from './hidden';

/**
 * Messages as markdown (A19, A21): raw HTML is off, pictures are never loaded, only web links are links, and the
 * result is cleaned once more before it becomes elements.
 */
const md = new MarkdownIt('default', { html: false, linkify: false, breaks: true, typographer: false });
const purify = createDOMPurify(window);

/** By the browser's parser: a name in another script shows as what it is ("xn--…"); "" for what is no web address. */
function addressOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return parsed !== null && /^(https?|mailto):$/.test(parsed.protocol) ? parsed.href : '';
}

md.validateLink = (url) => addressOf(url) !== '';
md.normalizeLink = addressOf;
md.normalizeLinkText = (url) => url;

/** A picture would tell its server that and when it was looked at: it stays the text that it was written as. */
md.renderer.rules['image'] = (tokens, index) => {
  const token = tokens[index];
  const source = token?.attrGet('src') ?? '';
  return `<span class="picture">${md.utils.escapeHtml(`![${token?.content ?? ''}](${source})`)}</span>`;
};

const allowed = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'strong', 'em', 's', 'a', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'hr', 'span'],
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
  ],
  ALLOWED_ATTR: ['href', 'class', 'start'],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} as const;

/** Elements of their own each time; a text that can't be read as markdown is shown as it is. */
export function markdownElement(text: string): HTMLElement {
  const box = document.createElement('div');
  box.className = 'markdown';
  box.append(
    purify.sanitize(md.render(tamed(text)), {
      ...allowed,
      ALLOWED_TAGS: [...allowed.ALLOWED_TAGS],
      ALLOWED_ATTR: [...allowed.ALLOWED_ATTR],
    }),
  );
  for (const link of box.querySelectorAll('a')) showWhereItLeads(link);
  for (const heading of box.querySelectorAll('h1,h2,h3,h4,h5,h6')) asStrong(heading);
  for (const wide of box.querySelectorAll('pre,table')) reachable(wide);
  return box;
}

/** The address stands beside the words unless they are the address. */
function showWhereItLeads(link: HTMLAnchorElement): void {
  const url = link.getAttribute('href') ?? '';
  link.title = url;
  link.rel = 'noreferrer noopener';
  if (link.textContent?.trim() === url.trim()) return;
  const where = document.createElement('span');
  where.className = 'where';
  where.textContent = ` (${tamed(url)})`;
  link.after(where);
}

/** A message is no document: its headings would stand among those of the view. */
function asStrong(heading: Element): void {
  const line = document.createElement('p');
  line.className = 'heading';
  line.append(...heading.childNodes);
  heading.replaceWith(line);
}

/** What scrolls sideways can be scrolled by the keyboard. */
function reachable(wide: Element): void {
  wide.setAttribute('tabindex', '0');
}

const KEPT = 400;
const cache = new Map<string, { readonly text: string; readonly element: HTMLElement }>();

/** The element of a row's text, made once: markdown is not read again at every patch. */
export function markdownOf(key: string, text: string): HTMLElement {
  const known = cache.get(key);
  if (known?.text === text) return known.element;
  const element = markdownElement(text);
  cache.set(key, { text, element });
  const oldest = cache.keys().next();
  if (cache.size > KEPT && oldest.done !== true) cache.delete(oldest.value);
  return element;
}
