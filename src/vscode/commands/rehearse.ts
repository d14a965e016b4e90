import { SAMPLE_TASK } from '../../model/rehearsal/sample';
import { makeSampleFolder } from '../sampleFolder';
import { say } from '../texts';
import { delegate } from './delegate';
import type { Desk } from './desk';

/**
 * Makes a sample folder where the person wants it and opens it; there, the rehearsal model is the default. Called in
 * such a folder, it offers the sample task.
 */
export async function rehearse(desk: Desk, args: readonly unknown[]): Promise<string | null> {
  if (desk.models.rehearses) {
    await delegate(desk, [SAMPLE_TASK]);
    return null;
  }
  const home = typeof args[0] === 'string' ? args[0] : await askPlace(desk);
  if (home === null) return null;
  try {
    const root = await makeSampleFolder(home);
    await desk.editor.openFolder(root);
    return root;
  } catch (error) {
    desk.log.error('the sample folder could not be made', error);
    await desk.asker.tell(
      'error',
      say.rehearseFailed(error instanceof Error ? error.message : String(error)),
    );
    return null;
  }
}

async function askPlace(desk: Desk): Promise<string | null> {
  const place = await desk.asker.pick<'default' | 'pick'>({
    title: say.rehearseTitle(),
    placeholder: say.rehearseWhere(),
    items: [
      { label: say.rehearseDefault(), description: desk.editor.sampleHome, icon: 'home', value: 'default' },
      { label: say.rehearsePick(), icon: 'folder', value: 'pick' },
    ],
  });
  if (place === undefined) return null;
  return place === 'default' ? desk.editor.sampleHome : desk.editor.chooseFolder(say.rehearseHere());
}
