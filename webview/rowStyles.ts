import { css } from 'lit';

export const rowStyles = css`
  .row {
    position: relative;
    padding: 9px var(--pad);
    border-bottom: 1px solid var(--line);
  }
  .row:focus {
    outline: none;
  }
  .row:focus-visible {
    outline: 1px solid var(--vscode-focusBorder);
    outline-offset: -1px;
  }
  .line {
    display: flex;
    align-items: baseline;
    gap: 8px;
    min-width: 0;
  }
  .head {
    flex: 1;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .who {
    display: inline-flex;
    align-items: baseline;
    max-width: 100%;
    margin-inline-end: 4px;
    vertical-align: bottom;
  }
  .who .name {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .together {
    display: inline-block;
    max-width: 100%;
  }
  .aside {
    flex: none;
    max-width: 60%;
    color: var(--dim);
    font-size: 0.92em;
    text-align: end;
    font-variant-numeric: tabular-nums;
  }
  .body {
    overflow-wrap: anywhere;
    user-select: text;
  }
  .body.folded {
    max-height: calc(8 * 1.45em);
    overflow: hidden;
    mask-image: linear-gradient(to bottom, black 75%, transparent);
  }
  .streaming {
    white-space: pre-wrap;
    color: var(--dim);
  }
  .fold {
    margin-top: 2px;
  }
  .frame {
    margin-top: 6px;
    padding: 8px 10px;
    background: var(--surface);
    border: 1px solid var(--vscode-contrastBorder, var(--line));
    border-inline-start: 3px solid var(--edge, var(--line));
    border-radius: 2px;
  }
  .frame.asking {
    --edge: var(--vscode-editorWarning-foreground, var(--vscode-charts-yellow));
  }
  .frame.delivery {
    --edge: var(--vscode-charts-green);
  }
  .settled .copied {
    margin-top: 2px;
  }
  .frame > * + * {
    margin-top: 8px;
  }
  .row > .buttons,
  .row > .warn {
    margin-top: 6px;
  }
  .why {
    overflow-wrap: anywhere;
  }
  .copied {
    display: flex;
    align-items: start;
    gap: 4px;
    margin-top: 6px;
  }
  .copied vscode-button {
    opacity: 0;
  }
  .frame:hover .copied vscode-button,
  .copied:focus-within vscode-button {
    opacity: 1;
  }
  pre.command {
    flex: 1;
    min-width: 0;
    margin: 0;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    user-select: text;
  }
  pre.command.folded {
    max-height: calc(10 * 1.45em);
    overflow: hidden;
    mask-image: linear-gradient(to bottom, black 80%, transparent);
  }
  .files {
    list-style: none;
    margin: 8px 0 0;
    padding: 0;
  }
  .files li {
    display: flex;
    align-items: baseline;
    gap: 8px;
    min-width: 0;
  }
  .files button {
    flex: 1;
    min-width: 0;
  }
  .files button:hover .file,
  .opener:hover .file {
    text-decoration: underline;
  }
  .path {
    display: inline-flex;
    max-width: 100%;
    min-width: 0;
    font-family: var(--mono);
    font-size: var(--mono-size);
    user-select: text;
    vertical-align: bottom;
  }
  .path .folder {
    flex: 0 1 auto;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
    min-width: 0;
  }
  .path .file {
    flex: 0 0 auto;
    max-width: 100%;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  @media (max-width: 300px) {
    .path .folder {
      display: none;
    }
  }
  .counts {
    flex: none;
    white-space: nowrap;
  }
  .added {
    color: var(--good);
  }
  .removed {
    color: var(--bad);
  }
  .none {
    color: var(--dim);
  }
  .receipts {
    display: flex;
    flex-wrap: wrap;
    gap: 0 10px;
    list-style: none;
    margin: 4px 0 0;
    padding: 0;
    font-size: 0.88em;
    color: var(--dim);
  }
  .receipts .answered {
    color: var(--good);
  }
  .markdown.plain {
    white-space: pre-wrap;
  }
  .markdown > * {
    margin: 0;
  }
  .markdown > * + * {
    margin-top: 6px;
  }
  .markdown ul,
  .markdown ol {
    padding-inline-start: 20px;
  }
  .markdown pre,
  .markdown table {
    overflow-x: auto;
    display: block;
    background: var(--vscode-textCodeBlock-background);
    border-radius: 3px;
    padding: 6px 8px;
  }
  .markdown :not(pre) > code {
    background: var(--vscode-textCodeBlock-background);
    border-radius: 3px;
    padding: 0 3px;
  }
  .markdown th,
  .markdown td {
    padding: 1px 8px 1px 0;
    text-align: start;
  }
  .markdown blockquote {
    border-inline-start: 2px solid var(--line);
    padding-inline-start: 8px;
    color: var(--dim);
  }
  .markdown hr {
    border: none;
    border-top: 1px solid var(--line);
  }
  .heading {
    font-weight: 600;
  }
  .where {
    color: var(--dim);
    font-size: 0.92em;
    overflow-wrap: anywhere;
  }
  .diff {
    margin: 6px 0 2px;
    max-height: 420px;
    overflow: auto;
    border: 1px solid var(--vscode-contrastBorder, var(--line));
    border-radius: 3px;
    font-family: var(--mono);
    font-size: var(--mono-size);
    line-height: 1.4;
    user-select: text;
  }
  .diff .lines {
    width: max-content;
    min-width: 100%;
  }
  .diff .lines > div {
    white-space: pre;
    padding: 0 6px;
  }
  .diff .at,
  .diff .cut {
    color: var(--dim);
  }
  .diff .at {
    display: flex;
    gap: 1.5ch;
    position: sticky;
    inset-inline-start: 0;
    width: max-content;
  }
  .diff .at .link {
    font-family: var(--vscode-font-family);
  }
  .diff .cut {
    padding: 2px 6px;
  }
  .diff .mark {
    display: inline-block;
    width: 1.2ch;
    user-select: none;
  }
  .diff .plus {
    background: var(--vscode-diffEditor-insertedLineBackground, var(--vscode-diffEditor-insertedTextBackground));
  }
  .diff .minus {
    background: var(--vscode-diffEditor-removedLineBackground, var(--vscode-diffEditor-removedTextBackground));
  }
  .diff .out {
    background: none;
    color: var(--dim);
    text-decoration: line-through;
  }
  .diff .plus .mark {
    color: var(--good);
  }
  .diff .minus .mark {
    color: var(--bad);
  }
`;
