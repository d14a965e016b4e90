import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { HeadAgent } from '../src/shared/protocol';
import { say } from '../src/shared/texts';
import { iconButton, textArea, textAreaStyles } from './controls';
import { closeIcon, sendIcon } from './icons';
import { dot, unspoofed } from './rows/parts';
import { StoreElement } from './storeElement';
import { composerStyles, sharedStyles } from './styles';

/** Where the person writes: to the lead, or after `@name` to one member. Enter sends, Shift+Enter breaks the line. */
export class MessageComposer extends StoreElement {
  static override readonly styles = [sharedStyles, textAreaStyles, composerStyles];
  #text = '';
  #draftOf: string | null = null;
  #sending = false;
  /** Whom an `@` picked: it holds for one message. */
  #once: string | null = null;
  #picked = 0;
  #focusAsked = 0;

  protected override willUpdate(): void {
    // Each session has its own draft.
    const session = this.store.head?.session?.id ?? null;
    if (session !== this.#draftOf) {
      this.#draftOf = session;
      this.#text = this.store.draft;
    }
  }

  protected override render(): TemplateResult {
    const { store } = this;
    const session = store.head?.session;
    const to = this.#recipient();
    const placeholder = store.readOnly
      ? say('composer.readOnly')
      : to !== null
        ? say('composer.to', { name: to.name })
        : say(this.#members().length === 0 ? 'composer.solo' : 'composer.lead');
    return html`<div class="composer">
      ${to === null ? nothing : this.#chip(to)} ${this.#mentions()}
      <div class="field">
        ${textArea({
          label: to === null ? say('composer.label') : say('composer.to', { name: to.name }),
          placeholder,
          value: this.#text,
          rows: rowsFor(this.#text),
          disabled: session == null || store.readOnly,
          name: 'composer',
          input: (value) => this.#typed(value),
          keydown: (event) => this.#key(event),
        })}
        ${iconButton(sendIcon, say('composer.send'), () => void this.#send(), {
          disabled: this.#text.trim() === '' || this.#sending || store.readOnly,
          name: 'send',
        })}
      </div>
    </div>`;
  }

  protected override updated(_changed: PropertyValues): void {
    if (this.#focusAsked === this.store.composerFocus) return;
    this.#focusAsked = this.store.composerFocus;
    this.focusText();
  }

  focusText(): void {
    this.renderRoot.querySelector<HTMLElement>('textarea')?.focus();
  }

  #members(): readonly HeadAgent[] {
    return (this.store.head?.agents ?? []).filter((agent) => agent.kind === 'member' && !agent.left);
  }

  #recipient(): HeadAgent | null {
    return this.#members().find((agent) => agent.name === this.store.to) ?? null;
  }

  #chip(to: HeadAgent): TemplateResult {
    return html`<div class="chip">
      ${dot(to.dot)}<span>${say('composer.toLabel', { name: '' })}<b>${unspoofed(to.name)}</b></span>
      ${iconButton(closeIcon, say('composer.toLead'), () => this.store.address(null))}
    </div>`;
  }

  // ---- @name ----

  /** Members whose name begins with what stands after the last `@`. */
  #candidates(): readonly HeadAgent[] {
    const match = /(?:^|\s)@([a-z0-9_-]*)$/.exec(this.#text);
    if (match === null) return [];
    return this.#members().filter((agent) => agent.name.startsWith(match[1] ?? ''));
  }

  #mentions(): TemplateResult | typeof nothing {
    const candidates = this.#candidates();
    if (candidates.length === 0) return nothing;
    return html`<ul class="mentions" role="listbox" aria-label=${say('composer.mention')}>
      ${candidates.map(
        (agent, i) =>
          html`<li
            role="option"
            aria-selected=${i === this.#picked % candidates.length}
            @mousedown=${(event: Event) => this.#pick(agent, event)}
          >
            ${dot(agent.dot)} ${unspoofed(agent.name)}
          </li>`,
      )}
    </ul>`;
  }

  #pick(agent: HeadAgent, event: Event): void {
    event.preventDefault();
    this.#typed(this.#text.replace(/@[a-z0-9_-]*$/, ''));
    this.store.address(agent.name);
    this.#once = agent.name;
  }

  // ---- writing and sending ----

  #typed(value: string): void {
    this.#text = value;
    this.#picked = 0;
    this.store.draft = value;
    this.requestUpdate();
  }

  #key(event: KeyboardEvent): void {
    if (event.isComposing) return;
    const candidates = this.#candidates();
    const chosen = candidates[this.#picked % Math.max(1, candidates.length)];
    if (chosen !== undefined && (event.key === 'Enter' || event.key === 'Tab')) {
      this.#pick(chosen, event);
    } else if (chosen !== undefined && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      this.#picked =
        (this.#picked + (event.key === 'ArrowDown' ? 1 : candidates.length - 1)) % candidates.length;
      this.requestUpdate();
    } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      void this.#send();
    } else if (event.key === 'Backspace' && this.#text === '' && this.store.to !== null) {
      this.store.address(null);
    }
  }

  /** What was written stays until the host has taken it. */
  async #send(): Promise<void> {
    const { to, text } = this.#addressed();
    if (text === '' || this.#sending || this.store.readOnly) return;
    this.#sending = true;
    this.requestUpdate();
    const sent = await this.store.act({ type: 'send', to, text });
    this.#sending = false;
    if (sent) this.#sent();
    this.requestUpdate();
  }

  #sent(): void {
    this.#typed('');
    if (this.#once !== null && this.#once === this.store.to) this.store.address(null);
    this.#once = null;
  }

  /** A name written out in front counts as one that was picked. */
  #addressed(): { readonly to: string | null; readonly text: string } {
    const text = this.#text.trim();
    const match = /^@([a-z][a-z0-9_-]*)\s+([\s\S]+)$/.exec(text);
    const named = this.#members().find((agent) => agent.name === match?.[1]);
    if (named !== undefined && match?.[2] !== undefined) return { to: named.name, text: match[2].trim() };
    return { to: this.#recipient()?.name ?? null, text };
  }
}

const rowsFor = (text: string): number => {
  const lines = text.split('\n').reduce((sum, line) => sum + 1 + Math.floor(line.length / 48), 0);
  return Math.max(2, Math.min(8, lines));
};
