import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { ListName, Row } from '../src/shared/protocol';
import { say } from '../src/shared/texts';
import { textAreaStyles } from './controls';
import { downIcon } from './icons';
import { heightAt, offsetOf, windowOf } from './rowCache';
import { typingRow } from './rows/message';
import { renderRow } from './rows/row';
import type { Reveal } from './store';
import { StoreElement } from './storeElement';
import { listStyles, rowStyles, sharedStyles } from './styles';

/** Pixels drawn beyond what is in sight, on each side. */
const MORE = 600;
/** So near to the end, in pixels, the list follows what comes. */
const NEAR_END = 40;

/**
 * A long list of which only what is in sight is drawn and only what was in sight is loaded. Rows keep their place on
 * the screen when others above change (the browser's own scroll anchoring); at its end the list follows.
 */
export class RowList extends StoreElement {
  static override readonly styles = [sharedStyles, textAreaStyles, rowStyles, listStyles];
  static override readonly properties = { ...StoreElement.properties, list: { attribute: false } };
  declare list: ListName;
  #scroller: HTMLElement | null = null;
  #following = false;
  /** More than a little of the end is below what is in sight. */
  #endHidden = false;
  #current: string | null = null;
  #toRestore = true;
  #frame: number | null = null;
  /** Heights of rows, and the width of the list itself, as they were measured last. */
  readonly #measures = new WeakMap<Element, number>();
  readonly #sizes = new ResizeObserver((entries) => this.#measured(entries));

  override connectedCallback(): void {
    super.connectedCallback();
    this.#sizes.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#sizes.disconnect();
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#frame = null;
  }

  protected override willUpdate(changed: PropertyValues): void {
    // Another list in the same element begins where that one stood.
    if (changed.has('list')) {
      this.#toRestore = true;
      this.#following = this.list === 'room' && this.store.host.remembered.places.room == null;
      this.#current = null;
    }
  }

  protected override render(): TemplateResult {
    const cache = this.store.lists[this.list];
    const sight = this.#scroller?.clientHeight || window.innerHeight;
    const drawn = windowOf(cache.heights, this.#top(sight), sight, MORE);
    this.store.need(this.list, drawn.from, drawn.to);
    const indices = Array.from({ length: drawn.to - drawn.from }, (_, i) => drawn.from + i);
    const isRoom = this.list === 'room';
    return html`<div
        class="scroller"
        role=${isRoom ? 'feed' : 'list'}
        aria-label=${say(isRoom ? 'tab.room' : 'tab.changes')}
        aria-busy="false"
        tabindex=${cache.total === 0 ? -1 : nothing}
        @scroll=${this.#scrolled}
        @pointerout=${() => this.#pointedElsewhere()}
        @keydown=${this.#key}
        @focusin=${this.#focused}
      >
        <div style="height:${drawn.above}px" role="none"></div>
        ${repeat(
          indices,
          (index) => cache.keys[index] ?? `#${index}`,
          (index) => this.#row(index, cache.at(index), cache.total),
        )}
        <div style="height:${drawn.below}px" role="none"></div>
        ${isRoom ? typingRow(this.store) : nothing}
      </div>
      ${this.#toEnd()}`;
  }

  #row(index: number, row: Row | undefined, total: number): TemplateResult {
    if (row === undefined)
      return html`<div class="row unloaded" role="none" data-index=${index} style="height:${heightAt(this.store.lists[this.list].heights, index)}px">
        ${say('list.loading')}
      </div>`;
    const isRoom = this.list === 'room';
    const current = this.#current === row.key || (this.#current === null && index === total - 1);
    return html`<div
      class="row ${row.type}"
      role=${isRoom ? 'article' : 'listitem'}
      data-key=${row.key}
      data-index=${index}
      tabindex=${current ? 0 : -1}
      aria-posinset=${index + 1}
      aria-setsize=${total}
    >
      ${renderRow(this.store, row)}
    </div>`;
  }

  #toEnd(): TemplateResult | typeof nothing {
    if (this.list !== 'room' || !this.#endHidden) return nothing;
    return html`<button class="to-end" @click=${this.#follow}>${downIcon} ${say('jump.newest')}</button>`;
  }

  protected override updated(): void {
    this.#scroller = this.renderRoot.querySelector('.scroller');
    for (const row of this.renderRoot.querySelectorAll('.row')) this.#sizes.observe(row);
    if (this.#toRestore && this.store.head !== null) this.#restore();
    const { reveal } = this.store;
    if (reveal !== null && reveal.list === this.list) this.#reveal(reveal);
    else if (this.#follows) this.#keepAtEnd();
    this.#lookForEnd();
  }

  /** Also while the list follows: it does not while the person points at what asks. */
  #lookForEnd(): void {
    const scroller = this.#scroller;
    const hidden = scroller !== null && restOf(scroller) >= NEAR_END;
    if (hidden === this.#endHidden) return;
    this.#endHidden = hidden;
    this.requestUpdate();
  }

  // ---- places ----

  /** Not while the person points at what asks: the buttons must not move away under the pointer, nor others come there. */
  get #follows(): boolean {
    return this.#following && this.renderRoot.querySelector('.asking:hover') === null;
  }

  #pointedElsewhere(): void {
    if (this.#follows) this.requestUpdate();
  }

  /** The pixel of the list at which what is in sight begins; before it has been drawn, where it is to begin. */
  #top(sight: number): number {
    const { heights, total } = this.store.lists[this.list];
    if (this.#follows) return offsetOf(heights, total) - sight;
    if (this.#scroller !== null && !this.#toRestore) return this.#scroller.scrollTop;
    const place = this.store.host.remembered.places[this.list];
    const index = place == null ? -1 : this.store.lists[this.list].indexOf(place.key);
    if (place == null || index < 0) return this.list === 'room' ? offsetOf(heights, total) - sight : 0;
    return offsetOf(heights, index) + place.offset;
  }

  #restore(): void {
    const scroller = this.#scroller;
    if (scroller === null) return;
    this.#toRestore = false;
    const place = this.store.host.remembered.places[this.list];
    const row = place == null ? null : this.#element(place.key);
    if (place == null || row === null) {
      scroller.scrollTop = this.list === 'room' ? scroller.scrollHeight : 0;
      return;
    }
    this.#following = false;
    scroller.scrollTop = row.offsetTop + place.offset;
  }

  #reveal(reveal: Reveal): void {
    const cache = this.store.lists[this.list];
    const index = cache.indexOf(reveal.key);
    const scroller = this.#scroller;
    if (scroller === null) return;
    const row = this.#element(reveal.key);
    if (row === null) {
      // Not drawn yet: go near it, and look again when it is. Of a row that was never loaded nothing is known.
      if (index < 0) {
        this.#revealUnloaded();
        return;
      }
      this.#following = false;
      scroller.scrollTop = offsetOf(cache.heights, index);
      this.requestUpdate();
      return;
    }
    this.store.reveal = null;
    this.#following = false;
    row.scrollIntoView({ block: this.list === 'room' ? 'center' : 'start' });
    if (reveal.focus) this.#focus(row);
  }

  /** Loads the list from its end until the row turns up: what waits for the person is mostly new. */
  #revealUnloaded(): void {
    const cache = this.store.lists[this.list];
    const last = cache.keys.lastIndexOf(undefined);
    if (last < 0) this.store.reveal = null;
    else this.store.need(this.list, last, last + 1);
  }

  #element(key: string): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>(`.row[data-key="${CSS.escape(key)}"]`);
  }

  #keepAtEnd(): void {
    const scroller = this.#scroller;
    if (scroller !== null && this.list === 'room') scroller.scrollTop = scroller.scrollHeight;
  }

  readonly #follow = (): void => {
    this.#following = true;
    this.#scroller?.scrollTo({ top: this.#scroller.scrollHeight });
    this.requestUpdate();
  };

  readonly #scrolled = (): void => {
    if (this.#frame !== null) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = null;
      this.#placed();
      this.requestUpdate();
    });
  };

  #placed(): void {
    const scroller = this.#scroller;
    if (scroller === null || this.#toRestore) return;
    this.#following = this.list === 'room' && restOf(scroller) < NEAR_END;
    this.store.host.remember({
      places: { ...this.store.host.remembered.places, [this.list]: this.#following ? null : this.#place() },
    });
  }

  #place(): { key: string; offset: number } | null {
    const scroller = this.#scroller;
    if (scroller === null) return null;
    for (const row of this.renderRoot.querySelectorAll<HTMLElement>('.row[data-key]')) {
      if (row.offsetTop + row.offsetHeight > scroller.scrollTop)
        return { key: row.dataset['key'] ?? '', offset: scroller.scrollTop - row.offsetTop };
    }
    return null;
  }

  #measured(entries: readonly ResizeObserverEntry[]): void {
    const cache = this.store.lists[this.list];
    for (const { target, contentRect } of entries) {
      if (target === this) {
        const width = this.#measures.get(this) ?? 0;
        if (width !== 0 && width !== contentRect.width) this.#otherWidth();
        this.#measures.set(this, contentRect.width);
        continue;
      }
      if (!target.isConnected) {
        this.#sizes.unobserve(target);
        continue;
      }
      const key = target.getAttribute('data-key');
      const index = Number(target.getAttribute('data-index'));
      const { height } = target.getBoundingClientRect();
      const grew = height > (this.#measures.get(target) ?? height);
      this.#measures.set(target, height);
      if (key !== null && cache.keys[index] === key && height > 0) cache.measured(index, height);
      if (grew && target.contains(this.shadowRoot?.activeElement ?? null)) buttonsInSight(target);
    }
    if (this.#follows) this.#keepAtEnd();
    this.#lookForEnd();
  }

  /** Every height is another one: the row that was first in sight stays it. */
  #otherWidth(): void {
    this.store.lists[this.list].forgetHeights();
    this.#toRestore = !this.#following;
    this.requestUpdate();
  }

  // ---- keyboard and focus ----

  readonly #focused = (event: FocusEvent): void => {
    const row = rowOf(event.composedPath());
    const key = row?.dataset['key'] ?? null;
    if (key === null || key === this.#current) return;
    this.#current = key;
    this.requestUpdate();
  };

  readonly #key = (event: KeyboardEvent): void => {
    const row = rowOf(event.composedPath());
    if (row === null || event.defaultPrevented) return;
    const onRow = event.composedPath()[0] === row;
    const step = { ArrowDown: 1, ArrowUp: -1, End: Number.MAX_SAFE_INTEGER, Home: -Number.MAX_SAFE_INTEGER }[
      event.key
    ];
    if (step !== undefined && (onRow || !isWriting(event))) {
      event.preventDefault();
      this.#walk(Number(row.dataset['index']) + step);
    } else if (event.key === 'Enter' && onRow) {
      event.preventDefault();
      openRow(row);
    }
  };

  #walk(to: number): void {
    const cache = this.store.lists[this.list];
    const index = Math.max(0, Math.min(cache.total - 1, to));
    const key = cache.keys[index];
    if (key === undefined) {
      this.store.need(this.list, index, index + 1);
      return;
    }
    this.#current = key;
    const row = this.#element(key);
    if (row !== null) this.#focus(row);
    else this.store.show(this.list, key, true);
  }

  #focus(row: HTMLElement): void {
    this.#current = row.dataset['key'] ?? null;
    row.tabIndex = 0;
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: 'nearest' });
    this.requestUpdate();
  }

  /** After an answer the buttons are gone: their row keeps the focus, or where words are to be written in it. */
  focusRow(key: string): boolean {
    const row = this.#element(key);
    const field = row?.querySelector('textarea') ?? null;
    if (field !== null && row !== null) {
      field.focus();
      buttonsInSight(row);
    } else if (row !== null) this.#focus(row);
    return row !== null;
  }
}

export function rowOf(path: readonly EventTarget[]): HTMLElement | null {
  for (const each of path)
    if (each instanceof HTMLElement && each.dataset['key'] !== undefined && each.classList.contains('row'))
      return each;
  return null;
}

export const isWriting = (event: Event): boolean =>
  event
    .composedPath()
    .some((each) => each instanceof HTMLTextAreaElement || each instanceof HTMLSelectElement);

/** What is below what is in sight, pixels. */
const restOf = (scroller: HTMLElement): number =>
  scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;

/** A card that asks and that the person is in has grown: what answers it must not be cut off. */
function buttonsInSight(row: Element): void {
  const buttons = row.querySelectorAll('.asking .buttons');
  buttons[buttons.length - 1]?.scrollIntoView({ block: 'nearest' });
}

/** Enter on a row: its first button, fold or link. */
function openRow(row: HTMLElement): void {
  const first =
    row.querySelector<HTMLElement>('vscode-button[appearance="primary"], .opener, .fold, .link') ??
    row.querySelector<HTMLElement>('.asking vscode-button');
  if (first === null) return;
  if (first.localName === 'vscode-button') first.focus();
  else first.click();
}
