import { html, nothing, type TemplateResult } from 'lit';
import type { ChangeGroupRow, FileRow } from '../../src/shared/protocol';
import { say, sayCount } from '../../src/shared/texts';
import { button, iconButton } from '../controls';
import { diffBlock } from '../diff';
import { chevron, diffIcon, fileIcon, undoIcon } from '../icons';
import { clock } from '../moments';
import type { Store } from '../store';
import { around, counts, named, nameOf, path, type Shown, unspoofed } from './parts';

/** What a member has changed: its name, then its files, each with its diff in place. */
export function groupRow(row: ChangeGroupRow): TemplateResult {
  return html`<div class="line">
    <span class="head"
      >${named(row.agent)}
      <span class="dim"
        >${sayCount('files', row.files)}${row.working ? ` · ${say('changes.working')}` : ''}</span
      ></span
    >
    <span class="aside">${counts(row.added, row.removed)}</span>
  </div>`;
}

export const diffOpenKey = (row: FileRow): string => `diff:${row.key}`;

export function fileRow(store: Store, row: FileRow): TemplateResult {
  const key = diffOpenKey(row);
  const open = store.open.has(key);
  const agent = row.agent.id;
  return html`<div class="line file-line">
      <button
        class="plain opener"
        aria-expanded=${open}
        aria-label=${say('changes.show', { path: row.path })}
        @click=${() => store.toggle(key)}
      >
        ${chevron(open)} ${path(row.path)}
      </button>
      <span class="aside">${fileState(row)}</span>
      <span class="tools">
        ${iconButton(fileIcon, say('changes.openFile', { path: row.path }), () => void store.act({ type: 'openFile', path: row.path }), { disabled: row.status === 'deleted' })}
        ${iconButton(diffIcon, say('changes.openDiff', { path: row.path }), () => void store.act({ type: 'openDiff', agent, path: row.path }))}
        ${iconButton(
          undoIcon,
          row.undoable ? say('changes.undoFile', { path: row.path }) : say('changes.noUndo'),
          () => void store.act({ type: 'undoFile', agent, path: row.path }),
          { disabled: !row.undoable || store.readOnly },
        )}
      </span>
    </div>
    ${open ? diffBlock(row.path, store.diff({ type: 'file', agent, path: row.path })) : nothing} ${notes(store, row)}
    ${row.last ? groupButtons(store, row) : nothing}`;
}

function fileState(row: FileRow): TemplateResult {
  if (row.undone !== null)
    return html`<span class="dim"
      >${say('changes.undone', { who: nameOf(row.undone.by), time: clock(row.undone.at) })}</span
    >`;
  const status = row.status === 'changed' ? nothing : say(`changes.${row.status}`);
  return html`${row.undoable ? nothing : html`<span class="dim">${say('changes.noUndo')}</span>`}
    <span class=${row.status}>${status}</span>
    <span title=${row.edits > 1 ? sayCount('changes.edits', row.edits) : nothing}>${counts(row.added, row.removed)}</span>`;
}

function notes(store: Store, row: FileRow): Shown {
  const also = row.alsoBy.map((who) => who.name).join(', ');
  const via = row.via;
  if (also === '' && via === null) return nothing;
  return html`<p class="note">
    ${also === '' ? nothing : html`<span class="warn">${unspoofed(say('changes.also', { names: also }))}</span>`}
    ${
      via === null
        ? nothing
        : html`<span class="dim"
          >${around(
            say('changes.via', { command: '\u0000', step: via.step }),
            '\u0000',
            html`<button
              class="plain"
              title=${say('changes.output', { command: via.command })}
              @click=${() => void store.act({ type: 'openOutput', call: via.call })}
            ><code>${unspoofed(via.command)}</code></button>`,
          )}</span
        >`
    }
  </p>`;
}

function groupButtons(store: Store, row: FileRow): TemplateResult {
  const agent = row.agent.id;
  const group = store.lists.changes.get(`g:${agent}`);
  const undoable = group?.type === 'group' ? group.undoable : 0;
  return html`<div class="buttons">
    ${button(say('changes.openAll'), () => void store.act({ type: 'openAllDiffs', agent }))}
    ${
      undoable === 0 || store.readOnly
        ? nothing
        : button(
            undoable === 1 ? say('changes.undoOne') : say('changes.undoAll', { n: undoable }),
            () => void store.act({ type: 'undoMember', agent }),
          )
    }
  </div>`;
}
