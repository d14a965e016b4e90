import { hasBoth, spansOf } from '../../shared/spans';
import { undoneHunks } from '../../shared/undos';
import { hunksOf } from '../../workspace/ledgerHunks';
import { changesOfFile } from '../changedFiles';
import { say } from '../texts';
import type { Chosen } from './choose';
import type { Desk } from './desk';

/** Lets the person choose one place of what an agent did to a file; null: they left it, or there is none. */
export async function chooseHunk(
  desk: Desk,
  { session, agent, state }: Chosen,
  path: string,
): Promise<string | null> {
  const read = async (blob: string | null) => (blob === null ? null : desk.engine().readBlob(session, blob));
  const out = undoneHunks(state, agent.id);
  const items: { label: string; description: string; value: string }[] = [];
  for (const span of spansOf(changesOfFile(state, agent.id, path)).filter(hasBoth)) {
    for (const hunk of hunksOf(await read(span.before), await read(span.after)) ?? []) {
      if (out.has(hunk.id)) continue;
      const changed = hunk.lines
        .filter((line) => line.mark !== ' ')
        .map(({ mark, text }) => `${mark}${text.trim()}`);
      items.push({
        label: say.line(hunk.newStart),
        description: changed.slice(0, 3).join(' '),
        value: hunk.id,
      });
    }
  }
  if (items.length === 0) {
    await desk.asker.tell('info', say.noHunk(path));
    return null;
  }
  return (await desk.asker.pick({ title: say.undoHunkTitle(), placeholder: say.whichHunk(), items })) ?? null;
}
