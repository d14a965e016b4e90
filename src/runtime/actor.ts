import type { RunId, SessionId } from '../shared/ids';
import type { Agent } from '../shared/state';
import type { Actor } from '../workspace/port';

/** Who acts in the workspace, unique over all sessions of the window. */
export const actorOf = (session: SessionId, agent: Agent, runId: RunId): Actor => ({
  session,
  agent: `${session}/${agent.id}`,
  agentName: agent.name,
  run: `${session}/${runId}`,
});
