import type { State } from '../shared/state';
import type { Policy } from './policy';
import { treeOrder } from './roster';

/**
 * X42: the key under which a routing decision may be reused: the query and everything that the decision depended on.
 * null where the style has no routing cache, so that the lead itself reads whatever the person says.
 */
export function routingKey(state: State, query: string, policy: Policy): string | null {
  if (policy.routingCache === null) return null;
  const roster = treeOrder(state).map(({ agent }) => [agent.id, agent.role, agent.system]);
  return JSON.stringify([query.trim().toLowerCase().replace(/\s+/gu, ' '), roster]);
}
