import type { SessionId } from '../../shared/ids';
import { openJobs, openRuns } from '../../shared/lookup';
import type { SessionListing } from '../../store/port';
import { error } from '../asker';
import { say } from '../texts';
import type { Desk } from './desk';
import { demand, mayRun } from './outcome';

/**
 * Deletes a session with all that was kept of it, after a modal question: the row that it was called on, or one from
 * the list of all. Answers its id; null: it was left.
 */
export async function deleteSession(desk: Desk, args: readonly unknown[]): Promise<SessionId | null> {
  if (!(await mayRun(desk))) return null;
  const { listings, archived } = desk.sessions;
  const all = [...listings, ...archived];
  const session =
    named(args[0]) ?? (await choose(desk, all, { title: say.deleteTitle(), placeholder: say.whichDelete() }));
  if (session === null) return null;
  const listing = all.find((each) => each.id === session);
  const question = say.deleteQuestion(titleOf(listing, session));
  if (!(await desk.asker.confirm(question, detailOf(desk, session), say.deleteYes()))) return null;
  await desk.asker.busy(say.deleting(), demandDeletion(desk, session));
  return session;
}

/** What stops with it is said only where something works. */
function detailOf(desk: Desk, session: SessionId): string {
  const state = desk.sessions.state(session);
  const works = state !== null && (openRuns(state).length > 0 || openJobs(state).length > 0);
  return works ? `${say.deleteStops()} ${say.deleteDetail()}` : say.deleteDetail();
}

async function demandDeletion(desk: Desk, session: SessionId): Promise<void> {
  await demand(desk, await desk.engine().deleteSession(session));
}

/** Only what is named is deleted without being chosen: never the session that happens to be looked at. */
const named = (arg: unknown): SessionId | null =>
  typeof arg === 'object' && arg !== null && 'session' in arg && typeof arg.session === 'string'
    ? (arg.session as SessionId)
    : null;

async function choose(
  desk: Desk,
  listings: readonly SessionListing[],
  question: { readonly title: string; readonly placeholder: string },
): Promise<SessionId | null> {
  if (listings.length === 0) {
    await desk.asker.tell('info', say.noTeam());
    return null;
  }
  const items = listings.map((listing) => ({
    label: titleOf(listing, listing.id),
    description: new Date(listing.createdAt).toLocaleString(),
    picked: listing.id === desk.sessions.current,
    value: listing.id as SessionId,
  }));
  return (await desk.asker.pick({ ...question, items })) ?? null;
}

const titleOf = (listing: SessionListing | undefined, id: string): string => listing?.title.trim() || id;

/** Gives a session another title: the row that it was called on, or one from the list. */
export async function renameSession(desk: Desk, args: readonly unknown[]): Promise<null> {
  if (!(await mayRun(desk))) return null;
  const { listings } = desk.sessions;
  const question = { title: say.renameTitle(), placeholder: say.whichRename() };
  const session = named(args[0]) ?? (await choose(desk, listings, question));
  if (session === null) return null;
  const title = await desk.asker.input({
    title: say.renameTitle(),
    prompt: say.renamePrompt(),
    value: titleOf(
      listings.find((each) => each.id === session),
      session,
    ),
    check: (value) => (value.trim() === '' ? error(say.notEmpty()) : null),
  });
  if (title !== undefined) await demand(desk, await desk.engine().rename(session, title.trim()));
  return null;
}

/** Puts a session away that rests. */
export async function archiveSession(desk: Desk, args: readonly unknown[]): Promise<null> {
  if (!(await mayRun(desk))) return null;
  const question = { title: say.archiveTitle(), placeholder: say.whichArchive() };
  const session = named(args[0]) ?? (await choose(desk, desk.sessions.listings, question));
  if (session !== null) await demand(desk, await desk.engine().archive(session, true));
  return null;
}

/** Takes back a session that was put away, and shows it. */
export async function showArchived(desk: Desk): Promise<null> {
  if (!(await mayRun(desk))) return null;
  const { archived } = desk.sessions;
  if (archived.length === 0) {
    await desk.asker.tell('info', say.noneArchived());
    return null;
  }
  const question = { title: say.showArchivedTitle(), placeholder: say.whichShow() };
  const session = await choose(desk, archived, question);
  if (session === null) return null;
  await demand(desk, await desk.engine().archive(session, false));
  await demand(desk, await desk.sessions.look(session));
  await desk.editor.showRoom(null, false);
  return null;
}
