import * as z from 'zod';
import { networkWords } from '../../model/openai/networkWords';
import { t } from '../texts';

/** How long the server may take before the person types the name instead. */
const PATIENCE_MS = 4000;
const MOST = 2000;

const answerSchema = z.object({ data: z.array(z.object({ id: z.string() })) });

export type ServerModels =
  | { readonly type: 'models'; readonly ids: readonly string[] }
  /** It refused the key. */
  | { readonly type: 'refused'; readonly status: number }
  /** It did not answer, or not with a list: many servers have none. */
  | { readonly type: 'none'; readonly why: string };

/**
 * Asks a server for its models (`GET <base>/models`). Redirects are not followed: they could lead the key to another
 * origin (A27).
 */
export async function listServerModels(baseUrl: string, key: string | null): Promise<ServerModels> {
  try {
    const response = await fetch(`${baseUrl}/models`, {
      headers: key === null || key === '' ? {} : { authorization: `Bearer ${key}` },
      redirect: 'error',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.status === 401 || response.status === 403) {
      return { type: 'refused', status: response.status };
    }
    if (!response.ok) return { type: 'none', why: `HTTP ${response.status}` };
    const answer = answerSchema.safeParse(await response.json());
    if (!answer.success) return { type: 'none', why: 'no list of models' };
    const ids = [...new Set(answer.data.data.map((model) => model.id))];
    return { type: 'models', ids: ids.slice(0, MOST).sort() };
  } catch (error) {
    return { type: 'none', why: whyOf(error) };
  }
}

/** `fetch` itself says no more than that it failed; its cause has the system's code. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return t('no answer');
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  return networkWords[code] ?? (cause instanceof Error ? cause.message : error.message);
}
