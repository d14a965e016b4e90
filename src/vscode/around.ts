import type { ModelEntry } from '../model/port';
import type { Engine } from '../runtime/engine';
import type { ModelId, SessionId } from '../shared/ids';
import type { ModelFacts, Surroundings } from '../shared/project/who';
import type { Banner } from '../shared/protocol';
import type { SessionListing } from '../store/port';

/** What rows need to know beyond a session's state: models, access, the other sessions. */
export function surroundings(
  engine: Engine,
  entries: readonly ModelEntry[],
  listings: readonly SessionListing[],
): Surroundings {
  const models = entries.map((entry): readonly [ModelId, ModelFacts] => [
    entry.id as ModelId,
    {
      label: entry.label,
      parallel: entry.parallel,
      rehearsal: entry.provider === 'rehearsal',
      capacityGroup: entry.capacityGroup,
    },
  ]);
  return {
    models: new Map(models),
    banner: bannerOf(engine, entries.length, listings.length),
    sessions: listings.map(({ id, title, createdAt, open }) => ({
      id: id as SessionId,
      title,
      at: createdAt,
      open,
    })),
  };
}

/** Before the first task, the empty Room offers to add a model anyway. */
function bannerOf({ access }: Engine, models: number, sessions: number): Banner | null {
  if (access.type === 'read_only') return access;
  return models === 0 && sessions > 0 ? { type: 'no_model' } : null;
}
