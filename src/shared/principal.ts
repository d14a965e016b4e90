import type { AgentId } from './ids';

/** Who did or said something. */
export type Principal =
  | { readonly type: 'agent'; readonly id: AgentId }
  | { readonly type: 'person' }
  | { readonly type: 'host' };
