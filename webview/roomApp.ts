import { html, nothing, type TemplateResult } from 'lit';
import { money, shortCount } from '../src/shared/project/words';
import type { Head, HeadAgent } from '../src/shared/protocol';
import { say, sayCount } from '../src/shared/texts';
import { MessageComposer } from './composer';
import { button } from './controls';
import { isWriting, RowList, rowOf } from './rowList';
import { changesBar } from './rows/changed';
import { type Shown, unspoofed, untilRetry } from './rows/parts';
import { StoreElement } from './storeElement';
import { appStyles, rowStyles, sharedStyles } from './styles';
import { banners, sessionBar, tabBar } from './top';

/** The whole view: tabs, the list behind the one that is chosen, the composer and what is to be known at a glance. */
export class RoomApp extends StoreElement {
  static override readonly styles = [sharedStyles, rowStyles, appStyles];
  /** Where the focus was before it went into a card that asks. */
  #cameFrom: 'composer' | 'list' = 'list';
  #inCard: string | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.addEventListener('click', this.#links);
    // From one row to another the focus moves inside the list, which is told there only: a press says where it was.
    this.addEventListener('click', this.#focused);
    this.addEventListener('keydown', this.#keys);
    this.addEventListener('contextmenu', this.#menu);
  }

  protected override render(): TemplateResult | typeof nothing {
    const { head } = this.store;
    if (head === null) return nothing;
    // The focus moving inside is not told to the element itself.
    return html`<main @focusin=${this.#focused}><h1 class="unseen">${head.session?.title || say('view.room')}</h1>
      ${sessionBar(this.store, head)} ${tabBar(this.store)} ${banners(this.store, head)}
      <div id="panel" role="tabpanel" aria-labelledby="tab-${this.store.tab}">${this.#panel(head)}</div>
      ${head.session === null ? nothing : this.#foot(head)}
      <div class="unseen" aria-live="polite">${this.store.news}</div></main>`;
  }

  #panel(head: Head): TemplateResult {
    const { store } = this;
    if (head.session === null) return this.#empty(head);
    if (store.tab === 'changes' && store.lists.changes.total === 0)
      return html`<div class="empty small"><p><b>${say('empty.changes')}</b></p>
        <p>${say('empty.changesText')}</p></div>`;
    if (store.tab === 'tree') return html`<tree-view .store=${store}></tree-view>`;
    const only = head.agents.find((agent) => agent.id === store.filter);
    if (store.tab === 'room' && only !== undefined && store.lists.room.total === 0)
      return html`<p class="empty small">${unspoofed(say('empty.filtered', { agent: only.name }))}</p>`;
    return html`${store.tab === 'changes' ? changesBar(store) : nothing}<row-list .store=${store} .list=${store.tab}></row-list>`;
  }

  #empty(head: Head): TemplateResult {
    const { store } = this;
    const act = (type: 'delegate' | 'addModel' | 'rehearse') => () => void store.act({ type });
    const delegate = button(say('empty.delegate'), act('delegate'), {
      primary: head.hasModel,
      disabled: store.readOnly,
    });
    const addModel = button(say('empty.addModel'), act('addModel'), { primary: true });
    return html`<div class="empty">
      <p class="title">${say('empty.title')}</p>
      <p>${say('empty.text')}</p>
      <div class="stack">
        ${head.hasModel ? delegate : addModel}${head.hasModel ? nothing : delegate}
      </div>
      ${
        head.hasModel
          ? nothing
          : html`<p>
              ${say('empty.noKey')} <button class="link" @click=${act('rehearse')}>${say('empty.rehearse')}</button>.
              ${say('empty.noKeyRest')}
            </p>`
      }
      ${this.#earlier(head)}
    </div>`;
  }

  #earlier(head: Head): Shown {
    if (head.sessions.length === 0) return nothing;
    return html`<div class="earlier">
      <p class="title">${say('empty.earlier')}</p>
      ${head.sessions.slice(0, 12).map(
        ({ id, title }) =>
          html`<button class="link" @click=${() => void this.store.act({ type: 'switchSession', session: id })}>
            ${title === '' ? say('head.untitled') : unspoofed(title)}
          </button>`,
      )}
    </div>`;
  }

  #foot(head: Head): TemplateResult {
    return html`<footer>
      ${head.agents.map((agent) => this.#retrying(agent))}
      ${this.store.tab === 'room' ? html`<message-composer .store=${this.store}></message-composer>` : nothing}
      <div class="glance">
        <span class="left">${this.#working(head)}${this.#rehearsal(head)}</span>
        <span class="right" title=${say('head.model', { model: head.model?.label ?? '' })}>${cost(head)}</span>
      </div>
    </footer>`;
  }

  /** Whoever waits for the model's server seems to work: the wait is said whichever tab is shown. */
  #retrying(agent: HeadAgent): Shown {
    const { store } = this;
    const doing = store.live(agent.id).doing;
    if (doing?.type !== 'retry') return nothing;
    return html`<div class="retrying" role="status">${unspoofed(agent.name)} ${untilRetry(store, doing)}</div>`;
  }

  #working(head: Head): TemplateResult {
    const { working, waiting } = head.counts;
    const key = head.waiting[0];
    const waits =
      waiting === 0 || key === undefined
        ? nothing
        : html`<button class="link" title=${say('jump.waiting')} @click=${() => this.store.show('room', key, true)}>
            ${sayCount('foot.waits', waiting)}
          </button>`;
    const busy =
      working === 0 && waiting > 0
        ? nothing
        : working === 0
          ? say('foot.idle')
          : sayCount('foot.working', working);
    return html`${busy}${busy !== nothing && waits !== nothing ? ' · ' : nothing}${waits}${this.#pause(head)}`;
  }

  #pause(head: Head): Shown {
    if (head.counts.working === 0 || head.banner !== null) return nothing;
    const pause = () => void this.store.act({ type: 'pause', paused: true });
    return html` · <button class="link" @click=${pause}>${say('foot.pause')}</button>`;
  }

  #rehearsal(head: Head): Shown {
    if (head.model?.rehearsal !== true) return nothing;
    return html` <span class="pill" title=${say('head.rehearsalHint')}>${say('head.rehearsal')}</span>`;
  }

  /** The editor builds the menu from what the element says; it can't look into it, and asks after this has run. */
  readonly #menu = (event: Event): void => {
    const teamroomRow = rowOf(event.composedPath())?.dataset['key'] ?? '';
    this.dataset['vscodeContext'] = JSON.stringify({ teamroomRow });
  };

  // ---- keyboard and focus ----

  readonly #keys = (event: Event): void => {
    if (!(event instanceof KeyboardEvent) || event.key !== 'Escape' || event.defaultPrevented) return;
    if (isWriting(event) && rowOf(event.composedPath()) === null) return;
    event.preventDefault();
    this.store.setTab('room');
    this.store.address(this.store.to);
  };

  readonly #focused = (event: Event): void => {
    const path = event.composedPath();
    const row = rowOf(path);
    const target = path[0];
    if (row === null) {
      this.#cameFrom = path.some((each) => each instanceof MessageComposer) ? 'composer' : 'list';
      this.#inCard = null;
    } else if (target === row) {
      this.#cameFrom = 'list';
      this.#inCard = null;
    } else {
      this.#inCard = row.dataset['key'] ?? null;
    }
  };

  /** A card that was answered has lost its buttons and with them the focus: it goes back to where it came from. */
  protected override updated(): void {
    const key = this.#inCard;
    if (key === null) return;
    const list = this.renderRoot.querySelector('row-list');
    if (!(list instanceof RowList)) return;
    void list.updateComplete.then(() => {
      const lost = list.shadowRoot?.activeElement === null || list.shadowRoot === null;
      const elsewhere = this.shadowRoot?.activeElement !== null && this.shadowRoot?.activeElement !== list;
      if (!lost || elsewhere || this.#inCard !== key) return;
      this.#inCard = null;
      if (this.#cameFrom === 'composer') this.store.address(this.store.to);
      else list.focusRow(key);
    });
  }

  /** A link is never followed here: the host shows where it leads and asks. */
  readonly #links = (event: Event): void => {
    for (const each of event.composedPath()) {
      if (!(each instanceof HTMLAnchorElement)) continue;
      event.preventDefault();
      const url = each.getAttribute('href') ?? '';
      if (url !== '') void this.store.act({ type: 'openLink', url });
      return;
    }
  };
}

function cost(head: Head): string {
  const { microUsd, limit, tokens } = head.cost;
  if (microUsd === null || (microUsd === 0 && tokens > 0))
    return say('foot.tokens', { tokens: shortCount(tokens) });
  const spent = money(microUsd);
  return limit === null
    ? say('foot.cost', { cost: spent })
    : say('foot.costOf', { cost: spent, limit: money(limit).replace(/\.00$/, '') });
}
