import { keyOrigin } from '../../model/catalog';
import type { ModelEntry } from '../../model/port';
import { addModel } from '../models/addModel';
import { listServerModels } from '../models/serverModels';
import { say } from '../texts';
import type { Desk } from './desk';

/** Adds a model; its last choice is to rehearse instead. Answers the entry that was added. */
export async function addModelCommand(desk: Desk): Promise<ModelEntry | null> {
  const added = await addModel({
    asker: desk.asker,
    keys: desk.keys,
    taken: () => new Set(desk.models.entries().map((entry) => entry.id)),
    save: (entry, storeKey) => desk.models.add(entry, storeKey),
    serverModels: listServerModels,
  });
  if (added.type === 'left') return null;
  if (added.type === 'rehearse') {
    await desk.editor.run('teamroom.rehearse');
    return null;
  }
  if (desk.models.default()?.id === added.entry.id) {
    void desk.asker.tell('info', say.modelAdded(added.entry.label)).catch(logged(desk));
    return added.entry;
  }
  // Several models: which one new tasks take is the person's choice, and nothing waits for it.
  void offerDefault(desk, added.entry).catch(logged(desk));
  return added.entry;
}

async function offerDefault(desk: Desk, entry: ModelEntry): Promise<void> {
  const choice = await desk.asker.tell('info', say.modelAdded(entry.label), say.useAsDefault());
  if (choice === say.useAsDefault()) await desk.models.setDefault(entry.id);
}

export async function chooseModel(desk: Desk): Promise<ModelEntry | null> {
  const now = desk.models.default();
  const entries = desk.models.entries();
  const chosen = await desk.asker.pick<ModelEntry | 'add'>({
    title: say.chooseModel(),
    placeholder: desk.models.rehearses ? say.rehearsalInUse() : say.chooseModel(),
    items: [
      ...entries.map((entry) => ({
        label: entry.label,
        description:
          entry.provider === 'rehearsal' ? say.rehearsalLabel() : `${entry.model} · ${entry.baseUrl}`,
        ...(entry.id === now?.id && { detail: say.isDefault() }),
        icon: entry.id === now?.id ? 'check' : 'blank',
        value: entry,
      })),
      { label: say.addAnother(), icon: 'add', value: 'add' as const },
    ],
  });
  if (chosen === undefined) return null;
  if (chosen === 'add') return addModelCommand(desk);
  await desk.models.setDefault(chosen.id);
  return chosen;
}

/** Asks for the key of a model's server anew, for instance after it was refused; empty: it wants none. */
export async function changeKey(desk: Desk): Promise<null> {
  const entries = desk.models.entries().filter((entry) => keyOrigin(entry.baseUrl) !== null);
  const items = entries.map((entry) => ({ label: entry.label, description: entry.baseUrl, value: entry }));
  if (items.length === 0) {
    await desk.asker.tell('info', say.noKeys());
    return null;
  }
  const question = { title: say.changeKey(), placeholder: say.whoseKey(), items };
  const entry = items.length === 1 ? items[0]?.value : await desk.asker.pick(question);
  const origin = entry === undefined ? null : keyOrigin(entry.baseUrl);
  if (origin === null) return null;
  const key = await desk.asker.input({
    title: say.changeKey(),
    prompt: say.keyPrompt(origin),
    placeholder: say.keyFor(origin),
    password: true,
  });
  if (key === undefined) return null;
  await desk.keys.set(origin, key.trim());
  await desk.asker.tell('info', say.keyChanged(origin));
  return null;
}

const logged = (desk: Desk) => (error: unknown) => desk.log.error('a model was added, but', error);
