import { html, nothing, type TemplateResult } from 'lit';
import type { FileCount, MessageRow, Receipt } from '../../src/shared/protocol';
import { say, sayCount } from '../../src/shared/texts';
import { button } from '../controls';
import { clock } from '../moments';
import type { Store } from '../store';
import { counts, foldedBody, goOn, moment, named, path, type Shown, speaking, unspoofed } from './parts';
import { requestWords, reviewButtons, reviewState } from './review';

/** A message: who, to whom, what, and what became of it. A report that changed files is framed as a delivery. */
export function messageRow(store: Store, row: MessageRow): TemplateResult {
  const body = foldedBody(store, row.key, row.body);
  const framed = row.kind === 'report' && (row.files.length > 0 || row.ended === null);
  return html`<div class="line">
      <span class="head">${speaking(row.from)} ${addressed(row)}</span>
      <span class="aside">${row.n === null ? nothing : say('row.number', { n: row.n })} ${moment(row.at)}</span>
    </div>
    ${framed ? html`<div class="frame ${row.ended === null ? 'delivery' : ''}">${body}${endedWords(row)}${delivery(store, row)}</div>` : body}
    ${framed ? nothing : endedWords(row)} ${goOn(store, row.retry, typeof row.from === 'object' ? row.from.id : null)}
    ${row.flagged ? html`<p class="dim">${say('row.flagged')}</p>` : nothing} ${receipts(row.receipts)}`;
}

function addressed(row: MessageRow): Shown {
  if (row.kind === 'report')
    return html`<span class="dim">${say(row.files.length > 0 && row.ended === null ? 'row.delivered' : 'row.reports')}</span>`;
  if (row.kind === 'user' || row.kind === 'answer') return nothing;
  const names = row.all ? say('who.all') : row.to.map((who) => who.name).join(', ');
  return html`<span class="dim"
    ><span aria-hidden="true">→ ${unspoofed(names)}</span><span class="unseen">${say('who.to', { names })}</span></span
  >`;
}

function endedWords(row: MessageRow): Shown {
  if (row.ended === null) return nothing;
  const { reason, detail } = row.ended;
  const how = say(`ended.${reason}`);
  const words = detail === null ? how : say('ended.withDetail', { how, detail });
  return html`<p class="warn">${unspoofed(words)}</p>`;
}

const SHOWN_FILES = 6;

function delivery(store: Store, row: MessageRow): Shown {
  if (row.files.length === 0 || typeof row.from !== 'object') return nothing;
  const agent = row.from.id;
  const more = row.files.length - SHOWN_FILES;
  const left = store.head?.agents.find((each) => each.id === agent)?.left ?? true;
  return html`<ul class="files">
      ${row.files.slice(0, SHOWN_FILES).map((file) => html`<li>${fileLine(store, agent, file)}</li>`)}
      ${more > 0 ? html`<li class="dim">… ${sayCount('files', more)}</li>` : nothing}
    </ul>
    ${row.review === null || row.review.state === 'to_review' ? nothing : html`<p class="dim">${reviewState(row.review)}</p>`}
    <div class="buttons">
      ${button(say('changes.review'), () => store.show('changes', `g:${agent}`, true), { primary: true })}
      ${reviewButtons(store, row.review, left)}
    </div>
    ${requestWords(store, row.review, row.from.name)}`;
}

function fileLine(
  store: Store,
  agent: Parameters<typeof store.setFilter>[0] & string,
  file: FileCount,
): TemplateResult {
  return html`<button
      class="plain"
      title=${say('changes.openDiff', { path: file.path })}
      @click=${() => void store.act({ type: 'openDiff', agent, path: file.path })}
    >
      ${path(file.path)}
    </button>
    ${file.status === 'deleted' ? html`<span class="dim">${say('changes.deleted')}</span>` : nothing}
    ${counts(file.added, file.removed)}`;
}

function receiptWords(receipt: Receipt): string {
  const time = clock(receipt.at);
  const state =
    receipt.state === 'read' || receipt.state === 'answered'
      ? say(`receipt.${receipt.state}`, { time })
      : say(`receipt.${receipt.state}`);
  return receipt.attempt > 1 ? `${state}, ${say('receipt.again', { n: receipt.attempt })}` : state;
}

const marks: Readonly<Record<Receipt['state'], string>> = {
  sent: '○',
  read: '✓',
  answered: '✓✓',
  dropped: '⊘',
};

/** Those that are dealt with need only their mark; what is still owed says so. */
function receipts(list: readonly Receipt[]): Shown {
  if (list.length === 0) return nothing;
  return html`<ul class="receipts" aria-label=${say('receipt.label')}>
    ${list.map((receipt) => {
      const state = receiptWords(receipt);
      const { name } = receipt.to;
      const spoken = say('receipt.of', { name, state });
      return html`<li class=${receipt.state} title=${spoken}>
        <span aria-hidden="true"
          >${marks[receipt.state]} ${unspoofed(name)}${receipt.state === 'answered' ? nothing : `, ${state}`}</span
        ><span class="unseen">${spoken}</span>
      </li>`;
    })}
  </ul>`;
}

/** What the lead is writing at this moment, below the last row. */
export function typingRow(store: Store): Shown {
  const lead = store.head?.agents[0];
  if (lead === undefined || (store.filter !== null && store.filter !== lead.id)) return nothing;
  const { text } = store.live(lead.id);
  if (text.trim() === '') return nothing;
  return html`<div class="row typing" role="article">
    <div class="line">
      <span class="head">${named(lead)} <span class="dim">${say('row.typing')}</span></span>
    </div>
    <div class="body streaming">${text}</div>
  </div>`;
}
