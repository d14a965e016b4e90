import * as z from 'zod';
import type { AgentId, AskId, CallId, OutcomeId, RunId, SessionId, UndoId } from './ids';
import type { ViewToHost } from './protocol';

/**
 * The check of what comes from the webview (A22). For the host only: the webview's bundle has no zod. Objects are
 * strict and texts bounded, so that nothing passes that the view could not have sent.
 */
const text = (max: number) => z.string().max(max);
const id = <T extends string>(letter: string) =>
  z.custom<T>((value) => typeof value === 'string' && new RegExp(`^${letter}\\d{1,9}$`).test(value));
const agent = id<AgentId>('a');
const ask = id<AskId>('q');
const run = id<RunId>('r');
const outcome = id<OutcomeId>('o');
const call = id<CallId>('c');
const session = z.custom<SessionId>((value) => typeof value === 'string' && /^[\w-]{1,100}$/.test(value));
const list = z.enum(['room', 'tree', 'changes']);
const path = text(4096);
const hash = z.string().regex(/^[0-9a-f]{64}$/);

const answer = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('allow'), scope: z.enum(['once', 'run']) }),
  z.strictObject({ type: z.literal('deny'), words: text(20_000) }),
  z.strictObject({ type: z.literal('reply'), text: text(100_000) }),
  z.strictObject({ type: z.literal('raise'), to: z.number().int().positive().nullable() }),
  z.strictObject({ type: z.literal('end') }),
]);

const act = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('send'), to: text(32).nullable(), text: text(1_000_000) }),
  z.strictObject({ type: z.literal('answerAsk'), ask, argsHash: hash.nullable(), answer }),
  z.strictObject({ type: z.literal('stop'), name: text(32) }),
  z.strictObject({ type: z.literal('resume'), go: z.boolean(), runs: z.array(run).max(10_000).nullable() }),
  z.strictObject({ type: z.literal('pause'), paused: z.boolean() }),
  z.strictObject({ type: z.literal('retry'), run }),
  z.strictObject({ type: z.literal('tellLead') }),
  z.strictObject({ type: z.literal('openDiff'), agent, path }),
  z.strictObject({ type: z.literal('openAskDiff'), ask }),
  z.strictObject({ type: z.literal('openAllDiffs'), agent }),
  z.strictObject({ type: z.literal('openFile'), path }),
  z.strictObject({ type: z.literal('openOutput'), call }),
  z.strictObject({ type: z.literal('undoFile'), agent, path }),
  z.strictObject({ type: z.literal('undoMember'), agent }),
  z.strictObject({
    type: z.literal('undoHunk'),
    agent,
    path,
    hunk: z.string().regex(/^[0-9a-f]{32}-\d{1,6}$/),
  }),
  z.strictObject({ type: z.literal('undoTask') }),
  z.strictObject({ type: z.literal('redo'), undo: id<UndoId>('u') }),
  z.strictObject({ type: z.literal('accept'), outcome }),
  z.strictObject({ type: z.literal('requestChanges'), outcome, text: text(1_000_000) }),
  // What is no size is refused where it is set, with the bounds (L-13).
  z.strictObject({ type: z.literal('setSize'), min: z.number(), max: z.number() }),
  z.strictObject({ type: z.literal('settings'), what: z.enum(['mode', 'limits']) }),
  z.strictObject({ type: z.literal('retryOn'), agent }),
  z.strictObject({ type: z.literal('switchSession'), session }),
  z.strictObject({ type: z.literal('openLink'), url: text(8192) }),
  z.strictObject({ type: z.literal('copy'), text: text(1_000_000) }),
  z.strictObject({
    type: z.enum(['delegate', 'addModel', 'chooseModel', 'rehearse', 'takeOver', 'manageTrust', 'openLog']),
  }),
]);

const diffOf = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ask'), ask }),
  z.strictObject({ type: z.literal('file'), agent, path }),
]);

const viewToHost: z.ZodType<ViewToHost> = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready'), tab: list, filter: agent.nullable() }),
  z.strictObject({ type: z.literal('resync'), tab: list, lastSeq: z.number().int().nonnegative() }),
  z.strictObject({ type: z.literal('filter'), tab: list, agent: agent.nullable() }),
  z.strictObject({ type: z.literal('page'), list, from: z.number().int().nonnegative() }),
  z.strictObject({ type: z.literal('expand'), key: text(200) }),
  z.strictObject({ type: z.literal('diff'), of: diffOf }),
  z.strictObject({ type: z.literal('act'), act: z.number().int().nonnegative(), what: act }),
]);

/** A message of the view, or null and why it is none. Never throws. */
export function parseViewMessage(
  value: unknown,
): { readonly ok: true; readonly value: ViewToHost } | { readonly ok: false; readonly error: string } {
  const parsed = viewToHost.safeParse(value);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, error: z.prettifyError(parsed.error) };
}
