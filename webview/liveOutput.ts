import { html, nothing, type TemplateResult } from 'lit';
import type { TreeRow } from '../src/shared/protocol';
import { say } from '../src/shared/texts';
import { partsOf } from './hidden';
import { chevron } from './icons';
import { type Shown, unspoofed } from './rows/parts';
import type { LiveText, Store } from './store';

/**
 * Below an agent's line: its commands in the background, and the last line of what is being written, which unfolds to
 * more of it where a command writes it.
 */
export function liveOutput(store: Store, row: TreeRow, live: LiveText): Shown {
  const ofJobs = new Set<string>(row.jobs.map((job) => job.call));
  const others = [...live.outputs].filter(([call]) => !ofJobs.has(call));
  const words = live.outputs.size === 0 ? lastLine(live.text) : '';
  return html`${row.jobs.map(
    ({ call, command, at }) =>
      html`<div class="tail job" id="job-${call}" title=${say('tree.job')}>${unspoofed(command)} · <time-since
          since=${at}
          ahead=${store.now() - Date.now()}
        ></time-since></div>
        ${output(store, row, call, live.outputs.get(call) ?? '')}`,
  )}
  ${others.map(([call, text]) => output(store, row, call, text))}
  ${words === '' ? nothing : html`<div class="tail" aria-hidden="true">${unspoofed(words)}</div>`}`;
}

/** The line is drawn from its attribute: what streams is no part of the names of button and row. */
function output(store: Store, row: TreeRow, call: string, written: string): Shown {
  const text = asSeen(written);
  if (text.trim() === '') return nothing;
  const key = `output:${call}`;
  const open = store.open.has(key);
  const label = say('tree.output', { name: row.agent.name });
  return html`<button class="plain tail unfold" aria-expanded=${open} aria-label=${label} title=${label} @click=${() => store.toggle(key)}>
      ${chevron(open)}<span data-last=${open ? '' : plain(lastLine(text))}></span>
    </button>
    ${open ? whole(text, label) : nothing}`;
}

const MOST_LINES = 12;

/** A field that can only be read: it scrolls by keyboard, and what is in it is no part of the row's name. */
const whole = (text: string, label: string): TemplateResult => {
  const lines = Math.min(MOST_LINES, text.trimEnd().split('\n').length);
  return html`<textarea class="output" readonly aria-label=${label} rows=${lines} .value=${plain(text)} @keydown=${inside}></textarea>`;
};

/** What is not seen is named, as everywhere. */
const plain = (text: string): string =>
  partsOf(text.trimEnd())
    .map((part) => (part.type === 'text' ? part.text : `⟨${part.text}⟩`))
    .join('');

/** The end stays in sight while it grows, unless the person reads in it. */
export function followOutputs(root: ParentNode, active: Element | null): void {
  for (const field of root.querySelectorAll<HTMLElement>('textarea.output'))
    if (field !== active) field.scrollTop = field.scrollHeight;
}

/** Arrows scroll here; they do not walk the tree. */
const inside = (event: KeyboardEvent): void => {
  if (event.key.startsWith('Arrow')) event.stopPropagation();
};

const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** As a terminal would leave it: without colours, of a line that was written over only the last. */
const asSeen = (text: string): string =>
  text
    .replace(colours, '')
    .split('\n')
    .map((line) => line.replace(/\r+$/, ''))
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n');

function lastLine(text: string): string {
  const lines = text.trimEnd().split('\n');
  return (lines[lines.length - 1] ?? '').trim().slice(-160);
}
