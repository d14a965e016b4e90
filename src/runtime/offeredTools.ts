import type { ModelTool } from '../model/port';
import type { SessionId } from '../shared/ids';
import type { Agent } from '../shared/state';
import type { StyleFacade } from '../styles/style';
import { listedTools } from '../team/gate';
import type { Tool } from '../tools/defineTool';
import type { EngineOptions } from './ports';
import type { SessionRuntime } from './sessionRuntime';

export interface OfferedTools {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Those that its model is shown, as it is shown them. */
  readonly modelTools: readonly ModelTool[];
}

/** The agent's own list, fixed when it was made (L-37, L-72, C-92). */
export function offeredTools(
  parts: { readonly runtime: SessionRuntime; readonly options: EngineOptions; readonly style: StyleFacade },
  agent: Agent,
): OfferedTools {
  const { runtime, options, style } = parts;
  const all = new Map([...options.tools, ...style.tools].map((tool) => [tool.name, tool]));
  const tools = new Map(agent.tools.flatMap((name) => entryOf(all, name)));
  const riskOf = (name: string) => tools.get(name)?.risk ?? 'execute';
  const listed = new Set(listedTools(runtime.state, agent, riskOf, runtime.facts()));
  const modelTools = [...tools.values()]
    .filter((tool) => listed.has(tool.name))
    .map(({ name, description, parameters }) => ({ name, description, parameters }));
  return { tools, modelTools };
}

/** Stable per agent: keeps its prompt cache warm. */
export const cacheKeyOf = (session: SessionId, agent: Agent): string => `${session}/${agent.id}`;

const entryOf = (all: ReadonlyMap<string, Tool>, name: string): [string, Tool][] => {
  const tool = all.get(name);
  return tool === undefined ? [] : [[name, tool]];
};
