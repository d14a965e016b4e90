import { css } from 'lit';

export const composerStyles = css`
  .composer {
    position: relative;
    padding-bottom: 6px;
  }
  .field {
    position: relative;
    display: block;
  }
  .field textarea.writing {
    padding-inline-end: 34px;
  }
  .field > vscode-button {
    position: absolute;
    inset-inline-end: 4px;
    bottom: 6px;
  }
  .chip {
    display: flex;
    align-items: center;
    padding-bottom: 4px;
  }
  .chip span {
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .chip vscode-button {
    margin-inline-start: auto;
  }
  .mentions {
    position: absolute;
    inset-inline: 0;
    bottom: 100%;
    margin: 0 0 4px;
    padding: 4px 0;
    list-style: none;
    max-height: 200px;
    overflow-y: auto;
    color: var(--vscode-editorSuggestWidget-foreground, var(--vscode-foreground));
    background: var(--vscode-editorSuggestWidget-background, var(--vscode-sideBar-background));
    border: 1px solid var(--vscode-editorSuggestWidget-border, var(--line));
    border-radius: 4px;
    z-index: 2;
  }
  .mentions li {
    padding: 2px 10px;
    cursor: pointer;
  }
  .mentions li:hover {
    background: var(--vscode-list-hoverBackground);
  }
  .mentions li[aria-selected='true'] {
    color: var(--vscode-editorSuggestWidget-selectedForeground, var(--vscode-list-activeSelectionForeground));
    background: var(--vscode-editorSuggestWidget-selectedBackground, var(--vscode-list-activeSelectionBackground));
    outline: 1px dotted var(--vscode-contrastActiveBorder, transparent);
    outline-offset: -1px;
  }
`;
