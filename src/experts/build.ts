import baseHelper from '../../prompts/base/helper.md';
import baseLead from '../../prompts/base/lead.md';
import work from '../../prompts/base/work.md';
import { fill } from '../base/template';
import type { Text } from '../shared/text';
import { styleBlocks } from './blocks';
import { builtIn } from './builtIn';
import type { AgentRequest, Expert, MadeAgent, StyleBlocks } from './port';

export const expertNames: readonly string[] = builtIn.map((expert) => expert.name);

/**
 * Builds an agent's system prompt and its list of tools, once. One builder for leads, members and helpers: what
 * differs is the opening and the style's blocks, never the expert's own text (C-93, C-94).
 * @param keep stores a text inline or as a blob
 * @throws if the style or the expert is not known, or a prompt's placeholders don't match
 */
export function buildAgent(request: AgentRequest, keep: (text: string) => Text): MadeAgent {
  const expert = builtIn.find((each) => each.name === request.expert);
  if (expert === undefined) throw new Error(`no such expert: ${request.expert}`);
  const blocks = styleBlocks[request.style];
  if (blocks === undefined) throw new Error(`no prompts for the style ${request.style}`);
  return {
    system: keep(systemText(request, expert, blocks)),
    tools: toolsOf(request, expert, blocks),
  };
}

function systemText(request: AgentRequest, expert: Expert, blocks: StyleBlocks): string {
  const parts = [opening(request, blocks), work, expert.text];
  if (leads(request)) parts.push(blocks.lead);
  return `${parts.map((part) => part.trim()).join('\n\n')}\n`;
}

/** The block about leading and the tools for it come and go together (L-17, L-37). */
const leads = ({ kind, offered, mayLead }: AgentRequest): boolean =>
  offered && (kind === 'lead' || (kind === 'member' && mayLead));

function opening(request: AgentRequest, blocks: StyleBlocks): string {
  const { kind, name, role, managerName, goal } = request;
  const manager = managerName ?? 'the person';
  switch (kind) {
    case 'lead':
      return fill(baseLead, { name });
    case 'helper':
      return fill(baseHelper, { name, manager });
    case 'member':
      return fill(blocks.member, { name, role, manager, goal: goal ?? 'not told' });
  }
}

function toolsOf(request: AgentRequest, expert: Expert, blocks: StyleBlocks): readonly string[] {
  const own = [...expert.tools, ...(request.helpers && expert.mayDelegate ? ['task'] : [])];
  switch (request.kind) {
    case 'lead':
      return [...own, 'ask_user', ...(leads(request) ? blocks.tools.lead : [])];
    case 'member':
      return [...own, ...blocks.tools.member, ...(leads(request) ? blocks.tools.leading : [])];
    case 'helper':
      // It has none of its own: what is handed on twice comes back to nobody who knows why.
      return expert.tools;
  }
}
