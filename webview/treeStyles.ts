import { css } from 'lit';

export const treeStyles = css`
  .scroller {
    height: 100%;
    overflow-y: auto;
    padding: 6px 0 12px;
  }
  .empty {
    padding: 12px var(--pad);
  }
  .row.agent {
    border-bottom: none;
    padding: 1px var(--pad);
    padding-inline-start: calc(var(--pad) - 4px + var(--depth) * 18px);
  }
  .row.agent .line {
    align-items: center;
    min-height: 24px;
    position: relative;
  }
  .row.agent:hover,
  .row.agent:focus-within {
    background: var(--vscode-list-hoverBackground);
  }
  .state {
    flex: none;
    width: 18px;
    text-align: center;
    color: var(--vscode-icon-foreground, inherit);
  }
  .state.asks,
  .state.interrupted {
    color: var(--warn);
  }
  .state.finished {
    color: var(--good);
  }
  .state.failed {
    color: var(--bad);
  }
  /* Where there is little room, what it took gives way first, then what it does, and its name last. */
  .row.agent .head {
    display: flex;
    flex: 1 1 auto;
    align-items: baseline;
    white-space: nowrap;
    cursor: pointer;
  }
  .row.agent .who {
    flex: 0 1 auto;
  }
  .doing {
    flex: 1 1000 10ch;
    width: 10ch;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    margin-inline-start: 2px;
    color: var(--dim);
  }
  .agent.asks .doing {
    color: var(--warn);
  }
  .gone .name {
    font-weight: 400;
    color: var(--dim);
  }
  .gone .dot {
    opacity: 0.45;
  }
  .row.agent .aside {
    flex: 0 1000 auto;
    min-width: 0;
    max-width: none;
    white-space: nowrap;
  }
  .usage {
    display: block;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .tail {
    padding-inline-start: 34px;
    padding-bottom: 2px;
    font-size: 0.92em;
    color: var(--dim);
    font-family: var(--mono);
    white-space: nowrap;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .job::before {
    content: '$ ' / '';
  }
  button.unfold {
    display: flex;
    width: 100%;
    padding-inline-start: 18px;
    font-family: var(--mono);
    font-size: 0.92em;
    color: var(--dim);
  }
  .unfold span::before {
    content: attr(data-last);
  }
  .unfold span {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .output {
    display: block;
    width: calc(100% - 34px);
    margin: 0 0 4px 34px;
    padding: 2px 6px;
    resize: none;
    font-family: var(--mono);
    font-size: var(--mono-size);
    line-height: 1.4;
    color: inherit;
    background: none;
    border: 1px solid var(--vscode-contrastBorder, var(--line));
    border-radius: 3px;
    overflow-wrap: anywhere;
  }
  .tools {
    display: flex;
    position: absolute;
    inset-inline-end: -4px;
    opacity: 0;
  }
  .row:hover .tools,
  .row:focus .tools,
  .row:focus-within .tools {
    opacity: 1;
  }
  .limits {
    padding: 14px var(--pad) 0;
  }
  .limits h2 {
    font-size: 0.85em;
    font-weight: 400;
    text-transform: uppercase;
    letter-spacing: 0.04em;
    color: var(--dim);
    margin: 0 0 6px;
  }
  .limit + .limit {
    margin-top: 8px;
  }
  .limit .aside {
    font-size: 1em;
    color: inherit;
  }
  .bar {
    height: 3px;
    margin-top: 3px;
    background: color-mix(in srgb, var(--vscode-foreground) 12%, transparent);
    border-radius: 2px;
    overflow: hidden;
  }
  .bar > div {
    height: 100%;
    background: var(--vscode-progressBar-background, var(--vscode-charts-blue));
  }
  .bar.near > div {
    background: var(--vscode-editorWarning-foreground, var(--vscode-charts-yellow));
  }
  .row:hover .aside,
  .row:focus .aside,
  .row:focus-within .aside {
    visibility: hidden;
  }
  .gone .aside {
    visibility: visible !important;
  }
  @media (max-width: 300px) {
    .row:not(.gone):hover .head,
    .row:not(.gone):focus .head,
    .row:not(.gone):focus-within .head {
      padding-inline-end: 20px;
    }
  }
  @media (forced-colors: active) {
    .bar > div {
      background: CanvasText;
    }
  }
`;
