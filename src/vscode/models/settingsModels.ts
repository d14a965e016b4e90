import type { ModelEntry } from '../../model/port';
import { readModelEntries } from '../../model/schema';
import type { ModelId } from '../../shared/ids';
import type { ModelSettings } from '../commands/desk';
import type { Configuration } from '../configuration';
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
  readonly #configuration: Pick<Configuration, 'get' | 'set'>;
  readonly #onProblem: (problem: SettingProblem) => void;
  #adding: Promise<void> = Promise.resolve();
  #read: { readonly setting: unknown; readonly entries: readonly ModelEntry[] } | null = null;

  constructor(
    configuration: Pick<Configuration, 'get' | 'set'>,
    rehearses: boolean,
    onProblem: (problem: SettingProblem) => void,
  ) {
    this.rehearses = rehearses;
    this.#configuration = configuration;
    this.#onProblem = onProblem;
  }

  entries(): readonly ModelEntry[] {
    const setting = this.#configuration.get('models');
    if (this.#read === null || this.#read.setting !== setting) {
      const read = this.#readEntries(setting);
      this.#read = { setting, entries: this.rehearses ? [rehearsal(), ...read] : read };
    }
    return this.#read.entries;
  }

  /** In a sample folder the rehearsal, unless another is chosen there; else the chosen one, else the first. */
  default(): ModelEntry | null {
    const entries = this.entries();
    const chosen = entries.find((entry) => entry.id === this.#configuration.get('defaultModel'));
    return this.rehearses ? (entries[0] ?? null) : (chosen ?? entries[0] ?? null);
  }

  defaultModel(): ModelId | null {
    return (this.default()?.id ?? null) as ModelId | null;
  }

  async add(entry: ModelEntry, before: () => Promise<void>): Promise<void> {
    const adding = this.#add(entry, before);
    this.#adding = adding;
    await adding;
  }

  async settled(): Promise<void> {
    // Whoever adds is told of its failure; here it only means that the model isn't there.
    await this.#adding.catch(() => undefined);
  }

  async #add(entry: ModelEntry, before: () => Promise<void>): Promise<void> {
    await before();
    const setting = this.#configuration.get('models');
    const others: readonly unknown[] = Array.isArray(setting) ? setting : [];
    await this.#configuration.set('models', [...others, asSetting(entry)]);
  }

  async setDefault(id: string): Promise<void> {
    await this.#configuration.set('defaultModel', id);
  }

  #readEntries(setting: unknown): readonly ModelEntry[] {
    const { entries, problems } = readModelEntries(setting);
    if (problems.length > 0) this.#onProblem({ type: 'models', problems });
    // A rehearsal that claims to be a model of the settings would run outside of sample folders.
    return entries.filter((entry) => entry.provider !== 'rehearsal');
  }
}

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
