import { type Deliverable, deliverableOf } from '../../shared/review';
import type { Agent, State } from '../../shared/state';
import { error } from '../asker';
import { say } from '../texts';
import { type Chosen, chooseAgent } from './choose';
import type { Desk } from './desk';
import { demand, mayRun } from './outcome';

interface Question {
  readonly title: string;
  readonly placeholder: string;
}

/**
 * Shows what a member has changed, all files in one editor, and offers what comes next. Reading it changes nothing, so
 * it is also possible where nothing may run.
 */
export async function review(desk: Desk, args: readonly unknown[]): Promise<null> {
  const chosen = await chooseDeliverable(desk, args, {
    title: say.reviewTitle(),
    placeholder: say.whichReview(),
  });
  if (chosen === null) return null;
  const opened = await desk.editor.openAllDiffs(chosen.session, chosen.agent.id);
  if (!opened.ok) await desk.asker.tell('info', opened.error);
  // Not awaited: it stays until the person closes it.
  askVerdict(desk, chosen).catch((problem: unknown) =>
    desk.log.error('the review could not be ended', problem),
  );
  return null;
}

async function askVerdict(desk: Desk, chosen: ChosenDeliverable): Promise<void> {
  const words = say.reviewNow(chosen.agent.name, filesOf(chosen.deliverable));
  const choice = await desk.asker.tell('info', words, say.accept(), say.requestChanges());
  const row = { session: chosen.session, agent: chosen.agent.id };
  if (choice === say.accept()) await desk.editor.run('teamroom.accept', row);
  if (choice === say.requestChanges()) await desk.editor.run('teamroom.requestChanges', row);
}

/** Clears "to review"; the changes can be undone as before, and no agent is told. */
export async function accept(desk: Desk, args: readonly unknown[]): Promise<null> {
  if (!(await mayRun(desk))) return null;
  const chosen = await chooseDeliverable(desk, args, {
    title: say.acceptTitle(),
    placeholder: say.whichAccept(),
  });
  if (chosen === null) return null;
  await demand(desk, await desk.engine().accept(chosen.session, chosen.deliverable.outcome.id));
  tell(desk, say.accepted(chosen.agent.name));
  return null;
}

/** Sends a report back with the person's words, which start the member's next turn. */
export async function requestChanges(desk: Desk, args: readonly unknown[]): Promise<null> {
  if (!(await mayRun(desk))) return null;
  const question = { title: say.requestTitle(), placeholder: say.whichRequest() };
  const chosen = await chooseDeliverable(desk, args, question, (agent) => agent.left === null);
  if (chosen === null) return null;
  const { agent, session, deliverable } = chosen;
  const given = typeof args[1] === 'string' ? args[1] : undefined;
  const text = given ?? (await askText(desk, agent.name));
  if (text === undefined) return null;
  await demand(desk, await desk.engine().requestChanges(session, deliverable.outcome.id, text));
  tell(desk, say.requested(agent.name));
  return null;
}

const askText = (desk: Desk, name: string): Promise<string | undefined> =>
  desk.asker.input({
    title: say.requestTitle(),
    prompt: say.requestPrompt(name),
    check: (value) => (value.trim() === '' ? error(say.notEmpty()) : null),
  });

interface ChosenDeliverable extends Chosen {
  readonly deliverable: Deliverable;
}

async function chooseDeliverable(
  desk: Desk,
  args: readonly unknown[],
  question: Question,
  fits: (agent: Agent) => boolean = () => true,
): Promise<ChosenDeliverable | null> {
  const none = say.nothingToReview();
  const chosen = await chooseAgent(
    desk,
    args,
    { ...question, none },
    (agent, state) => fits(agent) && deliverableOf(state, agent.id)?.state === 'to_review',
    filesWords,
  );
  const deliverable = chosen === null ? null : deliverableOf(chosen.state, chosen.agent.id);
  if (chosen === null) return null;
  if (deliverable !== null) return { ...chosen, deliverable };
  await desk.asker.tell('info', none);
  return null;
}

function filesWords(agent: Agent, state: State): string | null {
  const deliverable = deliverableOf(state, agent.id);
  return deliverable === null ? null : say.files(filesOf(deliverable));
}

const filesOf = ({ changes }: Deliverable): number => new Set(changes.map((change) => change.path)).size;

function tell(desk: Desk, words: string): void {
  desk.asker
    .tell('info', words)
    .catch((problem: unknown) => desk.log.error('what was done could not be told', problem));
}
