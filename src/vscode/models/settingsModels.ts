import * as vscode from 'vscode';
import type { ModelEntry } from '../../model/port';
import { readModelEntries } from '../../model/schema';
import type { ModelId } from '../../shared/ids';
import type { ModelSettings } from '../commands/desk';
import type { SettingProblem } from '../settings';
import { say } from '../texts';

/** Scripted answers, without network; only in a folder that Teamroom made for it. */
const rehearsal = (): ModelEntry => ({
  id: 'rehearsal',
  provider: 'rehearsal',
  label: say.rehearsalLabel(),
  baseUrl: '',
  model: 'rehearsal',
  parallel: null,
  singleSession: false,
  capacityGroup: null,
  contextWindow: 128_000,
  price: null,
  parameters: {},
});

/**
 * The models of the settings. They have machine scope, so no repository can name another server (A17), and what
 * can't be read there is left out and told.
 */
export class SettingsModels implements ModelSettings {
  readonly rehearses: boolean;
  readonly #onProblem: (problem: SettingProblem) => void;
  #read: { readonly setting: unknown; readonly entries: readonly ModelEntry[] } | null = null;

  constructor(rehearses: boolean, onProblem: (problem: SettingProblem) => void) {
    this.rehearses = rehearses;
    this.#onProblem = onProblem;
  }

  entries(): readonly ModelEntry[] {
    const setting = configuration().get<unknown>('models');
    // The editor answers another copy each time; only a changed one is worth reading and telling about.
    if (this.#read === null || JSON.stringify(this.#read.setting) !== JSON.stringify(setting)) {
      this.#read = { setting, entries: this.#readEntries(setting) };
    }
    return this.rehearses ? [rehearsal(), ...this.#read.entries] : this.#read.entries;
  }

  /** In a sample folder the rehearsal, unless another is chosen there; else the chosen one, else the first. */
  default(): ModelEntry | null {
    const entries = this.entries();
    const chosen = entries.find((entry) => entry.id === configuration().get<unknown>('defaultModel'));
    return this.rehearses ? (entries[0] ?? null) : (chosen ?? entries[0] ?? null);
  }

  defaultModel(): ModelId | null {
    return (this.default()?.id ?? null) as ModelId | null;
  }

  async add(entry: ModelEntry): Promise<void> {
    const setting = configuration().get<unknown>('models');
    const before: readonly unknown[] = Array.isArray(setting) ? setting : [];
    await configuration().update('models', [...before, asSetting(entry)], vscode.ConfigurationTarget.Global);
  }

  async setDefault(id: string): Promise<void> {
    await configuration().update('defaultModel', id, vscode.ConfigurationTarget.Global);
  }

  #readEntries(setting: unknown): readonly ModelEntry[] {
    const { entries, problems } = readModelEntries(setting);
    if (problems.length > 0) this.#onProblem({ type: 'models', problems });
    // A rehearsal that claims to be a model of the settings would run outside of sample folders.
    return entries.filter((entry) => entry.provider !== 'rehearsal');
  }
}

const configuration = () => vscode.workspace.getConfiguration('teamroom');

/** Without what has its default anyway, so that the settings file stays readable. */
function asSetting(entry: ModelEntry): Record<string, unknown> {
  const { id, provider, label, baseUrl, model, parallel, contextWindow, price } = entry;
  return {
    id,
    provider,
    label,
    baseUrl,
    model,
    contextWindow,
    ...(parallel !== null && { parallel }),
    ...(price !== null && { price }),
  };
}
