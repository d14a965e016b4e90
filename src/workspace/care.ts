import type { PathCare } from './port';

/** Folders whose content decides what tools, editors or other agents do or run (A1, A2). Folded names. */
const PROTECTED_FOLDERS = new Set([
  '.git',
  '.hg',
  '.svn',
  '.vscode',
  '.vscode-server',
  '.idea',
  '.devcontainer',
  '.github',
  '.teamroom',
  '.claude',
  '.cursor',
  '.roo',
  '.cline',
  '.clinerules',
  '.codex',
  '.continue',
  '.gemini',
  '.kilocode',
  '.opencode',
  '.windsurf',
  '.husky',
  '.githooks',
]);

const PROTECTED_FILES = new Set([
  '.mcp.json',
  'mcp.json',
  'agents.md',
  'claude.md',
  'gemini.md',
  'copilot-instructions.md',
  '.cursorrules',
  '.windsurfrules',
  '.clinerules',
  '.roorules',
  '.roomodes',
  '.teamroomignore',
  '.gitmodules',
  '.gitconfig',
  '.pre-commit-config.yaml',
  'lefthook.yml',
]);

const SECRET_FILES = new Set([
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.htpasswd',
  '.git-credentials',
  '.envrc',
  'credentials',
]);
const SECRET_ENDINGS = ['.pem', '.key', '.p12', '.pfx', '.jks', '.keystore'];
/** `id_*` names private keys; a source file that happens to begin so is none. */
const SOURCE_ENDING =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sql|s?css|html|vue|svelte|md)$/;

/** Characters that file systems or readers overlook: zero width, direction, soft hyphen (A3, A25). */
export const INVISIBLE = /\p{Cf}/u;
const OVERLOOKED = /\p{Cf}|\p{Variation_Selector}/gu;

/**
 * One name as the most forgiving file system would see it: Unicode compatibility forms and case folded, invisible
 * characters and trailing dots and spaces gone. Two names that such a system takes for one fold to the same text (A3).
 */
export function foldName(name: string): string {
  const folded = name.normalize('NFKC').replace(OVERLOOKED, '').toUpperCase().toLowerCase();
  return folded.replace(/[. ]+$/u, '').replace(/:.*$/u, '');
}

/** How careful a path asks us to be, by its names alone. Both separators count (A3). */
export function careOfNames(path: string): PathCare {
  const names = path
    .split(/[\\/]/u)
    .map(foldName)
    .filter((name) => name !== '');
  const last = names.at(-1);
  if (last !== undefined && isSecretName(last)) return 'secret';
  if (names.some((name) => PROTECTED_FOLDERS.has(name) || /^\.?git~\d$/u.test(name))) return 'protected';
  if (last !== undefined && (PROTECTED_FILES.has(last) || last.endsWith('.code-workspace')))
    return 'protected';
  return 'plain';
}

function isSecretName(name: string): boolean {
  if (name.startsWith('.env') || SECRET_FILES.has(name)) return true;
  if (SECRET_ENDINGS.some((ending) => name.endsWith(ending))) return true;
  return name.startsWith('id_') && !SOURCE_ENDING.test(name);
}

const RANK: Record<PathCare, number> = { plain: 0, protected: 1, secret: 2 };

/** The more careful of two: secret asks for reading and writing, protected for writing. */
export const moreCareful = (a: PathCare, b: PathCare): PathCare => (RANK[a] >= RANK[b] ? a : b);
