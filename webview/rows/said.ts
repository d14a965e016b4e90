import { html, type TemplateResult } from 'lit';
import type { SaidRow } from '../../src/shared/protocol';
import type { Store } from '../store';
import { foldedBody, moment, named } from './parts';

/** What the lead says beside its calls: not an answer, so that it stands back. */
export const saidRow = (store: Store, row: SaidRow): TemplateResult =>
  html`<div class="line">
      <span class="head">${named(row.agent)}</span>
      <span class="aside">${moment(row.at)}</span>
    </div>
    <div class="dim">${foldedBody(store, row.key, row.body)}</div>`;
