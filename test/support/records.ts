import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import { inProcessHistory } from '../../src/store/inProcessHistory';
import { folderWorkspaceStore } from '../../src/store/workspaceStore';
import { quietLog } from './quietLog';

/** The records that are really on the disk, of the one session of a headless host's state folder. */
export async function recordsOf(root: string): Promise<string[]> {
  const storage = join(root, 'state', 'workspace');
  const store = folderWorkspaceStore({
    storage,
    clock: systemClock,
    log: quietLog,
    history: inProcessHistory(null),
    right: null,
  });
  const [listing] = await store.list();
  if (listing === undefined) return [];
  const opened = await store.open(listing.id);
  const rows = await opened.store.pageEvents(1, 10_000);
  const records = rows.map((row) => row.json);
  await opened.store.close();
  await store.dispose();
  return records;
}
