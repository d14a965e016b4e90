import { html, nothing, type TemplateResult } from 'lit';
import type { DiffView } from '../src/shared/protocol';
import { say, sayCount } from '../src/shared/texts';
import { type Shown, unspoofed } from './rows/parts';
import type { Diffed } from './store';

type Hunk = DiffView['hunks'][number];
type UndoHunk = (hunk: string) => void;

/** A diff in place: text only, with what is invisible made seen. @param undo null: no place of it can be undone here */
export function diffBlock(path: string, diffed: Diffed, undo: UndoHunk | null = null): TemplateResult {
  if (diffed.status === 'asked') return html`<p class="dim">${say('diff.loading')}</p>`;
  const { diff, problem } = diffed;
  if (diff === null || diff.hunks.length === 0)
    return html`<p class="dim">${problem === '' ? say('diff.none') : unspoofed(problem)}</p>`;
  return html`<div class="diff" role="region" tabindex="0" aria-label=${say('diff.label', { path })}>
    <div class="lines">${diff.hunks.map((part) => hunk(path, part, undo))}</div>
    ${diff.cut > 0 ? html`<div class="cut">${sayCount('diff.cut', diff.cut)}</div>` : nothing}
  </div>`;
}

const marks = { ' ': 'same', '+': 'plus', '-': 'minus' } as const;

function hunk(path: string, part: Hunk, undo: UndoHunk | null): TemplateResult {
  return html`<div class="at">
      <span class="place" title=${say('diff.hunk', { line: part.newStart })}>@@ ${part.oldStart},${part.newStart}</span>
      ${part.undone ? html`<span>${say('diff.undone')}</span>` : undoButton(path, part, undo)}
    </div>
    ${part.lines.map(
      ({ mark, text }) =>
        html`<div class="${marks[mark]} ${part.undone ? 'out' : ''}"><span class="mark">${mark}</span>${unspoofed(text.replace(/\r$/, ''))}</div>`,
    )}`;
}

function undoButton(path: string, { id, newStart }: Hunk, undo: UndoHunk | null): Shown {
  if (id === null || undo === null) return nothing;
  const label = say('diff.undoHunk', { path, line: newStart });
  return html`<button class="link" aria-label=${label} title=${label} @click=${() => undo(id)}>${say('diff.undo')}</button>`;
}
