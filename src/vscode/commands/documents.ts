import { values } from '../../base/table';
import { messageDocument, roomDocument } from '../../shared/documents/roomDocument';
import { indexOf, type MessageId, type SessionId, type StepId } from '../../shared/ids';
import { agentOf, messageOf } from '../../shared/lookup';
import { entryKey, readEntryKey } from '../../shared/project/roomList';
import { clockTime, shortCount } from '../../shared/project/words';
import type { Message, State } from '../../shared/state';
import type { PickItem } from '../asker';
import { documentParts } from '../documents';
import { say } from '../texts';
import { type Chosen, chooseAgent, sessionArgument } from './choose';
import type { Desk } from './desk';
import { demand } from './outcome';

/** Opens everything that an agent was sent, said and did: of the row that it was called on, or one from a list. */
export async function showTranscript(desk: Desk, args: readonly unknown[]): Promise<null> {
  const chosen = await whose(desk, args, say.transcriptTitle());
  if (chosen !== null) await desk.editor.openTranscript(chosen.session, chosen.agent.id, chosen.agent.name);
  return null;
}

/** Opens the body of a request as the model's server got it. */
export async function showRequest(desk: Desk, args: readonly unknown[]): Promise<null> {
  const chosen = await whose(desk, args, say.exactTitle());
  if (chosen === null) return null;
  const items = await stepItems(desk, chosen);
  if (items.length === 0) {
    await desk.asker.tell('info', say.noSteps(chosen.agent.name));
    return null;
  }
  const question = { title: say.exactTitle(), placeholder: say.whichStep(chosen.agent.name), items };
  const step = await desk.asker.pick(question);
  if (step !== undefined) await desk.editor.openRequest(chosen.session, step);
  return null;
}

/** Newest first. */
async function stepItems(
  desk: Desk,
  { session, agent, state }: Chosen,
): Promise<readonly PickItem<StepId>[]> {
  const steps = [...values(state.steps)].filter((step) => step.agentId === agent.id);
  const items = steps.map(async (step, n) => {
    const text = await desk.engine().readText(session, step.text);
    return {
      label: say.stepLabel(n + 1, clockTime(step.at, Date.now())),
      description: say.stepTokens(shortCount(step.usage.inputTokens), shortCount(step.usage.outputTokens)),
      detail: firstLine(step.fault ?? text),
      value: step.id,
    };
  });
  return (await Promise.all(items)).reverse();
}

/** Writes a session to a file: its room as Markdown, or all of its events. */
export async function exportTranscript(desk: Desk, args: readonly unknown[]): Promise<string | null> {
  const session = await sessionHere(desk, args[0]);
  if (session === null) return null;
  const format = await desk.asker.pick({
    title: say.exportTitle(),
    placeholder: say.exportFormat(),
    items: [
      { label: 'Markdown', description: say.exportMarkdown(), value: 'md' as const },
      { label: 'JSON Lines', description: say.exportEvents(), value: 'jsonl' as const },
    ],
  });
  if (format === undefined) return null;
  const state = await demand(desk, await desk.engine().open(session));
  const path = await desk.editor.saveFile(`${fileName(state.session?.title)}.${format}`, async (append) => {
    if (format === 'md') return append(await roomDocument(state, documentParts(desk.engine(), session)));
    for await (const page of desk.engine().records(session)) await append(`${page.join('\n')}\n`);
  });
  if (path !== null) await desk.asker.tell('info', say.exported(path));
  return path;
}

/** Copies a row of the Room as Markdown; from the palette the whole Room. */
export async function copyMarkdown(desk: Desk, args: readonly unknown[]): Promise<null> {
  const session = await sessionHere(desk, args[0]);
  if (session === null) return null;
  const state = await demand(desk, await desk.engine().open(session));
  const parts = documentParts(desk.engine(), session);
  const message = messageIn(state, args[0]);
  const text = message === null ? roomDocument(state, parts) : messageDocument(state, message, parts);
  await desk.editor.copy(await text);
  return null;
}

const MOST_HITS = 200;

/** Looks for words in the messages of the session that is shown, and goes to one. */
export async function search(desk: Desk, args: readonly unknown[]): Promise<null> {
  const session = await sessionHere(desk, args[0]);
  if (session === null) return null;
  const state = await demand(desk, await desk.engine().open(session));
  const found = await desk.asker.find({
    title: say.searchTitle(),
    placeholder: say.searchWords(),
    none: say.searchNone(),
    items: async (typed) => {
      const ids = await desk.engine().search(session, typed, MOST_HITS);
      const now = desk.sessions.state(session) ?? state;
      return Promise.all(ids.map((id) => hitItem(desk, session, now, id)));
    },
  });
  if (found === undefined) return null;
  if (desk.sessions.current !== session) await desk.sessions.look(session);
  await desk.editor.showRow(entryKey('message', indexOf(found)));
  return null;
}

async function hitItem(
  desk: Desk,
  session: SessionId,
  state: State,
  id: MessageId,
): Promise<PickItem<MessageId>> {
  const message = messageOf(state, id);
  if (message === undefined) return { label: id, value: id };
  return {
    label: message.from.type === 'person' ? say.you() : message.fromName,
    description: clockTime(message.at, Date.now()),
    detail: firstLine(await desk.engine().readText(session, message.text)),
    value: id,
  };
}

const LONGEST_LINE = 200;
const firstLine = (text: string): string => text.trim().split('\n', 1)[0]?.slice(0, LONGEST_LINE) ?? '';

const fileName = (title: string | undefined): string =>
  (title ?? '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60) || 'teamroom';

async function sessionHere(desk: Desk, arg: unknown): Promise<SessionId | null> {
  const session = sessionArgument(desk, arg);
  if (session === null) await desk.asker.tell('info', say.noTeam());
  return session;
}

/** The Room's own menu names the row that it was opened on. */
function rowIn(arg: unknown): ReturnType<typeof readEntryKey> {
  if (typeof arg !== 'object' || arg === null || !('teamroomRow' in arg)) return null;
  return typeof arg.teamroomRow === 'string' ? readEntryKey(arg.teamroomRow) : null;
}

function messageIn(state: State, arg: unknown): Message | null {
  const row = rowIn(arg);
  if (row?.kind !== 'message') return null;
  return messageOf(state, `m${row.index}` as MessageId) ?? null;
}

/** The agent of a row of the tree or of a message in the Room. */
async function whose(desk: Desk, args: readonly unknown[], title: string): Promise<Chosen | null> {
  const session = sessionArgument(desk, null);
  const state = session === null ? null : desk.sessions.state(session);
  if (session !== null && state !== null) {
    const from = messageIn(state, args[0])?.from;
    const agent = from?.type === 'agent' ? agentOf(state, from.id) : undefined;
    if (agent !== undefined) return { session, agent, state };
  }
  const question = { title, placeholder: say.whichAgentTranscript(), none: say.noTeam() };
  return chooseAgent(desk, args, question, () => true);
}
