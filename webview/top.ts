import { html, nothing, type TemplateResult } from 'lit';
import type { AgentId } from '../src/shared/ids';
import type { Banner, Head, ListName } from '../src/shared/protocol';
import { say, sayCount } from '../src/shared/texts';
import { badge, button, iconButton } from './controls';
import { closeIcon, filterIcon } from './icons';
import { dot, type Shown, unspoofed } from './rows/parts';
import { settingsButton, settingsPanel } from './sessionSettings';
import type { Store } from './store';

const tabs = ['room', 'tree', 'changes'] as const;

/** The tabs, what waits behind them, and the filter. */
export function tabBar(store: Store): TemplateResult {
  return html`<div class="top">
    <div class="tabs" role="tablist" aria-label=${say('view.room')} @keydown=${(event: KeyboardEvent) => tabKey(store, event)}>
      ${tabs.map((tab) => oneTab(store, tab))}
    </div>
    ${filter(store)}${settingsButton(store)}
  </div>
  ${settingsPanel(store)}`;
}

function oneTab(store: Store, tab: ListName): TemplateResult {
  const selected = store.tab === tab;
  return html`<button
    class="tab"
    role="tab"
    id="tab-${tab}"
    aria-selected=${selected}
    aria-controls=${selected ? 'panel' : nothing}
    tabindex=${selected ? 0 : -1}
    @click=${() => store.setTab(tab)}
  >
    ${say(`tab.${tab}`)}${count(store, tab)}
  </button>`;
}

function count(store: Store, tab: ListName): Shown {
  const counts = store.head?.tabs;
  if (counts === undefined) return nothing;
  if (tab === 'room' && counts.room > 0) return badge(counts.room, sayCount('tab.waiting', counts.room));
  return tab === 'changes' && counts.changes > 0
    ? html` <span class="number">${counts.changes}</span>`
    : nothing;
}

function tabKey(store: Store, event: KeyboardEvent): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const next = tabs[(tabs.indexOf(store.tab) + step + tabs.length) % tabs.length] ?? 'room';
  store.setTab(next);
  const bar = event.currentTarget;
  if (bar instanceof HTMLElement) bar.querySelector<HTMLElement>(`#tab-${next}`)?.focus();
}

/** A native list under a picture: nothing is more at home for the keyboard and the screen reader. */
function filter(store: Store): Shown {
  const agents = store.head?.agents ?? [];
  if (store.tab !== 'room' || agents.length < 2) return nothing;
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    store.setFilter(value === '' ? null : (value as AgentId));
  };
  return html`<span class="filter ${store.filter === null ? '' : 'on'}" title=${say('head.filterLabel')}
    >${filterIcon}<select aria-label=${say('head.filterLabel')} .value=${store.filter ?? ''} @change=${choose}>
      <option value="" ?selected=${store.filter === null}>${say('head.filterAll')}</option>
      ${agents.map(
        (agent) =>
          html`<option value=${agent.id} ?selected=${store.filter === agent.id}>${agent.name}</option>`,
      )}
    </select></span
  >`;
}

/** Which task is shown, where there are several. */
export function sessionBar(store: Store, head: Head): Shown {
  if (head.session === null || head.sessions.length < 2) return nothing;
  const current = head.session.id;
  const choose = (event: Event) => {
    const select = event.target as HTMLSelectElement;
    const session = head.sessions.find((each) => each.id === select.value);
    if (session !== undefined) void store.act({ type: 'switchSession', session: session.id });
    else void store.act({ type: 'delegate' });
    select.value = current;
  };
  return html`<div class="session">
    <select aria-label=${say('head.session')} .value=${current} @change=${choose}>
      ${head.sessions.map(
        (session) =>
          html`<option value=${session.id} ?selected=${session.id === current}>
            ${session.open ? '● ' : ''}${session.title === '' ? say('head.untitled') : session.title}
          </option>`,
      )}
      <option value="">${say('head.newSession')}</option>
    </select>
  </div>`;
}

export function banners(store: Store, head: Head): TemplateResult {
  return html`${head.banner === null || isSaidAbove(head) ? nothing : banner(store, head.banner)}${interrupted(store, head)}${filtered(store, head)}${outcome(store)}`;
}

/** Without a task, the Agents view above the Room says the same, with the same button. */
const isSaidAbove = ({ session, banner }: Head): boolean =>
  session === null && banner?.type === 'read_only' && banner.why === 'untrusted';

function strip(words: unknown, buttons: unknown, kind = 'info'): TemplateResult {
  return html`<div class="banner ${kind}" role="status"><p>${words}</p>
    <div class="buttons">${buttons}</div></div>`;
}

function banner(store: Store, shown: Banner): TemplateResult {
  if (shown.type === 'no_model')
    return strip(
      say('banner.noModel'),
      button(say('banner.addModel'), () => void store.act({ type: 'addModel' }), { primary: true }),
    );
  if (shown.type === 'paused')
    return strip(
      say('banner.paused'),
      button(say('ask.continue'), () => void store.act({ type: 'pause', paused: false }), { primary: true }),
    );
  switch (shown.why) {
    case 'elsewhere':
      return strip(
        say('banner.elsewhere'),
        button(say('banner.takeOver'), () => void store.act({ type: 'takeOver' })),
      );
    case 'untrusted':
      return strip(
        say('banner.untrusted'),
        button(say('banner.trust'), () => void store.act({ type: 'manageTrust' })),
      );
    case 'disk':
      return strip(
        unspoofed(say('banner.disk', { detail: shown.detail })),
        button(say('banner.openLog'), () => void store.act({ type: 'openLog' })),
        'bad',
      );
    case 'no_folder':
      return strip(say('banner.noFolder'), nothing);
  }
}

function interrupted(store: Store, head: Head): Shown {
  const n = head.interrupted.length;
  if (n < 2 || store.readOnly) return nothing;
  const resume = (go: boolean) => () => void store.act({ type: 'resume', go, runs: null });
  return strip(
    sayCount('banner.interrupted', n),
    html`${button(say('banner.continueAll'), resume(true), { primary: true })}
    ${button(say('banner.endAll'), resume(false))}`,
  );
}

function filtered(store: Store, head: Head): Shown {
  const agent = head.agents.find((each) => each.id === store.filter);
  if (agent === undefined || store.tab !== 'room') return nothing;
  const [before, after] = say('head.filter', { agent: '\u0000' }).split('\u0000');
  return html`<div class="banner only" role="status">
    <p>${before}${dot(agent.dot)}<b>${unspoofed(agent.name)}</b>${after}</p>
    ${iconButton(closeIcon, say('head.filterAll'), () => store.setFilter(null))}
  </div>`;
}

/** Why the last act was not done, or what came of it, until the next one. */
function outcome(store: Store): Shown {
  if (store.outcome === null) return nothing;
  const { ok, words } = store.outcome;
  const dismiss = () => {
    store.outcome = null;
    store.changed();
  };
  return html`<div class="banner only ${ok ? '' : 'bad'}" role=${ok ? 'status' : 'alert'}>
    <p>${unspoofed(words)}</p>
    ${iconButton(closeIcon, say('ask.cancel'), dismiss)}
  </div>`;
}
