import { html, type SVGTemplateResult, svg, type TemplateResult } from 'lit';
import type { AgentState } from '../src/shared/protocol';

/** Small pictures in the colour of their text; words beside them say the same. */
const icon = (content: SVGTemplateResult): TemplateResult =>
  html`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" stroke="currentColor"
    stroke-width="1.2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${content}</svg>`;

export const stopIcon = icon(
  svg`<rect x="4" y="4" width="8" height="8" rx="0.8" fill="currentColor" stroke="none"/>`,
);
export const messageIcon = icon(svg`<path d="M2.5 3.5h11v7.5H7.2L4.5 13.4V11h-2z"/>`);
export const sendIcon = icon(svg`<path d="M2.5 2.8 13.6 8 2.5 13.2 4.4 8z"/><path d="M4.4 8h4.2"/>`);
export const filterIcon = icon(svg`<path d="M2.5 4h11M4.7 8h6.6M6.8 12h2.4"/>`);
export const settingsIcon = icon(
  svg`<path d="M2.5 5h6M11.5 5h2M2.5 11h2M7.5 11h6"/><circle cx="10" cy="5" r="1.5"/><circle cx="6" cy="11" r="1.5"/>`,
);
export const closeIcon = icon(svg`<path d="m4.2 4.2 7.6 7.6m0-7.6-7.6 7.6"/>`);
export const diffIcon = icon(
  svg`<path d="M3.5 2.5h6l3 3v8h-9z"/><path d="M8 5.8v3.4M6.3 7.5h3.4M6.3 11.3h3.4"/>`,
);
export const fileIcon = icon(svg`<path d="M3.5 2.5h6l3 3v8h-9zM9.3 2.6v3.1h3.1"/>`);
export const undoIcon = icon(
  svg`<path d="M5.5 3 2.8 5.8l2.7 2.8"/><path d="M3 5.8h6.2a3.6 3.6 0 0 1 0 7.2H6"/>`,
);
export const copyIcon = icon(svg`<path d="M5.5 5.5v-3h8v8h-3"/><path d="M2.5 5.5h8v8h-8z"/>`);
export const downIcon = icon(svg`<path d="M8 3v9.5M4 8.7l4 4 4-4"/>`);

export const chevron = (open: boolean): TemplateResult =>
  icon(open ? svg`<path d="m4 6 4 4 4-4"/>` : svg`<path d="m6 4 4 4-4 4"/>`);

const stateIcons: Readonly<Record<AgentState, TemplateResult>> = {
  working: icon(svg`<circle cx="8" cy="8" r="5" stroke-dasharray="2.2 2"/>`),
  asks: icon(
    svg`<circle cx="8" cy="8" r="5.5"/><path d="M8 5v3.6"/><circle cx="8" cy="10.9" r="0.5" fill="currentColor"/>`,
  ),
  waits: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="M8 4.9V8l2.2 1.4"/>`),
  interrupted: icon(
    svg`<path d="M8 2.8 14 13.2H2z"/><path d="M8 6.6v3"/><circle cx="8" cy="11.4" r="0.5" fill="currentColor"/>`,
  ),
  finished: icon(svg`<path d="m3.5 8.4 3 3 6-6.6"/>`),
  failed: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="m6 6 4 4m0-4-4 4"/>`),
  stopped: icon(svg`<circle cx="8" cy="8" r="5.5"/><path d="m4.2 11.8 7.6-7.6"/>`),
  idle: icon(svg`<circle cx="8" cy="8" r="5.5"/>`),
};

export const stateIcon = (state: AgentState): TemplateResult => stateIcons[state];
