import { css, html, nothing, type TemplateResult } from 'lit';
import { money, shortCount } from '../src/shared/project/words';
import type { Head } from '../src/shared/protocol';
import { say } from '../src/shared/texts';
import { button, iconButton } from './controls';
import { settingsIcon } from './icons';
import { type Shown, unspoofed } from './rows/parts';
import type { Store } from './store';
import { StoreElement } from './storeElement';
import { sharedStyles } from './styles';

const OPEN = 'settings';
type Settings = NonNullable<Head['settings']>;
type Size = NonNullable<Settings['size']>;

/** Opens and closes what the person has set for this session. */
export function settingsButton(store: Store): Shown {
  if (store.head?.settings == null) return nothing;
  const expanded = store.open.has(OPEN);
  return iconButton(settingsIcon, say('settings.open'), () => store.toggle(OPEN), {
    name: 'settings',
    expanded,
  });
}

export const settingsPanel = (store: Store): Shown =>
  store.head?.settings == null || !store.open.has(OPEN)
    ? nothing
    : html`<session-settings .store=${store}></session-settings>`;

/** The team's size, set in place; mode and limits, each with the way to change it. */
export class SessionSettings extends StoreElement {
  static override readonly styles = [
    sharedStyles,
    css`
      section {
        padding: 8px 12px;
        border-bottom: 1px solid var(--line);
      }
      .setting {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px 8px;
      }
      .setting + .setting {
        margin-top: 6px;
      }
      .setting > .name {
        flex: 0 0 78px;
      }
      .setting > .value {
        flex: 1 1 50px;
        color: var(--dim);
        overflow-wrap: anywhere;
      }
      label {
        display: inline-flex;
        align-items: center;
        gap: 4px;
        color: var(--dim);
      }
      input {
        width: 5ch;
        font: inherit;
        color: var(--vscode-input-foreground);
        background: var(--vscode-input-background);
        border: 1px solid var(--vscode-input-border, var(--vscode-contrastBorder, transparent));
        border-radius: 2px;
        padding: 1px 4px;
      }
      .problem {
        margin-top: 4px;
        color: var(--bad);
      }
    `,
  ];
  /** What is written in the fields; null: what is set. */
  #written: { readonly min: string; readonly max: string } | null = null;
  #problem = '';

  protected override render(): TemplateResult | typeof nothing {
    const settings = this.store.head?.settings ?? null;
    if (settings === null) return nothing;
    const limits = limitWords(settings);
    return html`<section aria-label=${say('settings.open')}>
      ${settings.size === null ? nothing : this.#size(settings.size)}
      ${this.#setting('mode', say('settings.mode'), say(`mode.${settings.mode}`))}
      ${this.#setting('limits', say('settings.limits'), limits)}
    </section>`;
  }

  #size(size: Size): TemplateResult {
    const now = this.#written ?? { min: String(size.min), max: String(size.max) };
    const same = Number(now.min) === size.min && Number(now.max) === size.max;
    const field = (end: 'min' | 'max') =>
      html`<label
        >${say(`settings.${end}`)}
        <input type="number" min="1" step="1" data-name=${end} .value=${now[end]} ?disabled=${this.store.readOnly}
          @input=${(event: Event) => this.#typed({ ...now, [end]: (event.target as HTMLInputElement).value })}
          @keydown=${(event: KeyboardEvent) => this.#key(event, now)}
      /></label>`;
    return html`<div class="setting" role="group" aria-label=${say('settings.size')}>
        <span class="name">${say('settings.size')}</span>${field('min')}${field('max')}
        ${button(say('settings.set'), () => void this.#set(now), { disabled: same || this.store.readOnly, name: 'set' })}
      </div>
      ${this.#problem === '' ? nothing : html`<p class="problem" role="alert">${unspoofed(this.#problem)}</p>`}`;
  }

  #setting(what: 'mode' | 'limits', name: string, value: string): TemplateResult {
    const label = say('settings.changeOf', { what: name });
    return html`<div class="setting">
      <span class="name">${name}</span><span class="value">${value}</span>
      ${
        this.store.readOnly
          ? nothing
          : html`<button class="link" aria-label=${label} title=${label} @click=${() => void this.store.act({ type: 'settings', what })}>
            ${say('settings.change')}
          </button>`
      }
    </div>`;
  }

  #typed(written: { readonly min: string; readonly max: string }): void {
    this.#written = written;
    this.#problem = '';
    this.requestUpdate();
  }

  #key(event: KeyboardEvent, now: { readonly min: string; readonly max: string }): void {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    void this.#set(now);
  }

  /** A refusal names the bounds, and what was written stays (L-13). */
  async #set({ min, max }: { readonly min: string; readonly max: string }): Promise<void> {
    const done = await this.store.host.act({ type: 'setSize', min: Number(min), max: Number(max) });
    this.#problem = done.ok ? '' : done.words;
    if (done.ok) this.#written = null;
    this.requestUpdate();
  }
}

/** All limits in a line; of what has none that is said. */
function limitWords({ limits: { microUsd, tokens, steps, activeMs } }: Settings): string {
  return [
    microUsd === null ? say('limits.noMoney') : money(microUsd),
    tokens === null ? say('limits.noTokens') : say('usage.tokens', { n: shortCount(tokens) }),
    steps === null ? say('limits.noSteps') : say('limits.steps', { n: steps }),
    activeMs === null ? say('limits.noTime') : say('limits.minutes', { n: Math.round(activeMs / 60_000) }),
  ].join(' · ');
}
