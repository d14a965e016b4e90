import type { CallId } from '../shared/ids';
import type { Call, CallResult } from '../shared/state';
import { errorResult, type Tool } from '../tools/defineTool';
import type { ReadyCall, RunHost } from './port';

/** How far a call got: it has its one result, it waits for somebody, or its run was stopped meanwhile. */
export type Settled = 'finished' | 'suspended' | 'gone';

/**
 * Settles the calls of a step, live and after a restart by the same code: each call is taken from the phase that the
 * state gives it. Neighbouring calls that only read run side by side, the others in the order of the model: what comes
 * after a call that waits for the person is asked about at once, if it has to be, but not carried out before it.
 */
export async function settleCalls(
  host: RunHost,
  calls: readonly CallId[],
  signal: AbortSignal,
): Promise<Settled> {
  let all: Settled = 'finished';
  let inTurn = true;
  let at = 0;
  while (at < calls.length) {
    let end = at + 1;
    if (runsBeside(host, calls[at])) while (end < calls.length && runsBeside(host, calls[end])) end++;
    const group = calls.slice(at, end);
    const settled = await Promise.all(group.map((id) => settleCall(host, id, inTurn, signal)));
    if (signal.aborted || settled.includes('gone')) return 'gone';
    if (settled.includes('suspended')) all = 'suspended';
    inTurn &&= !group.some((id) => waitsForPerson(host.call(id)));
    at = end;
  }
  return all;
}

const waitsForPerson = ({ phase }: Call): boolean =>
  phase.status === 'suspended' && (phase.on.type === 'permission' || phase.on.type === 'question');

function runsBeside(host: RunHost, id: CallId | undefined): boolean {
  if (id === undefined) return false;
  const tool = host.tools.get(host.call(id).tool);
  return tool !== undefined && tool.risk === 'read';
}

/** @param inTurn whether the calls before it have their results, as far as they wait for the person */
async function settleCall(host: RunHost, id: CallId, inTurn: boolean, signal: AbortSignal): Promise<Settled> {
  const call = host.call(id);
  if (call.phase.status === 'finished') return 'finished';
  let allowed: string | null = null;
  if (call.phase.status === 'suspended') {
    const resolution = await host.resolution(call);
    if (signal.aborted) return 'gone';
    if (resolution === null) return 'suspended';
    if (resolution.type !== 'allowed') {
      const result = resolution.type === 'reply' ? kept(host, resolution) : resolution.result;
      host.finish(call, host.tools.get(call.tool) ?? null, result);
      return 'finished';
    }
    if (!inTurn) return 'suspended';
    allowed = resolution.argsHash;
  }
  const tool = host.tools.get(call.tool);
  if (tool === undefined) {
    host.finish(call, null, { status: 'error', text: host.keep(unknownTool(host, call.tool)) });
    return 'finished';
  }
  return inTurn ? carryOut(host, call, tool, allowed, signal) : askAhead(host, call, tool, signal);
}

/** Opens the question that the call will need, so that the person sees all of a step at once; does nothing else. */
async function askAhead(host: RunHost, call: Call, tool: Tool, signal: AbortSignal): Promise<Settled> {
  const opened = tool.open(await host.read(call.args));
  if (!opened.ok || host.gate(call, tool, opened.value, null) !== null) return 'suspended';
  const prepared = await guarded(host, tool, () => opened.value.prepare(host.toolContext(call, signal)));
  if (signal.aborted) return 'gone';
  if (prepared.type === 'answer' || host.gate(call, tool, opened.value, prepared) !== null)
    return 'suspended';
  const permission = host.permission(call, tool, opened.value, prepared);
  if (permission.type === 'ask') host.askPerson(call, tool, prepared, permission);
  return 'suspended';
}

/** prepare → permit → execute → finish: one path for bad arguments, refusals, denials and results. */
async function carryOut(
  host: RunHost,
  call: Call,
  tool: Tool,
  allowedHash: string | null,
  signal: AbortSignal,
): Promise<Settled> {
  const finish = (result: CallResult): Settled => {
    if (signal.aborted) return 'gone';
    host.finish(call, tool, result);
    return 'finished';
  };
  const opened = tool.open(await host.read(call.args));
  if (!opened.ok) return finish({ status: 'error', text: host.keep(opened.error) });
  const refusal = host.gate(call, tool, opened.value, null);
  if (refusal !== null) return finish(refusal);

  const context = host.toolContext(call, signal);
  const prepared = await guarded(host, tool, () => opened.value.prepare(context));
  if (prepared.type === 'answer') return finish(kept(host, prepared.result));
  if (signal.aborted) return 'gone';
  const late = host.gate(call, tool, opened.value, prepared);
  if (late !== null) return finish(late);

  const permission = host.permission(call, tool, opened.value, prepared);
  if (permission.type === 'deny') return finish({ status: 'denied', text: host.keep(permission.text) });
  if (permission.type === 'ask' && (permission.anew || permission.argsHash !== allowedHash)) {
    host.askPerson(call, tool, prepared, permission);
    return 'suspended';
  }
  if (permission.type === 'ask') host.permit(call, 'person', permission.argsHash);
  else if (call.phase.status !== 'permitted') host.permit(call, permission.by, permission.argsHash);
  return execute(host, call, tool, prepared, signal, finish);
}

async function execute(
  host: RunHost,
  call: Call,
  tool: Tool,
  prepared: ReadyCall,
  signal: AbortSignal,
  finish: (result: CallResult) => Settled,
): Promise<Settled> {
  // A side effect waits until what led to it is durable; reading doesn't (design section 2).
  if (tool.risk !== 'read') await host.flushed();
  if (signal.aborted) return 'gone';
  const context = host.toolContext(call, signal);
  const answer = await guarded(host, tool, () => prepared.execute(context));
  if (signal.aborted) return 'gone';
  if (answer.type === 'answer') return finish(kept(host, answer.result));
  if (answer.type === 'result') return finish(kept(host, answer.result));
  host.suspend(call, answer.on);
  // What it waits for may have ended meanwhile, and been given its result.
  return host.call(call.id).phase.status === 'finished' ? 'finished' : 'suspended';
}

/** A tool that throws is our fault, yet the model gets an explicit answer and the log the stack. */
async function guarded<T>(
  host: RunHost,
  tool: Tool,
  work: () => Promise<T>,
): Promise<T | { readonly type: 'answer'; readonly result: ReturnType<typeof errorResult> }> {
  try {
    return await work();
  } catch (error) {
    host.log(`tool ${tool.name} failed unexpectedly`, error);
    const why = error instanceof Error ? error.message : String(error);
    return { type: 'answer', result: errorResult(`${tool.name} failed unexpectedly: ${why}`) };
  }
}

/** Longest result that a model is given, in characters; the whole is kept for the person. */
export const LONGEST_RESULT_CHARS = 60_000;

function kept(
  host: RunHost,
  result: { readonly status: CallResult['status']; readonly text: string },
): CallResult {
  if (result.text.length <= LONGEST_RESULT_CHARS)
    return { status: result.status, text: host.keep(result.text) };
  const half = LONGEST_RESULT_CHARS / 2;
  const omitted = result.text.length - LONGEST_RESULT_CHARS;
  const [head, tail] = [result.text.slice(0, half), result.text.slice(-half)].map((part) =>
    part.toWellFormed(),
  );
  const cut = `${head}\n[… ${omitted} characters left out here: the result was too long. Ask for a smaller part. …]\n${tail}`;
  return { status: result.status, text: host.keep(cut), whole: host.keep(result.text) };
}

function unknownTool(host: RunHost, name: string): string {
  return `There is no tool "${name}". Your tools are: ${[...host.tools.keys()].join(', ')}.`;
}
