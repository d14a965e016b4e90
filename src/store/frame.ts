import { crc32 } from 'node:zlib';

/**
 * One commit in a journal file: all records of one `append` call, so that a call is there whole or not at all.
 *
 *     @<crc of the records> <their bytes> <epoch> <first seq> <count> <crc of this line so far>\n
 *     <record>\n …
 *
 * Numbers are decimal, checksums 8 hex digits (CRC-32). A record is a JSON text and holds no line feed, so a line
 * that begins with '@' is always a commit's. The line has a checksum of its own: with it the length is to be
 * trusted, and a commit cut off by a crash (whole line, too few bytes) is told from one that was damaged later.
 */
export interface Commit {
  readonly epoch: number;
  /** Sequence number of its first record. */
  readonly seq: number;
  readonly count: number;
  /** Where its line begins and where its last record ends, in the bytes that were scanned. */
  readonly start: number;
  readonly bodyStart: number;
  readonly end: number;
}

export type Frame =
  | { readonly type: 'commit'; readonly commit: Commit }
  /** The bytes end before the commit does. */
  | { readonly type: 'cut' }
  /** The bytes are no commit; `records` = how many were lost with it, as far as it says so itself. */
  | { readonly type: 'damaged'; readonly records: number };

const LINE = /^@([0-9a-f]{8}) ([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,15}) ([0-9]{1,15}) ([0-9a-f]{8})$/;
const LONGEST_LINE = 1 + 8 + 4 * 16 + 9 + 1;
const LINE_FEED = 10;
const AT = 64;

const hex = (crc: number): string => crc.toString(16).padStart(8, '0');

/** The bytes of one commit; no record may hold a line feed. */
export function encodeCommit(epoch: number, seq: number, records: readonly string[]): Buffer {
  const body = Buffer.from(`${records.join('\n')}\n`);
  const fields = `@${hex(crc32(body))} ${body.length} ${epoch} ${seq} ${records.length} `;
  return Buffer.concat([Buffer.from(`${fields}${hex(crc32(fields))}\n`), body]);
}

/** Reads the commit that begins at `start`, which must lie before the end of the bytes. */
export function readCommit(bytes: Buffer, start: number): Frame {
  const lineEnd = bytes.indexOf(LINE_FEED, start);
  const limit = Math.min(bytes.length, start + LONGEST_LINE);
  if (lineEnd < 0 || lineEnd >= limit) {
    const isBeginning =
      bytes.length < start + LONGEST_LINE && /^@[0-9a-f ]*$/.test(latin(bytes, start, limit));
    return isBeginning || isZero(bytes, start) ? { type: 'cut' } : { type: 'damaged', records: 1 };
  }
  const line = latin(bytes, start, lineEnd);
  const match = LINE.exec(line);
  if (match === null || hex(crc32(line.slice(0, -8))) !== match[6]) return { type: 'damaged', records: 1 };
  const [size, epoch, seq, count] = match.slice(2, 6).map(Number) as [number, number, number, number];
  const bodyStart = lineEnd + 1;
  const end = bodyStart + size;
  if (end > bytes.length) return { type: 'cut' };
  if (hex(crc32(bytes.subarray(bodyStart, end))) !== match[1]) return { type: 'damaged', records: count };
  return { type: 'commit', commit: { epoch, seq, count, start, bodyStart, end } };
}

/**
 * How many records lie in whole commits behind the first byte, where the bytes were found damaged. A commit may
 * begin anywhere: the damage may have taken the line feed before it, and its checksums tell it from a body's '@'.
 */
export function countLaterRecords(bytes: Buffer): number {
  let records = 0;
  let at = bytes.indexOf(AT, 1);
  while (at >= 0) {
    const frame = readCommit(bytes, at);
    if (frame.type === 'commit') records += frame.commit.count;
    at = bytes.indexOf(AT, frame.type === 'commit' ? frame.commit.end : at + 1);
  }
  return records;
}

/** The records of one commit, in order. */
export function recordsOf(bytes: Buffer, commit: Commit): string[] {
  return bytes.toString('utf8', commit.bodyStart, commit.end - 1).split('\n');
}

const latin = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to);

/** A file whose length reached the disk before its bytes did ends in zeros. */
function isZero(bytes: Buffer, from: number): boolean {
  for (let i = from; i < bytes.length; i++) if (bytes[i] !== 0) return false;
  return true;
}
