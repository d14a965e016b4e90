import * as z from 'zod';
import type { HostSettings } from '../runtime/engine';
import type { Limits, PermissionMode, SizeSetting } from '../shared/state';
import type { PermissionRule } from '../workspace/port';
import type { Configuration } from './configuration';

/** What holds where a setting can't be used; the same as the manifest's defaults. */
export const DEFAULT_SIZE: SizeSetting = { min: 1, max: 4 };
const DEFAULT_CAP = 32;
const DEFAULT_LIMITS = { steps: 50, minutes: 30, tokens: 2_000_000, usd: 5 } as const;
const MS_PER_MINUTE = 60_000;
const MICRO = 1_000_000;

/** A setting that is written wrongly and therefore not used: told to the person with its key. */
export type SettingProblem =
  | { readonly type: 'size'; readonly min: number; readonly max: number; readonly cap: number }
  | { readonly type: 'value'; readonly key: string }
  | { readonly type: 'models'; readonly problems: readonly string[] };

const ruleSchema = z.object({
  effect: z.enum(['allow', 'ask', 'deny']),
  tool: z.string().min(1),
  pattern: z
    .string()
    .nullish()
    .transform((pattern) => pattern ?? null),
});

/** Reads the editor's settings when they are needed, so that a change counts from the next question on. */
export class VscodeSettings implements HostSettings {
  readonly #configuration: Pick<Configuration, 'get'>;
  readonly #onProblem: (problem: SettingProblem) => void;

  constructor(configuration: Pick<Configuration, 'get'>, onProblem: (problem: SettingProblem) => void) {
    this.#configuration = configuration;
    this.#onProblem = onProblem;
  }

  /** An out-of-bounds default is not used, and the person is told the bounds (design section 1). */
  defaultSize(): SizeSetting {
    const min = this.#number('agents.min', DEFAULT_SIZE.min);
    const max = this.#number('agents.max', DEFAULT_SIZE.max);
    const cap = this.cap();
    if (Number.isInteger(min) && Number.isInteger(max) && min >= 1 && min <= max && max <= cap) {
      return { min, max };
    }
    this.#onProblem({ type: 'size', min, max, cap });
    return { min: Math.min(DEFAULT_SIZE.min, cap), max: Math.min(DEFAULT_SIZE.max, cap) };
  }

  cap(): number {
    const cap = this.#number('agents.cap', DEFAULT_CAP);
    if (Number.isInteger(cap) && cap >= 1) return cap;
    this.#onProblem({ type: 'value', key: 'teamroom.agents.cap' });
    return DEFAULT_CAP;
  }

  /** null, "no limit", only where the person has written it. */
  limits(): Limits {
    const minutes = this.#limit('limits.minutes', DEFAULT_LIMITS.minutes);
    const usd = this.#limit('limits.usd', DEFAULT_LIMITS.usd);
    return {
      steps: this.#limit('limits.steps', DEFAULT_LIMITS.steps),
      activeMs: minutes === null ? null : Math.round(minutes * MS_PER_MINUTE),
      tokens: this.#limit('limits.tokens', DEFAULT_LIMITS.tokens),
      microUsd: usd === null ? null : Math.round(usd * MICRO),
    };
  }

  mode(): PermissionMode {
    return this.#oneOf('permissionMode', ['ask', 'edits', 'auto'], 'ask');
  }

  /** A rule that can't be read might have been a denial: then nothing is allowed by rule, and the person is told. */
  rules(): readonly PermissionRule[] {
    const parsed = z.array(ruleSchema).safeParse(this.#configuration.get('permissionRules'));
    if (parsed.success) return parsed.data;
    this.#onProblem({ type: 'value', key: 'teamroom.permissionRules' });
    return [{ effect: 'ask', tool: '*', pattern: null }];
  }

  resume(): 'ask' | 'auto' | 'never' {
    return this.#oneOf('resume', ['ask', 'auto', 'never'], 'ask');
  }

  subagentsEnabled(): boolean {
    return true;
  }

  #number(key: string, otherwise: number): number {
    const value = this.#configuration.get(key);
    if (typeof value === 'number') return value;
    this.#onProblem({ type: 'value', key: `teamroom.${key}` });
    return otherwise;
  }

  #limit(key: string, otherwise: number): number | null {
    const value = this.#configuration.get(key);
    if (value === null) return null;
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
    this.#onProblem({ type: 'value', key: `teamroom.${key}` });
    return otherwise;
  }

  #oneOf<T extends string>(key: string, known: readonly T[], otherwise: T): T {
    const value = this.#configuration.get(key);
    const found = known.find((item) => item === value);
    if (found !== undefined) return found;
    this.#onProblem({ type: 'value', key: `teamroom.${key}` });
    return otherwise;
  }
}
