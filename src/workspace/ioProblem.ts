import type { PathProblem } from './port';

/** The system's code of an error ("ENOENT"), '' for anything else. */
export function errorCode(error: unknown): string {
  if (error === null || typeof error !== 'object' || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}

/** What a failed file operation means for the path that was asked for. Real paths stay out of the text. */
export function ioProblem(error: unknown, path: string): PathProblem {
  const code = errorCode(error);
  switch (code) {
    case 'ENOENT':
      return { code: 'missing', path };
    case 'ENOTDIR':
      return { code: 'not_a_folder', path };
    case 'EISDIR':
      return { code: 'not_a_file', path, what: 'a folder' };
    case 'ELOOP':
      return { code: 'outside', path };
    case 'EEXIST':
      return { code: 'exists', path };
    case 'ENAMETOOLONG':
      return { code: 'invalid', path, why: 'the name is too long' };
    case 'EACCES':
    case 'EPERM':
      return { code: 'io', path, why: `permission denied by the system (${code})` };
    case 'ENOSPC':
    case 'EDQUOT':
      return { code: 'io', path, why: `the disk is full (${code})` };
    case 'EROFS':
      return { code: 'io', path, why: 'the file system is read-only' };
    default: {
      const text = error instanceof Error ? error.message : String(error);
      return { code: 'io', path, why: code === '' ? text : code };
    }
  }
}
