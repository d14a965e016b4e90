import { html, nothing, type TemplateResult } from 'lit';
import type { ChangeGroupRow, FileRow } from '../../src/shared/protocol';
import { say, sayCount } from '../../src/shared/texts';
import { button, iconButton } from '../controls';
import { diffBlock } from '../diff';
import { chevron, diffIcon, fileIcon, undoIcon } from '../icons';
import { clock } from '../moments';
import type { Store } from '../store';
import { around, counts, named, nameOf, path, type Shown, unspoofed } from './parts';
import { requestWords, reviewButtons, reviewState } from './review';

/** What a member has changed: its name, then its files, each with its diff in place. */
export function groupRow(row: ChangeGroupRow): TemplateResult {
  const more = [row.working ? say('changes.working') : '', reviewState(row.review)].filter(
    (each) => each !== '',
  );
  return html`<div class="line">
    <span class="head"
      >${named(row.agent)} <span class="dim">${[sayCount('files', row.files), ...more].join(' · ')}</span></span
    >
    <span class="aside">${counts(row.added, row.removed)}</span>
  </div>`;
}

export const diffOpenKey = (row: FileRow): string => `diff:${row.key}`;

export function fileRow(store: Store, row: FileRow): TemplateResult {
  const key = diffOpenKey(row);
  const open = store.open.has(key);
  return html`<div class="line file-line">
      <button
        class="plain opener"
        aria-expanded=${open}
        aria-label=${say('changes.show', { path: row.path })}
        @click=${() => store.toggle(key)}
      >
        ${chevron(open)} ${path(row.path)}
      </button>
      <span class="meta"><span class="aside">${fileState(row)}</span>${fileTools(store, row)}</span>
    </div>
    ${open ? fileDiff(store, row) : nothing} ${notes(store, row)} ${row.last ? groupEnd(store, row) : nothing}`;
}

function fileTools(store: Store, row: FileRow): TemplateResult {
  const agent = row.agent.id;
  return html`<span class="tools">
    ${iconButton(fileIcon, say('changes.openFile', { path: row.path }), () => void store.act({ type: 'openFile', path: row.path }), { disabled: row.status === 'deleted' })}
    ${iconButton(diffIcon, say('changes.openDiff', { path: row.path }), () => void store.act({ type: 'openDiff', agent, path: row.path }))}
    ${iconButton(
      undoIcon,
      row.undoable ? say('changes.undoFile', { path: row.path }) : say('changes.noUndo'),
      () => void store.act({ type: 'undoFile', agent, path: row.path }),
      { disabled: !row.undoable || store.readOnly },
    )}
  </span>`;
}

function fileDiff(store: Store, row: FileRow): TemplateResult {
  const agent = row.agent.id;
  const undo = (hunk: string) => void store.act({ type: 'undoHunk', agent, path: row.path, hunk });
  const may = row.undoable && !store.readOnly;
  return diffBlock(row.path, store.diff({ type: 'file', agent, path: row.path }), may ? undo : null);
}

function fileState(row: FileRow): TemplateResult {
  if (row.undone !== null)
    return html`<span>${say('changes.undone', { who: nameOf(row.undone.by), time: clock(row.undone.at) })}</span>`;
  const words = [
    row.from === null ? '' : say('changes.renamed'),
    row.status === 'changed' ? '' : say(`changes.${row.status}`),
    row.binary ? say('changes.binary') : '',
    row.undoable ? '' : say('changes.noUndo'),
  ].filter((each) => each !== '');
  const counted = row.added + row.removed > 0 || row.mode === null;
  return html`<span>${words.join(' · ')}</span>
    ${counted && (words.length === 0 || row.added + row.removed > 0) ? html`<span title=${row.edits > 1 ? sayCount('changes.edits', row.edits) : nothing}>${counts(row.added, row.removed)}</span>` : nothing}`;
}

/** What else is to be known of a file, below its name. */
function notes(store: Store, row: FileRow): Shown {
  const also = row.alsoBy.map((who) => who.name).join(', ');
  const shared = row.sharedWith.join(', ');
  const found = [
    row.from === null
      ? null
      : html`<span class="dim">${around(say('changes.from', { path: '\u0000' }), '\u0000', path(row.from))}</span>`,
    row.mode === null
      ? null
      : html`<span class="dim">${say('changes.mode', { before: octal(row.mode.before), after: octal(row.mode.after) })}</span>`,
    also === '' ? null : html`<span class="warn">${unspoofed(say('changes.also', { names: also }))}</span>`,
    shared === ''
      ? null
      : html`<span class="warn" title=${say('changes.sharedWhy')}>${unspoofed(say('changes.shared', { names: shared }))}</span>`,
    row.via === null ? null : byCommand(store, row.via),
    row.redo === null || store.readOnly ? null : redoLink(store, row, row.redo),
  ].filter((each) => each !== null);
  return found.length === 0 ? nothing : html`<p class="note">${found}</p>`;
}

const octal = (mode: number): string => (mode & 0o777).toString(8).padStart(3, '0');

function byCommand(store: Store, via: NonNullable<FileRow['via']>): TemplateResult {
  return html`<span class="dim"
    >${around(
      say('changes.via', { command: '\u0000', step: via.step }),
      '\u0000',
      html`<button
        class="plain"
        title=${say('changes.output', { command: via.command })}
        @click=${() => void store.act({ type: 'openOutput', call: via.call })}
      ><code>${unspoofed(via.command)}</code></button>`,
    )}</span
  >`;
}

/** An undo of a file, or of a place in it, is taken back by the same way. */
function redoLink(store: Store, row: FileRow, undo: NonNullable<FileRow['redo']>): TemplateResult {
  const label = say('changes.redoOf', { path: row.path });
  return html`<button class="link" aria-label=${label} title=${label} @click=${() => void store.act({ type: 'redo', undo })}>
    ${say('changes.redo')}
  </button>`;
}

/** What can be done with everything of one member, below its last file. */
function groupEnd(store: Store, row: FileRow): TemplateResult {
  const agent = row.agent.id;
  const group = store.lists.changes.get(`g:${agent}`);
  const of = group?.type === 'group' ? group : null;
  const undoable = of?.undoable ?? 0;
  const review = of?.review ?? null;
  return html`<div class="buttons">
      ${reviewButtons(store, review, of?.left ?? true)}
      ${
        undoable === 0 || store.readOnly
          ? nothing
          : button(
              undoable === 1 ? say('changes.undoOne') : say('changes.undoAll', { n: undoable }),
              () => void store.act({ type: 'undoMember', agent }),
              { name: 'undo' },
            )
      }
      ${button(say('changes.openAll'), () => void store.act({ type: 'openAllDiffs', agent }))}
    </div>
    ${requestWords(store, review, row.agent.name)}`;
}

/** Above all members: how much is to review, and the way back from everything. */
export function changesBar(store: Store): Shown {
  const { changes } = store.lists;
  const rows = changes.keys.map((_, index) => changes.at(index));
  const groups = rows.filter((row) => row?.type === 'group');
  const waiting = groups.filter((group) => group.review?.state === 'to_review').length;
  // Of what has not been loaded nothing is known: it may have something.
  const mayUndo = rows.includes(undefined) || groups.some((group) => group.undoable > 0);
  if (store.readOnly || (waiting === 0 && !mayUndo)) return nothing;
  const label = say('changes.undoTaskOf');
  return html`<div class="changes-bar">
    <span>${waiting === 0 ? nothing : sayCount('review.count', waiting)}</span>
    ${
      mayUndo
        ? html`<button class="link" aria-label=${label} title=${label} @click=${() => void store.act({ type: 'undoTask' })}>
          ${say('changes.undoTask')}
        </button>`
        : nothing
    }
  </div>`;
}
