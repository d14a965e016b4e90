import * as vscode from 'vscode';

const SECTION = 'teamroom';

/**
 * The settings of this extension as they are now. Reading them from the editor costs tens of microseconds each time,
 * and the engine asks with every decision: they are kept until the editor says that one has changed.
 */
export class Configuration implements vscode.Disposable {
  readonly #values = new Map<string, unknown>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #subscription = vscode.workspace.onDidChangeConfiguration((event) => {
    if (!event.affectsConfiguration(SECTION)) return;
    this.#values.clear();
    this.#changed.fire();
  });

  /** After a change; what is read then is new. */
  readonly onDidChange = this.#changed.event;

  /** The value as written, of whatever shape. */
  get(key: string): unknown {
    if (!this.#values.has(key)) this.#values.set(key, this.#section.get<unknown>(key));
    return this.#values.get(key);
  }

  /** Writes to the settings of the person on this machine. */
  async set(key: string, value: unknown): Promise<void> {
    await this.#section.update(key, value, vscode.ConfigurationTarget.Global);
    // The editor tells of the change sooner or later; what was written holds from now on.
    this.#values.set(key, value);
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changed.dispose();
  }

  get #section(): vscode.WorkspaceConfiguration {
    return vscode.workspace.getConfiguration(SECTION);
  }
}
