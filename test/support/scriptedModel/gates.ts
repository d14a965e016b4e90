interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

/** Named gates that are waited for and opened once; opening before anybody waits counts too. */
export class Gates {
  readonly #gates = new Map<string, Gate>();

  open(name: string): void {
    this.#gate(name).open();
  }

  opened(name: string): Promise<void> {
    return this.#gate(name).opened;
  }

  #gate(name: string): Gate {
    const known = this.#gates.get(name);
    if (known !== undefined) return known;
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const gate = { opened, open };
    this.#gates.set(name, gate);
    return gate;
  }
}
