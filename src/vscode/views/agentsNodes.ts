import type { AgentId, SessionId } from '../../shared/ids';

/** A row of the Agents view: what it stands for, not how it looks. */
export type AgentsNode =
  | { readonly type: 'session'; readonly session: SessionId }
  | { readonly type: 'agent'; readonly session: SessionId; readonly agent: AgentId }
  | {
      readonly type: 'file';
      readonly session: SessionId;
      readonly agent: AgentId;
      readonly path: string;
    };

/** The same row always has the same id, so that the editor keeps its selection and its folding. */
export function nodeId(node: AgentsNode): string {
  if (node.type === 'session') return node.session;
  if (node.type === 'agent') return `${node.session}/${node.agent}`;
  return `${node.session}/${node.agent}/${node.path}`;
}
