import type { Resolution } from '../agent/port';
import type { AgentId } from '../shared/ids';
import type { State } from '../shared/state';
import type { Text } from '../shared/text';
import type { StyleFacade } from '../styles/style';
import { endedOf } from '../team/endRun';
import { helperEnd } from '../team/helperJobs';

/** The result of a call that waited for a helper; null while the helper is at work. */
export async function helperResolution(
  state: State,
  helper: AgentId,
  style: Pick<StyleFacade, 'helperReply' | 'helperStopped'>,
  read: (text: Text) => Promise<string>,
): Promise<Resolution | null> {
  const end = helperEnd(state, helper);
  if (end === null) return null;
  if (end.reason === 'stopped') return { type: 'reply', status: 'stopped', text: style.helperStopped };
  const ended = endedOf(end);
  const text = style.helperReply({ text: end.text === null ? '' : await read(end.text), ended });
  return { type: 'reply', status: ended === null ? 'ok' : 'error', text };
}
