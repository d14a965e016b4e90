import picomatch from 'picomatch';
import { fail, ok, type Result } from '../base/result';

const LONGEST_PATTERN = 500;
const MOST_STARS = 12;

/**
 * Compiles a glob on paths relative to where it starts, with `/`. Case counts, names with a leading dot match, and a
 * pattern without `/` matches the last name at any depth. The error says what is wrong with the pattern.
 */
export function compileGlob(
  pattern: string,
  options: { readonly ignoreCase?: boolean } = {},
): Result<(path: string) => boolean, string> {
  const plain = pattern.startsWith('./') ? pattern.slice(2) : pattern;
  if (plain.trim() === '') return fail('the pattern is empty');
  if (plain.length > LONGEST_PATTERN) return fail(`the pattern is longer than ${LONGEST_PATTERN} characters`);
  if ((plain.match(/\*/g)?.length ?? 0) > MOST_STARS)
    return fail(`the pattern has more than ${MOST_STARS} "*"`);
  if (plain.startsWith('/')) return fail('write the pattern relative to the folder, without a leading "/"');
  if (plain.split('/').includes('..')) return fail('".." is not allowed in a pattern');
  const anywhere = !plain.includes('/');
  try {
    const matches = picomatch(plain, {
      dot: true,
      noextglob: true,
      nonegate: true,
      nocase: options.ignoreCase ?? false,
    });
    return ok((path) => matches(anywhere ? path.slice(path.lastIndexOf('/') + 1) : path));
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}
