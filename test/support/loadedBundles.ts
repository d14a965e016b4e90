import { basename } from 'node:path';

/** Which of the installed extension's bundles this extension host has required so far. */
export function isTeamroomLoaded(names: readonly string[]): readonly boolean[] {
  const loaded = Object.keys(require.cache)
    .filter((path) => /teamroom\.teamroom-[^/]*\/dist\//.test(path))
    .map((path) => basename(path));
  return names.map((name) => loaded.includes(name));
}
