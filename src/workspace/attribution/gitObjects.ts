import { spawn } from 'node:child_process';

/** Objects of one asking, bytes together. */
const MOST_BYTES = 100_000_000;
const LONGEST_MS = 10_000;

/**
 * Contents of objects, in the order asked for; null where there is none. Only git itself can read packs. It runs no
 * program of the repository's for this, fetches nothing, and reads no one's settings but the repository's.
 */
export async function gitObjects(
  gitFolder: string,
  objects: readonly string[],
): Promise<readonly (Uint8Array | null)[]> {
  if (objects.length === 0) return [];
  const output = await ask(gitFolder, `${objects.join('\n')}\n`);
  const contents: (Uint8Array | null)[] = [];
  let at = 0;
  for (const object of objects) {
    const end = output.indexOf(0x0a, at);
    if (end < 0) break;
    const [name, type, size] = output.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (name !== object || type !== 'blob') {
      contents.push(null);
      continue;
    }
    const length = Number(size);
    const whole = at + length <= output.length;
    // A copy: a view would keep all of the output alive, and can't be handed to another thread.
    contents.push(whole ? Uint8Array.from(output.subarray(at, at + length)) : null);
    at += length + 1;
  }
  return objects.map((_, index) => contents[index] ?? null);
}

/** What git prints; empty if there is no git, or it takes too long. */
function ask(gitFolder: string, input: string): Promise<Buffer> {
  return new Promise((done) => {
    const child = spawn('git', ['--git-dir', gitFolder, 'cat-file', '--batch'], {
      cwd: gitFolder,
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: LONGEST_MS,
      env: {
        PATH: process.env['PATH'],
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_NO_LAZY_FETCH: '1',
        GIT_NO_REPLACE_OBJECTS: '1',
        GIT_TERMINAL_PROMPT: '0',
      },
    });
    const parts: Buffer[] = [];
    let bytes = 0;
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes > MOST_BYTES) child.kill();
      else parts.push(part);
    });
    // Without its answer the contents are unknown, and said to be.
    child.on('error', () => done(Buffer.alloc(0)));
    child.on('close', () => done(Buffer.concat(parts)));
    child.stdin.on('error', () => child.kill());
    child.stdin.end(input);
  });
}
