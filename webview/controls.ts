import { provideVSCodeDesignSystem, vsCodeBadge, vsCodeButton } from '@vscode/webview-ui-toolkit';
import { css, html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';

/**
 * The editor's own controls. The toolkit is archived, so that nothing but this module knows it: what replaces it one
 * day has these few functions to serve.
 */
export function registerControls(): void {
  provideVSCodeDesignSystem().register(vsCodeButton(), vsCodeBadge());
}

export interface ButtonOptions {
  readonly primary?: boolean;
  readonly label?: string;
  readonly disabled?: boolean;
  readonly name?: string;
  /** Whether what it opens is open. */
  readonly expanded?: boolean;
}

export function button(
  words: string,
  press: (event: Event) => void,
  options: ButtonOptions = {},
): TemplateResult {
  return html`<vscode-button
    appearance=${options.primary === true ? 'primary' : 'secondary'}
    aria-label=${options.label ?? nothing}
    data-name=${options.name ?? nothing}
    aria-expanded=${options.expanded ?? nothing}
    ?disabled=${options.disabled === true}
    @click=${(event: Event) => options.disabled === true || press(event)}
    >${words}</vscode-button
  >`;
}

/** A button that is only a picture; `label` says what it does. */
export function iconButton(
  icon: TemplateResult,
  label: string,
  press: (event: Event) => void,
  options: { readonly disabled?: boolean; readonly name?: string; readonly expanded?: boolean } = {},
): TemplateResult {
  return html`<vscode-button
    appearance="icon"
    aria-label=${label}
    title=${label}
    data-name=${options.name ?? nothing}
    aria-expanded=${options.expanded ?? nothing}
    ?disabled=${options.disabled === true}
    @click=${(event: Event) => options.disabled === true || press(event)}
    >${icon}</vscode-button
  >`;
}

export const badge = (n: number, label: string): TemplateResult =>
  html`<vscode-badge aria-hidden="true">${n}</vscode-badge><span class="unseen">${label}</span>`;

/** As the toolkit's, which is a text area too, but brings 9 KB of form association that nothing here needs. */
export const textAreaStyles = css`
  textarea.writing {
    display: block;
    width: 100%;
    resize: none;
    font: inherit;
    color: var(--vscode-input-foreground);
    background: var(--vscode-input-background);
    border: 1px solid var(--vscode-input-border, var(--vscode-contrastBorder, transparent));
    border-radius: 2px;
    padding: 6px 8px;
  }
  textarea.writing::placeholder {
    color: var(--vscode-input-placeholderForeground);
    opacity: 1;
  }
  textarea.writing:focus {
    outline: none;
    border-color: var(--vscode-focusBorder);
  }
  textarea.writing:disabled {
    opacity: 0.6;
    cursor: not-allowed;
  }
`;

export interface TextAreaOptions {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly rows: number;
  readonly disabled?: boolean;
  readonly name: string;
  readonly input: (value: string) => void;
  readonly keydown: (event: KeyboardEvent) => void;
}

export function textArea(options: TextAreaOptions): TemplateResult {
  return html`<textarea
    class="writing"
    aria-label=${options.label}
    placeholder=${options.placeholder}
    rows=${options.rows}
    data-name=${options.name}
    ?disabled=${options.disabled === true}
    .value=${live(options.value)}
    @input=${(event: Event) => options.input(textIn(event))}
    @keydown=${options.keydown}
  ></textarea>`;
}

const textIn = (event: Event): string => {
  const target: unknown = event.target;
  return typeof target === 'object' && target !== null && 'value' in target ? String(target.value) : '';
};
