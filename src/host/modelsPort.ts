import { servesTwo, slotsOf } from '../model/catalog';
import type { Models } from '../model/models';
import type { ModelEntry, ModelPort } from '../model/port';
import { costOf } from '../model/price';
import type { ModelsPort } from '../runtime/engine';
import type { ModelId } from '../shared/ids';

/** Where a host has its model entries; asked each time, so that a changed setting counts from the next request on. */
export interface EntrySource {
  entries(): readonly ModelEntry[];
  defaultModel(): ModelId | null;
}

/** The engine's view of the models that the person has set up. */
export function modelsPort(models: Models, source: EntrySource): ModelsPort {
  const clients = new Map<string, { readonly entry: ModelEntry; readonly port: ModelPort }>();
  const entryOf = (id: string) => source.entries().find((entry) => entry.id === id) ?? null;
  return {
    entries: () => source.entries(),
    defaultModel: () => source.defaultModel(),
    client: (id) => {
      const entry = entryOf(id);
      if (entry === null) return null;
      const known = clients.get(id);
      // A changed entry gets a new client; an unchanged one keeps its connections and what was learned of its server.
      if (known !== undefined && JSON.stringify(known.entry) === JSON.stringify(entry)) return known.port;
      const port = models.port(entry);
      clients.set(id, { entry, port });
      return port;
    },
    facts: (id) => {
      const entry = entryOf(id);
      if (entry === null) return null;
      return {
        id: id as ModelId,
        slots: slotsOf(entry),
        capacityGroup: entry.capacityGroup,
        servesTwo: servesTwo(entry),
      };
    },
    cost: (id, usage) => {
      const price = entryOf(id)?.price ?? null;
      return price === null ? null : costOf({ ...usage, estimated: false }, price);
    },
  };
}
