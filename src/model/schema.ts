import * as z from 'zod';
import { fail, ok, type Result } from '../base/result';
import { keyOrigin } from './catalog';
import type { ModelEntry } from './port';

/** Request fields that are ours: a parameter of that name would change what the engine relies on. */
const OURS = new Set([
  'model',
  'messages',
  'tools',
  'tool_choice',
  'functions',
  'stream',
  'stream_options',
  'n',
  'prompt_cache_key',
]);

const word = z.string().trim().min(1, 'must not be empty');
const price = z.number().min(0, 'must not be negative');

const baseUrl = z
  .string()
  .refine((value) => keyOrigin(value) !== null, 'must be an http or https address without a user name in it')
  .refine(
    (value) => !URL.canParse(value) || (new URL(value).search === '' && new URL(value).hash === ''),
    'must not have a query or fragment',
  );

/** A model entry as it stands in the settings; what is left out has the given default. */
export const modelEntrySchema = z
  .strictObject({
    id: word,
    provider: z.enum(['openai', 'rehearsal']).default('openai'),
    label: word.optional(),
    baseUrl: z.string().default(''),
    model: word,
    parallel: z.int('must be a whole number').min(1, 'must be at least 1').nullable().default(null),
    singleSession: z.boolean().default(false),
    capacityGroup: word.nullable().default(null),
    contextWindow: z.int('must be a whole number').min(1000, 'must be at least 1000 tokens').default(128_000),
    price: z
      .strictObject({ input: price, cachedInput: price.optional(), output: price })
      .nullable()
      .default(null),
    parameters: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .refine((value) => Object.keys(value).every((name) => !OURS.has(name)), {
        error: ({ input }) => `must not set ${Object.keys(input ?? {}).find((name) => OURS.has(name))}`,
      })
      .default({}),
  })
  .superRefine((entry, context) => {
    if (entry.provider !== 'openai') return;
    const checked = baseUrl.safeParse(entry.baseUrl);
    for (const issue of checked.error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: ['baseUrl'], message: issue.message });
    }
  });

/** A model entry from settings, or sentences that name each bad field, e.g. "parallel: must be at least 1". */
export function readModelEntry(value: unknown): Result<ModelEntry, readonly string[]> {
  const parsed = modelEntrySchema.safeParse(value);
  if (!parsed.success) return fail(parsed.error.issues.map(sentence));
  const { label, price: given, ...entry } = parsed.data;
  return ok({
    ...entry,
    label: label ?? entry.id,
    price: given === null ? null : { ...given, cachedInput: given.cachedInput ?? given.input },
  });
}

/** All entries of the settings: the good ones, and sentences about the others. A second entry of one id is refused. */
export function readModelEntries(value: unknown): {
  readonly entries: readonly ModelEntry[];
  readonly problems: readonly string[];
} {
  if (!Array.isArray(value)) return { entries: [], problems: ['models: must be a list'] };
  const entries: ModelEntry[] = [];
  const problems: string[] = [];
  for (const [index, item] of value.entries()) {
    const read = readModelEntry(item);
    if (!read.ok) problems.push(...read.error.map((problem) => `models[${index}].${problem}`));
    else if (entries.some((entry) => entry.id === read.value.id)) {
      problems.push(`models[${index}].id: ${read.value.id} is there twice`);
    } else entries.push(read.value);
  }
  return { entries, problems };
}

function sentence(issue: z.core.$ZodIssue): string {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.join(', ') : undefined;
  if (unknown !== undefined) return `${[...issue.path, unknown].join('.')}: there is no such field`;
  const path = issue.path.join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}
