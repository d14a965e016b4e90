import { html, nothing, type TemplateResult } from 'lit';
import type { CompactedRow, HaltedRow, InterruptedRow, JoinedRow, LeftRow } from '../../src/shared/protocol';
import { say } from '../../src/shared/texts';
import { button } from '../controls';
import type { Store } from '../store';
import { foldedBody, goOn, moment, named, nameOf, type Shown, speaking, unspoofed } from './parts';

/** Who came, left, was stopped or interrupted. */
export function joinedRow(store: Store, row: JoinedRow): TemplateResult {
  const key = `brief:${row.key}`;
  const open = store.open.has(key);
  return html`<div class="line">
      <span class="head"
        >${speaking(row.by)} <span class="dim">${say('row.joined', { name: '' })}</span>${named(row.agent)}
        <span class="dim">${unspoofed(row.role)}</span>
        ${row.brief === null ? nothing : briefLink(store, key, open)}</span
      >
      <span class="aside">${moment(row.at)}</span>
    </div>
    ${row.brief === null || !open ? nothing : foldedBody(store, row.key, row.brief)}`;
}

const briefLink = (store: Store, key: string, open: boolean): TemplateResult =>
  html`<button class="link fold" aria-expanded=${open} @click=${() => store.toggle(key)}>${say('row.brief')}</button>`;

export function leftRow(store: Store, row: LeftRow): TemplateResult {
  const words = {
    stopped: say('row.stoppedBy', { who: nameOf(row.by) }),
    dissolved: say('row.dissolved'),
    ended: say('row.left'),
  }[row.reason];
  return html`<div class="line">
      <span class="head">${row.agents.map((agent) => named(agent))} <span class="dim">${words}</span></span>
      <span class="aside">${moment(row.at)}</span>
    </div>
    ${row.leadWaits ? tellTheLead(store) : nothing}`;
}

function tellTheLead(store: Store): TemplateResult {
  const tell = () => void store.act({ type: 'tellLead' });
  return html`<p class="dim">
    ${say('row.leadIsTold')}
    ${store.readOnly ? nothing : html`<button class="link" @click=${tell}>${say('row.tellNow')}</button>`}
  </p>`;
}

const happened = (row: HaltedRow | CompactedRow, words: unknown): TemplateResult =>
  html`<div class="line">
    <span class="head">${named(row.agent)} <span class="dim">${words}</span></span>
    <span class="aside">${moment(row.at)}</span>
  </div>`;

export const haltedRow = (store: Store, row: HaltedRow): TemplateResult =>
  html`${happened(row, say('row.stoppedBy', { who: say('who.youSmall') }))}${goOn(store, row.retry, row.agent.id)}`;

export const compactedRow = (row: CompactedRow): TemplateResult => happened(row, unspoofed(row.words));

export function interruptedRow(store: Store, row: InterruptedRow): TemplateResult {
  const resume = (go: boolean) => () => void store.act({ type: 'resume', go, runs: [row.run] });
  return html`<div class="line">
      <span class="head">${named(row.agent)} <span class="dim">${say('row.interrupted')}</span></span>
      <span class="aside">${moment(row.at)}</span>
    </div>
    <div class="frame asking">
      ${unknownWords(row)}
      ${
        store.readOnly
          ? html`<p class="dim">${say('composer.readOnly')}</p>`
          : html`<div class="buttons">
            ${button(say('ask.continue'), resume(true), { primary: true })} ${button(say('ask.end'), resume(false))}
          </div>`
      }
    </div>`;
}

function unknownWords(row: InterruptedRow): Shown {
  if (row.unknown.length === 0) return nothing;
  return html`<p>${unspoofed(say('row.unknown', { what: row.unknown.join(', ') }))}</p>`;
}
