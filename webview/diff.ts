import { html, nothing, type TemplateResult } from 'lit';
import type { DiffView } from '../src/shared/protocol';
import { say, sayCount } from '../src/shared/texts';
import { unspoofed } from './rows/parts';
import type { Diffed } from './store';

/** A diff in place: text only, with what is invisible made seen. */
export function diffBlock(path: string, diffed: Diffed): TemplateResult {
  if (diffed.status === 'asked') return html`<p class="dim">${say('diff.loading')}</p>`;
  const { diff, problem } = diffed;
  if (diff === null || diff.hunks.length === 0)
    return html`<p class="dim">${problem === '' ? say('diff.none') : unspoofed(problem)}</p>`;
  return html`<div class="diff" role="region" tabindex="0" aria-label=${say('diff.label', { path })}>
    <div class="lines">${diff.hunks.map(hunk)}</div>
    ${diff.cut > 0 ? html`<div class="cut">${sayCount('diff.cut', diff.cut)}</div>` : nothing}
  </div>`;
}

const marks = { ' ': 'same', '+': 'plus', '-': 'minus' } as const;

function hunk(part: DiffView['hunks'][number]): TemplateResult {
  return html`<div class="at" title=${say('diff.hunk', { line: part.newStart })}>@@ ${part.oldStart},${part.newStart}</div>
    ${part.lines.map(
      ({ mark, text }) =>
        html`<div class=${marks[mark]}><span class="mark">${mark}</span>${unspoofed(text.replace(/\r$/, ''))}</div>`,
    )}`;
}
