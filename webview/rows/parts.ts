import { html, nothing, type TemplateResult } from 'lit';
import type { AgentId } from '../../src/shared/ids';
import { size } from '../../src/shared/project/words';
import type { Body, LiveDoing, RetryOffer, Speaker, Who } from '../../src/shared/protocol';
import { say } from '../../src/shared/texts';
import { bodyText } from '../bodyText';
import { button } from '../controls';
import { partsOf } from '../hidden';
import { clock } from '../moments';
import type { Store } from '../store';

export type Shown = TemplateResult | typeof nothing;

export const dot = (n: number): TemplateResult => html`<span class="dot dot${n}" aria-hidden="true"></span>`;

export const named = (who: Who): TemplateResult =>
  html`<span class="who">${dot(who.dot)}<b class="name">${unspoofed(who.name)}</b></span>`;

export function speaking(speaker: Speaker): TemplateResult {
  if (speaker === 'person') return html`<b class="name">${say('who.you')}</b>`;
  if (speaker === 'host') return html`<b class="name">${say('who.host')}</b>`;
  return named(speaker);
}

export const nameOf = (speaker: Speaker): string => {
  if (speaker === 'person') return say('who.youSmall');
  return speaker === 'host' ? say('who.host') : speaker.name;
};

/** A text whose invisible characters are seen (A25). */
export const unspoofed = (text: string): (string | TemplateResult)[] =>
  partsOf(text).map((part) =>
    part.type === 'text'
      ? part.text
      : html`<span class="hidden" title=${say('diff.hidden', { code: part.text })}>${part.text}</span>`,
  );

/** A turn that did not end by itself can be let go on. */
export function goOn(store: Store, retry: RetryOffer | null, agent: AgentId | null): Shown {
  if (retry === null || store.readOnly) return nothing;
  const { run, words } = retry;
  return html`<div class="buttons">
    ${button(words, () => void store.act({ type: 'retry', run }))}
    ${
      agent === null || store.head?.model?.others !== true
        ? nothing
        : button(say('ask.otherModel'), () => void store.act({ type: 'retryOn', agent }))
    }
  </div>`;
}

export const moment = (at: number): TemplateResult =>
  html`<time datetime=${isoOf(at)} title=${new Date(at).toLocaleString()}>${clock(at)}</time>`;

const isoOf = (at: number): string => (Number.isFinite(at) ? new Date(at).toISOString() : '');

/** The words of a sentence with elements in the place of a placeholder. */
export function around(sentence: string, mark: string, inside: unknown): TemplateResult {
  const [before, after] = sentence.split(mark);
  return html`${before}${inside}${after}`;
}

export const waitingSince = (store: Store, since: number): TemplateResult =>
  around(
    say('row.waiting', { time: '\u0000' }),
    '\u0000',
    html`<time-since since=${since} ahead=${store.now() - Date.now()}></time-since>`,
  );

/** That it waits for the model's server, with the time that counts down. */
export function untilRetry(store: Store, { until, reason }: Retry): TemplateResult {
  const left = html`<time-left until=${until} ahead=${store.now() - Date.now()}></time-left>`;
  return around(say('doing.retry', { time: '\u0000', reason }), '\u0000', left);
}

type Retry = Extract<LiveDoing, { type: 'retry' }>;

const FOLD_LINES = 8;
/** About what a line of the narrow sidebar holds. */
const LINE_CHARS = 52;

/** How many lines a text takes, roughly: enough to say whether it folds. */
export function roughLines(text: string): number {
  let lines = 0;
  for (const line of text.split('\n')) lines += Math.max(1, Math.ceil(line.length / LINE_CHARS));
  return lines;
}

/** A message's text as markdown; long ones fold, and those of which only the beginning is here are fetched. */
export function foldedBody(store: Store, key: string, body: Body): Shown {
  const whole = store.bodies.get(key);
  const text = whole ?? body.text;
  if (text.trim() === '' && body.bytes === null) return nothing;
  const cut = body.bytes !== null && whole === undefined;
  const open = store.open.has(foldKey(key));
  const long = roughLines(text) > FOLD_LINES + 1;
  return html`<div class="body ${long && !open ? 'folded' : ''}">${bodyText(key, cut ? `${text}…` : text)}</div>
    ${long || cut ? foldLink(store, key, body, open, cut) : nothing}`;
}

export const foldKey = (key: string): string => `fold:${key}`;

function foldLink(store: Store, key: string, body: Body, open: boolean, cut: boolean): TemplateResult {
  const words = open && !cut ? say('row.less') : say('row.moreLines');
  const sized = cut && body.bytes !== null ? say('row.more', { size: size(body.bytes) }) : words;
  return html`<button class="link fold" aria-expanded=${open && !cut} @click=${() => unfold(store, key, body)}>
    ${sized}
  </button>`;
}

export function unfold(store: Store, key: string, body: Body): void {
  const cut = body.bytes !== null && !store.bodies.has(key);
  if (cut) store.expand(key);
  if (cut && store.open.has(foldKey(key))) store.changed();
  else store.toggle(foldKey(key));
}

export function counts(added: number, removed: number): TemplateResult {
  return html`<span class="counts" role="img" aria-label=${say('changes.counts', { added, removed })}
    ><span class=${added === 0 ? 'none' : 'added'}>+${added}</span>
    <span class=${removed === 0 ? 'none' : 'removed'}>−${removed}</span></span
  >`;
}

/** A path in which the name of the file stays to be seen where there is little room. */
export function path(text: string): TemplateResult {
  const cut = text.lastIndexOf('/') + 1;
  const folder = text.slice(0, cut);
  return html`<span class="path" title=${text}
    >${folder === '' ? nothing : html`<span class="folder">${unspoofed(folder)}</span>`}<span class="file"
      >${unspoofed(text.slice(cut))}</span
    ></span
  >`;
}
