import { never } from '../base/never';
import type { Engine } from '../runtime/engine';
import { agentDocument } from '../shared/documents/agentDocument';
import type { DocumentParts } from '../shared/documents/roomDocument';
import type { AgentId, AskId, CallId, SessionId, StepId } from '../shared/ids';
import { agentOf, askOf } from '../shared/lookup';
import { clockTime } from '../shared/project/words';
import type { State } from '../shared/state';
import { outputOf } from './callOutput';
import type { TextAddress } from './textAddress';

/** The text of a document that is no file; null: there is none. */
export async function documentText(
  engine: Engine,
  state: State,
  session: SessionId,
  address: TextAddress,
): Promise<string | null> {
  switch (address.kind) {
    case 'ask':
      return askText(state, address.id, address.which) ?? '';
    case 'call': {
      const texts = outputOf(state, address.id as CallId);
      return (await Promise.all(texts.map((text) => engine.readText(session, text)))).join('\n\n');
    }
    case 'agent': {
      const agent = agentOf(state, address.id as AgentId);
      return agent === undefined ? null : agentDocument(state, agent, documentParts(engine, session));
    }
    case 'step': {
      const body = await engine.exactRequest(session, address.id as StepId);
      return body.ok ? `${JSON.stringify(JSON.parse(body.value), null, 2)}\n` : null;
    }
    default:
      return never(address.kind);
  }
}

/** The content of an ask's preview that lies in the event itself. */
function askText(state: State, ask: string, which: string): string | null {
  const found = askOf(state, ask as AskId);
  if (found?.about.type !== 'permission' || found.about.preview.type !== 'diff') return null;
  const text = which === 'before' ? found.about.preview.before : found.about.preview.after;
  return text?.type === 'inline' ? text.text : null;
}

export const documentParts = (engine: Engine, session: SessionId): DocumentParts => ({
  read: (text) => engine.readText(session, text),
  time: (at) => clockTime(at, Date.now()),
});
