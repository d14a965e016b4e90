import { css } from 'lit';

/** Colours come from the theme alone. Dim and coloured words are mixed with the text's colour to stay readable. */
export const sharedStyles = css`
  :host {
    --line: var(--vscode-widget-border, var(--vscode-panel-border, var(--vscode-contrastBorder, rgba(128, 128, 128, 0.25))));
    --dim: color-mix(in srgb, var(--vscode-foreground) 74%, var(--vscode-sideBar-background, transparent));
    --good: color-mix(in srgb, var(--vscode-gitDecoration-addedResourceForeground, var(--vscode-charts-green)) 82%, var(--vscode-foreground));
    --bad: color-mix(in srgb, var(--vscode-gitDecoration-deletedResourceForeground, var(--vscode-charts-red)) 72%, var(--vscode-foreground));
    --warn: color-mix(in srgb, var(--vscode-editorWarning-foreground, var(--vscode-charts-yellow)) 60%, var(--vscode-foreground));
    --link: var(--vscode-textLink-foreground);
    --mono: var(--vscode-editor-font-family, monospace);
    --mono-size: calc(var(--vscode-font-size, 13px) - 1px);
    --small: calc(var(--vscode-font-size, 13px) - 1px);
    --pad: 12px;
    --surface: color-mix(in srgb, var(--vscode-foreground) 4%, transparent);
    display: block;
    box-sizing: border-box;
  }
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  p {
    margin: 0;
  }
  b {
    font-weight: 600;
  }
  code,
  pre {
    font-family: var(--mono);
    font-size: var(--mono-size);
  }
  time,
  time-since,
  time-left,
  .counts,
  .usage,
  .amount,
  .number {
    font-variant-numeric: tabular-nums;
  }
  .icon {
    display: inline-block;
    vertical-align: -3px;
    flex: none;
  }
  .dim {
    color: var(--dim);
  }
  .warn {
    color: var(--warn);
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .hidden {
    font-family: var(--mono);
    font-size: 0.85em;
    color: var(--warn);
    border: 1px solid currentColor;
    border-radius: 3px;
    padding: 0 2px;
    margin: 0 1px;
  }
  button.link,
  button.plain {
    font: inherit;
    color: inherit;
    background: none;
    border: none;
    padding: 0;
    margin: 0;
    text-align: inherit;
    cursor: pointer;
  }
  button.link,
  a {
    color: var(--link);
    text-decoration: none;
  }
  button.link:hover,
  a:hover {
    color: var(--vscode-textLink-activeForeground, var(--link));
    text-decoration: underline;
  }
  :focus-visible {
    outline: 1px solid var(--vscode-focusBorder);
    outline-offset: 1px;
  }
  .buttons {
    display: flex;
    flex-wrap: wrap;
    gap: 6px;
  }
  :host-context(.vscode-high-contrast) {
    --dim: var(--vscode-foreground);
  }
  vscode-button {
    --button-padding-horizontal: 9px;
    --button-padding-vertical: 2px;
    max-width: 100%;
  }
  /* Inside, the toolkit leaves the browser's own font. */
  vscode-button::part(control) {
    font: inherit;
    font-size: var(--small);
  }
  vscode-badge {
    --badge-background: var(--vscode-activityBarBadge-background, var(--vscode-badge-background));
    --badge-foreground: var(--vscode-activityBarBadge-foreground, var(--vscode-badge-foreground));
  }
  vscode-button[appearance='icon'] {
    color: var(--vscode-icon-foreground, inherit);
  }
  .dot {
    display: inline-block;
    flex: none;
    width: 8px;
    height: 8px;
    border-radius: 50%;
    background: var(--dot);
    vertical-align: 0;
    margin-inline-end: 6px;
  }
  .dot0 {
    --dot: var(--vscode-charts-blue);
  }
  .dot1 {
    --dot: var(--vscode-charts-green);
  }
  .dot2 {
    --dot: var(--vscode-charts-purple);
  }
  .dot3 {
    --dot: var(--vscode-charts-yellow);
  }
  .dot4 {
    --dot: var(--vscode-charts-orange);
  }
  .dot5 {
    --dot: var(--vscode-charts-red);
  }
  .dot6 {
    --dot: var(--vscode-charts-foreground);
  }
  .dot7 {
    --dot: var(--vscode-charts-lines);
  }
`;

export const appStyles = css`
  main {
    display: flex;
    flex-direction: column;
    height: 100vh;
  }
  :host {
    min-width: 0;
    color: var(--vscode-foreground);
    font-family: var(--vscode-font-family);
    font-size: var(--vscode-font-size, 13px);
    line-height: 1.45;
  }
  .top {
    display: flex;
    align-items: center;
    flex: none;
    border-bottom: 1px solid var(--line);
    padding: 0 var(--pad);
  }
  .tabs {
    display: flex;
    flex: 1;
    flex-wrap: wrap;
    gap: 0 8px;
    margin-inline-start: -4px;
    min-width: 0;
  }
  .tab {
    font: inherit;
    color: var(--dim);
    background: none;
    border: none;
    border-bottom: 2px solid transparent;
    margin-bottom: -1px;
    padding: 6px 4px;
    cursor: pointer;
    white-space: nowrap;
  }
  .tab:hover {
    color: var(--vscode-foreground);
  }
  .tab[aria-selected='true'] {
    color: var(--vscode-foreground);
    border-bottom-color: var(--vscode-panelTitle-activeBorder, var(--vscode-focusBorder));
  }
  /* Of high contrast, whose lines are all alike. */
  .tab[aria-selected='true']:not(:focus-visible) {
    outline: 1px solid var(--vscode-contrastActiveBorder, transparent);
    outline-offset: -1px;
  }
  :host-context(.vscode-high-contrast) .tab[aria-selected='true'] {
    border-bottom-width: 3px;
    padding-bottom: 5px;
  }
  .tab vscode-badge {
    margin-inline-start: 6px;
  }
  @media (max-width: 280px) {
    .tab .number {
      display: none;
    }
  }
  .filter {
    position: relative;
    flex: none;
    padding: 2px;
    border-radius: 4px;
    color: var(--vscode-icon-foreground, inherit);
  }
  .filter:hover {
    background: var(--vscode-toolbar-hoverBackground);
  }
  .filter:focus-within {
    outline: 1px solid var(--vscode-focusBorder);
  }
  .filter.on {
    color: var(--link);
  }
  .filter select {
    position: absolute;
    inset: 0;
    width: 100%;
    opacity: 0;
    cursor: pointer;
  }
  select,
  option {
    font: inherit;
    color: var(--vscode-dropdown-foreground, var(--vscode-foreground));
    background: var(--vscode-dropdown-background, transparent);
  }
  .session {
    flex: none;
    padding: 6px var(--pad) 0;
  }
  .session select {
    width: 100%;
    padding: 2px 4px;
    border: 1px solid var(--vscode-dropdown-border, var(--line));
    border-radius: 2px;
    text-overflow: ellipsis;
  }
  .banner {
    flex: none;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: 6px 12px;
    padding: 8px var(--pad);
    border-bottom: 1px solid var(--line);
    border-inline-start: 3px solid var(--vscode-charts-blue);
  }
  .banner.bad {
    border-inline-start-color: var(--vscode-charts-red);
  }
  .banner.only {
    flex-wrap: nowrap;
    padding-block: 4px;
  }
  .banner p {
    overflow-wrap: anywhere;
  }
  .banner .dot {
    margin-inline: 2px 4px;
  }
  .changes-bar {
    flex: none;
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 12px;
    padding: 6px var(--pad) 0;
    color: var(--dim);
  }
  #panel {
    flex: 1;
    min-height: 0;
    display: flex;
    flex-direction: column;
  }
  row-list,
  tree-view {
    flex: 1;
    min-height: 0;
  }
  .empty {
    padding: 48px 18px 18px;
    display: flex;
    flex-direction: column;
    gap: 14px;
    max-width: 420px;
    color: var(--dim);
  }
  .empty.small {
    padding-top: 24px;
    gap: 6px;
  }
  .empty b,
  .empty .title {
    color: var(--vscode-foreground);
    font-weight: 600;
  }
  .earlier {
    display: flex;
    flex-direction: column;
    align-items: start;
    gap: 4px;
  }
  .stack {
    display: grid;
    gap: 6px;
  }
  .stack vscode-button {
    width: 100%;
    --button-padding-vertical: 3px;
  }
  footer {
    flex: none;
    border-top: 1px solid var(--line);
    padding: 8px var(--pad);
  }
  .glance {
    display: flex;
    flex-wrap: wrap;
    justify-content: space-between;
    gap: 0 12px;
    color: var(--dim);
    font-variant-numeric: tabular-nums;
  }
  .retrying {
    padding-bottom: 4px;
    color: var(--warn);
    overflow-wrap: anywhere;
    font-variant-numeric: tabular-nums;
  }
  .pill {
    border: 1px solid var(--line);
    border-radius: 8px;
    padding: 0 6px;
    margin-inline-start: 6px;
    font-size: 0.9em;
  }
`;

export { composerStyles } from './composerStyles';
export { listStyles } from './listStyles';
export { rowStyles } from './rowStyles';
export { treeStyles } from './treeStyles';
