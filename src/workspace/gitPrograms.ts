import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from './ioProblem';
import { isWithin } from './place';

/** Sections of a repository's configuration with which a reading git command starts a program, or reads more of it. */
const STARTS_PROGRAMS =
  /^\s*\[\s*(?:filter|include|includeif|gpg)\b|^\s*(?:textconv|command|external|clean|smudge|process)\s*=/imu;

/**
 * Why git can't be taken for a reader here; null: it can. A folder that looks like a bare repository brings its own
 * configuration, which an agent may have written; and a repository's own may name programs for diffs and contents.
 * @param cwd absolute, real path inside `root`
 * @param words of the command line
 */
export async function gitPrograms(
  cwd: string,
  root: string,
  words: readonly string[],
): Promise<string | null> {
  // `cd sub && git status`: any word may become the folder that git works in.
  for (const word of words) {
    if (await looksBare(join(cwd, word)))
      return `git would take "${word}" for a repository with settings of its own`;
  }
  for (let folder = cwd; isWithin(root, folder); folder = dirname(folder)) {
    if (await looksBare(folder))
      return `git would take "${folder}" for a repository with settings of its own`;
    const config = await configOf(folder);
    if (config !== null) {
      return STARTS_PROGRAMS.test(config)
        ? "the repository's settings start programs when git reads it"
        : null;
    }
    if (folder === dirname(folder)) break;
  }
  return null;
}

const looksBare = async (folder: string): Promise<boolean> =>
  (await exists(join(folder, 'HEAD'))) &&
  (await exists(join(folder, 'objects'))) &&
  (await exists(join(folder, 'refs')));

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/** The configuration of the repository whose top this is; '' where it lies elsewhere (a worktree); null: no repository. */
async function configOf(folder: string): Promise<string | null> {
  if (!(await exists(join(folder, '.git')))) return null;
  try {
    return await readFile(join(folder, '.git', 'config'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return '';
    throw error;
  }
}
