import { spawn } from 'node:child_process';
import { fail, ok, type Result } from '../base/result';
import { cutLine, type Found, type Hit, MAX_SEARCHED_BYTES, type SearchOptions } from './grep';
import { SKIPPED_FOLDERS } from './ignore';

export interface RipgrepOptions extends SearchOptions {
  /** The program. */
  readonly rgPath: string;
  /** Below the root, relative; '' is the root. */
  readonly start: string;
  /** Searches ignored files too, as when a path inside an ignored folder was named. */
  readonly everything: boolean;
  /** A glob on last names; null: every file. It never brings ignored files in. */
  readonly nameGlob: string | null;
}

const MAX_OUTPUT_BYTES = 16_000_000;
const MAX_TIME_MS = 30_000;

/** ripgrep can't run, or refuses the pattern (it knows no look-around): the caller searches by itself. */
export type RipgrepFailure = 'unusable' | 'pattern';

function argumentsOf(options: RipgrepOptions): string[] {
  const args = ['--no-config', '--no-require-git', '--hidden', '--crlf', '--with-filename', '--line-number'];
  args.push('--null', '--color', 'never', '--no-messages');
  args.push('--max-filesize', String(MAX_SEARCHED_BYTES));
  if (options.ignoreCase) args.push('--ignore-case');
  if (options.everything) args.push('--no-ignore');
  else for (const folder of SKIPPED_FOLDERS) args.push('--glob', `!**/${folder}`);
  // A type filter, unlike --glob, doesn't override the ignore files.
  if (options.nameGlob !== null) args.push('--type-add', `wanted:${options.nameGlob}`, '--type', 'wanted');
  args.push('--regexp', options.pattern, '--', options.start === '' ? './' : `./${options.start}`);
  return args;
}

/** Searches with ripgrep. Hits come sorted by path and line. */
export async function ripgrep(options: RipgrepOptions): Promise<Result<Found, RipgrepFailure>> {
  const child = spawn(options.rgPath, argumentsOf(options), {
    cwd: options.root,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: options.signal,
    timeout: MAX_TIME_MS,
    env: { ...process.env, RIPGREP_CONFIG_PATH: '' },
  });
  const chunks: Buffer[] = [];
  let bytes = 0;
  let complaint = '';
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) chunks.push(chunk);
    else child.kill('SIGKILL');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    if (complaint.length < 2000) complaint += chunk.toString('utf8');
  });
  const ended = await new Promise<{ readonly code: number | null } | null>((resolve) => {
    child.once('error', () => resolve(options.signal.aborted ? { code: null } : null));
    child.once('close', (code) => resolve({ code }));
  });
  if (ended === null) return fail('unusable');
  if (ended.code === 2 && chunks.length === 0 && complaint !== '') return fail('pattern');
  const hits = hitsOf(Buffer.concat(chunks).toString('utf8'));
  hits.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
  const truncated = hits.length > options.maxHits || ended.code === null;
  return ok({ hits: hits.slice(0, options.maxHits), truncated, skipped: 0 });
}

/** Lines of the form `./path NUL line:text`; a last line that was cut off is left out. */
function hitsOf(output: string): Hit[] {
  const hits: Hit[] = [];
  for (const row of output.slice(0, output.lastIndexOf('\n') + 1).split('\n')) {
    const zero = row.indexOf('\0');
    const colon = row.indexOf(':', zero);
    if (zero < 0 || colon < 0) continue;
    const path = row.slice(row.startsWith('./') ? 2 : 0, zero);
    hits.push({
      path,
      line: Number(row.slice(zero + 1, colon)),
      text: cutLine(row.slice(colon + 1).replace(/\r$/u, '')),
    });
  }
  return hits;
}
