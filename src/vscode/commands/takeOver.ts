import { say } from '../texts';
import type { Desk } from './desk';
import { demand } from './outcome';

/** Takes the workspace over from another window that holds it. */
export async function takeOver(desk: Desk, args: readonly unknown[]): Promise<null> {
  const { access } = desk.engine();
  if (access.type !== 'read_only' || access.why !== 'elsewhere') return null;
  const sure =
    args[0] === true ||
    (await desk.asker.confirm(say.takeOverQuestion(), say.takeOverDetail(), say.takeOver()));
  if (!sure) return null;
  await demand(desk, await desk.engine().takeOver());
  await desk.sessions.load();
  await desk.asker.tell('info', say.takenOver());
  return null;
}
