import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SessionId } from '../../src/shared/ids';
import { root } from './house/sources';
import type { Rig } from './rig';
import { transcriptOf } from './transcript';

/** Set to 1 to write the transcripts anew; each that is written is said. */
const UPDATE = 'UPDATE_TRANSCRIPTS';

/**
 * Compares what happened, as a whole, with the text kept beside the test.
 * @param name file below test/scenario/transcripts, without its ending
 */
export async function sameTranscript(
  rig: Rig,
  name: string,
  ...sessions: readonly SessionId[]
): Promise<void> {
  const seen = await transcriptOf(rig, ...sessions);
  assert.deepEqual(rig.server.unused(), [], 'the script was not used up');
  assert.deepEqual(rig.server.problems, []);
  sameText(name, seen);
}

export function sameText(name: string, seen: string): void {
  const file = join(root, 'test/scenario/transcripts', `${name}.txt`);
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : null;
  if (process.env[UPDATE] === '1') {
    if (kept === seen) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, seen);
    console.log(`      ${kept === null ? 'wrote' : 'REWROTE'} test/scenario/transcripts/${name}.txt`);
    return;
  }
  assert.ok(kept !== null, `there is no transcript ${name}.txt yet: look at it after ${UPDATE}=1`);
  assert.equal(seen, kept);
}
