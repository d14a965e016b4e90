import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { rowSentence } from '../src/shared/project/sentence';
import { todoSentence } from '../src/shared/project/todoSentence';
import { elapsed, money, shortCount, timeLeft } from '../src/shared/project/words';
import type { LimitBar, TreeRow } from '../src/shared/protocol';
import { say } from '../src/shared/texts';
import { iconButton } from './controls';
import { chevron, messageIcon, stateIcon, stopIcon } from './icons';
import { followOutputs, liveOutput } from './liveOutput';
import { clock } from './moments';
import { rowOf } from './rowList';
import { dot, unspoofed, untilRetry } from './rows/parts';
import { type LiveText, type Store, streamingOf } from './store';
import { StoreElement } from './storeElement';
import { rowStyles, sharedStyles, treeStyles } from './styles';

/** Every agent in its place, what it does now, and the limits. */
export class TreeView extends StoreElement {
  static override readonly styles = [sharedStyles, rowStyles, treeStyles];
  #current: string | null = null;

  protected override render(): TemplateResult {
    const { tree } = this.store.lists;
    this.store.need('tree', 0, tree.total);
    const rows = tree.keys.map((_, index) => tree.at(index)).filter((row) => row?.type === 'agent');
    const shown = this.#unfolded(rows);
    if (this.#current === null || !shown.some((row) => row.key === this.#current))
      this.#current = shown[0]?.key ?? null;
    return html`<div class="scroller">
      ${
        rows.length === 0
          ? html`<p class="dim empty">${say('empty.tree')}</p>`
          : html`<div class="tree" role="tree" aria-label=${say('tree.label')} @keydown=${this.#key} @focusin=${this.#focused}>
            ${repeat(
              shown,
              (row) => row.key,
              (row) => this.#row(row),
            )}
          </div>`
      }
      ${this.#limits()}
    </div>`;
  }

  protected override updated(): void {
    followOutputs(this.renderRoot, this.shadowRoot?.activeElement ?? null);
  }

  /** Without what stands under a row that is folded. */
  #unfolded(rows: readonly TreeRow[]): readonly TreeRow[] {
    const shown: TreeRow[] = [];
    let foldedAt = Number.POSITIVE_INFINITY;
    for (const row of rows) {
      if (row.depth > foldedAt) continue;
      foldedAt = this.store.open.has(foldKey(row)) ? row.depth : Number.POSITIVE_INFINITY;
      shown.push(row);
    }
    return shown;
  }

  #row(row: TreeRow): TemplateResult {
    const folded = this.store.open.has(foldKey(row));
    const live = this.store.live(row.agent.id);
    return html`<div
      class="row agent ${row.state} ${row.left ? 'gone' : ''}"
      role="treeitem"
      data-key=${row.key}
      style="--depth:${row.depth}"
      tabindex=${this.#current === row.key ? 0 : -1}
      aria-level=${row.depth + 1}
      aria-expanded=${row.members === 0 ? nothing : !folded}
      aria-labelledby="name-${row.key} doing-${row.key} todo-${row.key} usage-${row.key} ${row.jobs.map((job) => `job-${job.call}`).join(' ')}"
      aria-description=${row.role}
    >
      <div class="line">
        <span class="state ${row.state}" title=${say(`state.${row.state}`)}
          >${row.members > 0 ? this.#folder(row, folded) : stateIcon(row.state)}</span
        >
        <span class="head" @click=${() => this.#open(row)}>
          <span class="who">${dot(row.agent.dot)}<b class="name" id="name-${row.key}" title=${row.role}>${unspoofed(row.agent.name)}</b></span>
          <span class="doing" id="doing-${row.key}" title=${sentence(row, live, (until) => timeLeft(until, this.store.now()))}>${doing(this.store, row, live)}</span>
        </span>
        <span class="aside" id="usage-${row.key}">${this.#usage(row)}</span>
        ${this.#tools(row)}
      </div>
      ${row.todo === null ? nothing : html`<div class="tail" id="todo-${row.key}">${unspoofed(todoSentence(row.todo))}</div>`}
      ${liveOutput(this.store, row, live)}
    </div>`;
  }

  #folder(row: TreeRow, folded: boolean): TemplateResult {
    return html`<button class="plain" tabindex="-1" aria-hidden="true" @click=${() => this.store.toggle(foldKey(row))}>
      ${chevron(!folded)}
    </button>`;
  }

  #usage(row: TreeRow): TemplateResult {
    if (row.tokens === 0 && row.activeSince === null && row.activeMs < 1000) return html``;
    const tokens = shortCount(row.tokens);
    const cost = row.microUsd === null ? say('usage.noPrice') : money(row.microUsd);
    const since = row.activeSince;
    const time =
      since === null
        ? elapsed(row.activeMs)
        : html`<time-since since=${since} ahead=${this.store.now() - Date.now()} more=${row.activeMs}></time-since>`;
    const took = since === null && row.activeMs < 1000 ? nothing : html`${time} · `;
    const label = `${say('usage.tokens', { n: tokens })}, ${cost}, ${row.model}`;
    return html`<span class="usage" title=${label}
      >${took}${tokens}${row.microUsd === null ? nothing : ` · ${money(row.microUsd)}`}</span
    >`;
  }

  #tools(row: TreeRow): TemplateResult | typeof nothing {
    if (row.left || this.store.readOnly) return nothing;
    const { name } = row.agent;
    const busy = row.state === 'working' || row.state === 'asks' || row.state === 'waits';
    const canStop = row.depth > 0 || busy || row.state === 'interrupted';
    return html`<span class="tools">
      ${iconButton(messageIcon, say('tree.message', { name }), () => this.store.address(row.depth === 0 ? null : name), { name: 'message' })}
      ${
        canStop
          ? iconButton(
              stopIcon,
              say('tree.stop', { name }),
              () => void this.store.act({ type: 'stop', name: row.depth === 0 ? 'lead' : name }),
              { name: 'stop' },
            )
          : nothing
      }
    </span>`;
  }

  #limits(): TemplateResult | typeof nothing {
    const limits = this.store.head?.limits ?? [];
    if (limits.length === 0) return nothing;
    return html`<section class="limits" aria-label=${say('tree.limits')}>
      <h2>${say('tree.limits')}</h2>
      ${limits.map(limitBar)} ${this.#model()}
    </section>`;
  }

  #model(): TemplateResult | typeof nothing {
    const model = this.store.head?.model;
    if (model == null) return nothing;
    const label = say('tree.chooseModel', { model: model.label });
    return html`<div class="limit line">
      <span class="head">${say('tree.model')}</span>
      <button class="link" aria-label=${label} title=${label} @click=${() => void this.store.act({ type: 'chooseModel' })}>
        ${unspoofed(model.label)}
      </button>
    </div>`;
  }

  /** What waits for the person, or what this agent has said. */
  #open(row: TreeRow): void {
    if (row.waitingRow !== null) this.store.show('room', row.waitingRow, true);
    else {
      this.store.setTab('room');
      this.store.setFilter(row.depth === 0 ? null : row.agent.id);
    }
  }

  readonly #focused = (event: FocusEvent): void => {
    const key = rowOf(event.composedPath())?.dataset['key'];
    if (key === undefined || key === this.#current) return;
    this.#current = key;
    this.requestUpdate();
  };

  readonly #key = (event: KeyboardEvent): void => {
    const element = rowOf(event.composedPath());
    const row = element === null ? undefined : this.store.lists.tree.get(element.dataset['key'] ?? '');
    if (element === null || row?.type !== 'agent') return;
    const onRow = event.composedPath()[0] === element;
    const folded = this.store.open.has(foldKey(row));
    if (event.key === 'ArrowDown') this.#move(element.nextElementSibling);
    else if (event.key === 'ArrowUp') this.#move(element.previousElementSibling);
    else if (event.key === 'ArrowRight' && onRow && row.members > 0 && folded)
      this.store.toggle(foldKey(row));
    else if (event.key === 'ArrowLeft' && onRow && row.members > 0 && !folded)
      this.store.toggle(foldKey(row));
    else if (event.key === 'Enter' && onRow) this.#open(row);
    else return;
    event.preventDefault();
  };

  #move(to: Element | null): void {
    if (!(to instanceof HTMLElement)) return;
    this.#current = to.dataset['key'] ?? null;
    to.focus();
    this.requestUpdate();
  }
}

const foldKey = (row: TreeRow): string => `tree:${row.key}`;

const sentence = (row: TreeRow, live: LiveText, left: (until: number) => string): string =>
  rowSentence(row.activity, streamingOf(live), { time: clock, left });

/** The sentence with a time in it that counts down. */
function doing(store: Store, row: TreeRow, live: LiveText): TemplateResult | (string | TemplateResult)[] {
  const text = sentence(row, live, () => '\u0000');
  if (live.doing?.type !== 'retry' || !text.includes('\u0000')) return unspoofed(text);
  return untilRetry(store, live.doing);
}

function limitBar(bar: LimitBar): TemplateResult {
  const amount = (n: number) => (bar.what === 'money' ? money(n) : shortCount(n));
  const used = amount(bar.used);
  const words =
    bar.max === null
      ? say('limit.none', { used })
      : say(bar.what === 'agents' ? 'limit.ofAgents' : 'limit.of', { used, max: amount(bar.max) });
  const name = say(`limit.${bar.what}`);
  const percent = Math.round(bar.share * 100);
  const spoken = bar.near ? `${words}, ${say('limit.near')}` : words;
  return html`<div class="limit">
    <div class="line"><span class="head">${name}</span><span class="aside amount">${words}</span></div>
    <div class="bar ${bar.near ? 'near' : ''}" role="meter" aria-label=${name} aria-valuemin="0" aria-valuemax="100"
      aria-valuenow=${percent} aria-valuetext=${spoken}>
      <div style="width:${percent}%"></div>
    </div>
  </div>`;
}
