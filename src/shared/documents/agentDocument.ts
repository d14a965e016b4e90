import { agentOf, callOf, deliveryOf, messageOf, runOf, stepOf } from '../lookup';
import { money, shortCount } from '../project/words';
import type { Agent, Call, InputPart, Run, RunEntry, State, Step } from '../state';
import type { Text } from '../text';
import { say } from '../texts';
import { fenced, quoted } from './quoted';
import type { DocumentParts } from './roomDocument';

/** Everything that an agent was sent, said and did, turn by turn, as Markdown. */
export async function agentDocument(state: State, agent: Agent, parts: DocumentParts): Promise<string> {
  const sections = [`# ${agent.name}${agent.role === '' ? '' : ` — ${agent.role}`}`];
  for (const [n, id] of agent.runs.entries()) {
    const run = runOf(state, id);
    if (run !== undefined) sections.push(await runSection(state, run, n + 1, parts));
  }
  return `${sections.join('\n\n')}\n`;
}

async function runSection(state: State, run: Run, n: number, parts: DocumentParts): Promise<string> {
  const sections = [`## ${say('doc.turn', { n, time: parts.time(run.queuedAt), model: run.model })}`];
  let step = 0;
  for (const entry of run.entries) {
    if (entry.type === 'step') step += 1;
    sections.push(...(await entrySections(state, entry, step, parts)));
  }
  const { phase } = run;
  if (phase.status === 'ended')
    sections.push(`*${say('doc.ended', { time: parts.time(phase.at), why: phase.detail ?? phase.reason })}*`);
  return sections.join('\n\n');
}

async function entrySections(
  state: State,
  entry: RunEntry,
  n: number,
  parts: DocumentParts,
): Promise<readonly string[]> {
  switch (entry.type) {
    case 'input':
      return [
        `### ${say('doc.input', { time: parts.time(entry.at) })}`,
        ...(await inputTexts(state, entry, parts)),
      ];
    case 'step': {
      const step = stepOf(state, entry.step);
      return step === undefined ? [] : stepSections(state, step, n, parts);
    }
    case 'compacted':
      return [
        `### ${say('doc.compacted', { time: parts.time(entry.at) })}`,
        ...(entry.text === null ? [] : [quoted(await parts.read(entry.text))]),
      ];
  }
}

async function stepSections(
  state: State,
  step: Step,
  n: number,
  parts: DocumentParts,
): Promise<readonly string[]> {
  const { usage } = step;
  const counted = say('doc.usage', {
    input: shortCount(usage.inputTokens),
    cached: shortCount(usage.cachedTokens),
    output: shortCount(usage.outputTokens),
    cost: usage.microUsd === null ? '–' : money(usage.microUsd),
    seconds: (usage.latencyMs / 1000).toFixed(1),
  });
  const sections = [`### ${say('doc.step', { n, id: step.id, time: parts.time(step.at) })}`, `*${counted}*`];
  if (step.fault !== null) sections.push(quoted(step.fault));
  const said = await parts.read(step.text);
  if (said.trim() !== '') sections.push(quoted(said));
  for (const id of step.calls) {
    const call = callOf(state, id);
    if (call !== undefined) sections.push(...(await callSections(call, parts)));
  }
  return sections;
}

async function callSections(call: Call, { read, time }: DocumentParts): Promise<readonly string[]> {
  const sections = [`**\`${call.tool}\`**`, fenced(pretty(await read(call.args)), 'json')];
  const { phase } = call;
  if (phase.status !== 'finished') return [...sections, `*${phase.status}*`];
  const { status, text, whole } = phase.result;
  return [...sections, `*${status} · ${time(phase.at)}*`, fenced(await read(whole ?? text))];
}

/** Texts of one user message; what the style words itself is seen in the exact request. */
async function inputTexts(
  state: State,
  entry: Extract<RunEntry, { type: 'input' }>,
  { read }: DocumentParts,
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const text of entry.parts.flatMap((part) => textsIn(state, part)))
    texts.push(quoted(await read(text)));
  return texts;
}

function textsIn(state: State, part: InputPart): readonly Text[] {
  switch (part.type) {
    case 'brief': {
      const brief = agentOf(state, part.agentId)?.brief ?? null;
      return brief === null ? [] : [brief];
    }
    case 'deliveries':
      return part.deliveries.flatMap((id) => {
        const delivery = deliveryOf(state, id);
        const message = delivery === undefined ? undefined : messageOf(state, delivery.messageId);
        return message === undefined ? [] : [message.text];
      });
    case 'host':
      return [part.text];
    case 'notes':
      return [];
  }
}

function pretty(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args), null, 2);
  } catch {
    // What the model wrote is shown as it wrote it.
    return args;
  }
}
