import type { SessionId } from '../../shared/ids';
import { openJobs, openRuns } from '../../shared/lookup';
import type { SessionListing } from '../../store/port';
import { say } from '../texts';
import type { Desk } from './desk';
import { demand, mayRun } from './outcome';

/**
 * Deletes a session with all that was kept of it, after a modal question: the row that it was called on, or one from
 * the list of all. Answers its id; null: it was left.
 */
export async function deleteSession(desk: Desk, args: readonly unknown[]): Promise<SessionId | null> {
  if (!(await mayRun(desk))) return null;
  const session = named(args[0]) ?? (await choose(desk));
  if (session === null) return null;
  const listing = desk.sessions.listings.find((each) => each.id === session);
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

async function choose(desk: Desk): Promise<SessionId | null> {
  const { listings, current } = desk.sessions;
  if (listings.length === 0) {
    await desk.asker.tell('info', say.noTeam());
    return null;
  }
  const items = listings.map((listing) => ({
    label: titleOf(listing, listing.id),
    description: new Date(listing.createdAt).toLocaleString(),
    picked: listing.id === current,
    value: listing.id as SessionId,
  }));
  const chosen = await desk.asker.pick({
    title: say.deleteTitle(),
    placeholder: say.whichDelete(),
    items,
  });
  return chosen ?? null;
}

const titleOf = (listing: SessionListing | undefined, id: string): string => listing?.title.trim() || id;
