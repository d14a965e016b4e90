import { LitElement } from 'lit';
import type { Store } from './store';

/** An element that is drawn anew, at most once a frame, when what the host posted has changed something. */
export class StoreElement extends LitElement {
  static override readonly properties: Record<string, object> = { store: { attribute: false } };
  declare store: Store;
  #unsubscribe: (() => void) | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#unsubscribe = this.store.subscribe(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }
}
