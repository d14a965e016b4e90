import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import * as z from 'zod';
import { type FilePort, writeFully } from './files';
import type { Position } from './segments';

/**
 * A file that is written whole: one line, `<crc> <JSON that says what follows>`, then the body. Length and hash are
 * checked before anything reads the body (a zero-length database opens as an empty one without an error: facts).
 */
const headSchema = z.object({
  teamroom: z.enum(['state', 'history']),
  schema: z.number().int(),
  seq: z.number().int().nonnegative(),
  /** Where the journal goes on behind what the body holds. */
  position: z.object({ segment: z.string(), offset: z.number().int(), seq: z.number().int() }).nullable(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string(),
});

export interface SealedHead {
  readonly kind: 'state' | 'history';
  readonly schema: number;
  readonly seq: number;
  readonly position: Position | null;
}

export type SealedRead =
  | { readonly type: 'good'; readonly head: SealedHead; readonly body: Buffer }
  /** A newer version's; its length and hash were not checked. */
  | { readonly type: 'newer'; readonly schema: number }
  | { readonly type: 'unusable'; readonly reason: string };

const LONGEST_HEAD = 4096;
const GENERATIONS = 2;
const NAME = /^(state|history)-([0-9]{12})-([0-9]+)$/;

export interface SealedName {
  readonly name: string;
  readonly seq: number;
  readonly epoch: number;
}

/** The generations of one kind in a folder, newest first. */
export function generationsOf(names: readonly string[], kind: SealedHead['kind']): SealedName[] {
  const found = names.flatMap((name) => {
    const match = NAME.exec(name);
    return match?.[1] === kind ? [{ name, seq: Number(match[2]), epoch: Number(match[3]) }] : [];
  });
  return found.sort((a, b) => b.epoch - a.epoch || b.seq - a.seq);
}

/**
 * Writes the next generation to a temporary file, flushes it, gives it its name, and removes generations older than
 * the previous one. Rejects with Node's error or StoreFailure 'disk_full'; then the earlier ones are untouched.
 */
export async function writeSealed(
  files: FilePort,
  folder: string,
  epoch: number,
  head: SealedHead,
  body: Uint8Array,
): Promise<number> {
  const { kind, schema, seq, position } = head;
  const sha256 = createHash('sha256').update(body).digest('hex');
  const line = JSON.stringify({ teamroom: kind, schema, seq, position, bytes: body.length, sha256 });
  const name = `${kind}-${String(seq).padStart(12, '0')}-${epoch}`;
  const temporary = join(folder, `${name}.tmp`);
  await files.remove(temporary);
  const first = Buffer.from(`${crc32(line)} ${line}\n`);
  const file = await files.create(temporary);
  try {
    await writeFully(file, first, 0);
    await writeFully(file, body, first.length);
    await file.datasync();
  } catch (error) {
    await file.close();
    await files.remove(temporary);
    throw error;
  }
  await file.close();
  await files.rename(temporary, join(folder, name));
  await files.syncFolder(folder);
  const old = generationsOf(await files.list(folder), kind).slice(GENERATIONS);
  for (const generation of old) await files.remove(join(folder, generation.name));
  return first.length + body.length;
}

/** Reads and checks a whole file. Rejects with Node's error if it can't be read. */
export async function readSealed(
  files: FilePort,
  path: string,
  kind: SealedHead['kind'],
  schema: number,
): Promise<SealedRead> {
  const bytes = Buffer.from(await files.read(path));
  if (bytes.length === 0) return { type: 'unusable', reason: 'the file is empty' };
  const lineEnd = bytes.subarray(0, LONGEST_HEAD).indexOf(10);
  const parsed = lineEnd < 0 ? null : parseHead(bytes.toString('utf8', 0, lineEnd));
  if (parsed === null || parsed.teamroom !== kind)
    return { type: 'unusable', reason: 'its first line is damaged' };
  if (parsed.schema > schema) return { type: 'newer', schema: parsed.schema };
  const body = bytes.subarray(lineEnd + 1);
  if (body.length !== parsed.bytes)
    return { type: 'unusable', reason: `it has ${body.length} of ${parsed.bytes} bytes` };
  if (createHash('sha256').update(body).digest('hex') !== parsed.sha256)
    return { type: 'unusable', reason: 'its content does not match its checksum' };
  const { seq, position } = parsed;
  return { type: 'good', head: { kind, schema: parsed.schema, seq, position }, body };
}

function parseHead(line: string): z.infer<typeof headSchema> | null {
  const [, crc, json] = /^([0-9]+) (.*)$/.exec(line) ?? [];
  // Without its own checksum a flipped bit could make an ordinary file a "newer version's".
  if (json === undefined || Number(crc) !== crc32(json)) return null;
  try {
    return headSchema.parse(JSON.parse(json));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError) return null;
    throw error;
  }
}
