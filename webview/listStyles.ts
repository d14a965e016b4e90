import { css } from 'lit';

export const listStyles = css`
  :host {
    display: flex;
    flex-direction: column;
  }
  .scroller {
    position: relative;
    flex: 1;
    min-height: 0;
    overflow-y: auto;
    overflow-x: hidden;
    contain: strict;
  }
  .unloaded {
    color: var(--dim);
  }
  .row.group {
    border-bottom: none;
    padding-bottom: 2px;
  }
  .row.group .head .dim {
    white-space: nowrap;
  }
  .row.file {
    border-bottom: none;
    padding-block: 1px;
  }
  .row.file:has(> .buttons) {
    padding-bottom: 10px;
    border-bottom: 1px solid var(--line);
  }
  .file-line {
    align-items: center;
    min-height: 24px;
    position: relative;
  }
  .opener {
    flex: 1;
    display: flex;
    align-items: center;
    gap: 2px;
    min-width: 0;
    margin-inline-start: -4px;
  }
  .opener .path {
    min-width: 0;
  }
  /* Counts and pictures share one place, so that nothing moves and no word shows beside the pictures. */
  .meta {
    display: grid;
    flex: none;
    max-width: 60%;
    align-items: center;
    justify-items: end;
  }
  .meta > * {
    grid-area: 1 / 1;
  }
  .file-line .aside {
    display: flex;
    flex-wrap: wrap;
    justify-content: end;
    gap: 0 6px;
    max-width: 100%;
    /* Faded out it lies above the pictures. */
    pointer-events: none;
  }
  .note {
    display: flex;
    flex-wrap: wrap;
    gap: 0 10px;
    font-size: 0.92em;
    padding-inline-start: 14px;
    overflow-wrap: anywhere;
  }
  .tools {
    display: flex;
    opacity: 0;
  }
  .file-line:hover .tools,
  .meta:focus-within .tools,
  .row:focus .tools {
    opacity: 1;
  }
  .file-line:hover .aside,
  .meta:focus-within .aside,
  .row:focus .aside {
    opacity: 0;
  }
  .request {
    margin-top: 8px;
  }
  .request .buttons {
    margin-top: 6px;
  }
  /* A strip of its own: it must not lie on the buttons of a card. */
  .to-end {
    flex: none;
    font: inherit;
    color: var(--link);
    background: none;
    border: none;
    border-top: 1px solid var(--line);
    padding: 2px;
    cursor: pointer;
  }
  .to-end:hover {
    background: var(--vscode-list-hoverBackground);
  }
`;
