import { relative, sep } from 'node:path';
import { careOfNames } from './care';
import { isWithin, type PlaceFolder, shownPath } from './place';
import type { EditorPort, FoundProblem, PlacedPath } from './port';

/** What the editor says of the files of the open folders, of those that may be seen; null: there is no editor. */
export function problemsIn(
  editor: EditorPort,
  folders: readonly PlaceFolder[],
  under: PlacedPath | null,
  denies: (folder: PlaceFolder, path: string) => boolean,
): readonly FoundProblem[] | null {
  if (editor.problems === undefined) return null;
  return editor.problems().flatMap(({ real, ...problem }): readonly FoundProblem[] => {
    if (under !== null && !isWithin(under.real, real)) return [];
    const folder = folders
      .filter((each) => isWithin(each.root, real))
      .sort((a, b) => b.root.length - a.root.length)[0];
    if (folder === undefined) return [];
    const segments = relative(folder.root, real).split(sep);
    const inside = segments.join('/');
    // A message may hold what stands in the file.
    if (denies(folder, inside) || careOfNames(inside) === 'secret') return [];
    return [{ ...problem, path: shownPath({ folder, segments }, folders) }];
  });
}
