import { join } from 'node:path';
import { type FilePort, writeFully } from './files';
import { type Commit, countLaterRecords, readCommit, recordsOf } from './frame';
import { StoreFailure, type StoreNotice } from './port';

/**
 * A session's journal lies in segments, `journal-<first seq>-<epoch>.log`. A writer only ever makes new ones, and a
 * name has one writer, so a window that was taken over and writes once more can harm nothing: its records lie behind
 * those that the next epoch began with, and are not read.
 */
export interface Segment {
  readonly name: string;
  readonly firstSeq: number;
  readonly epoch: number;
  /** The last sequence number to be read from it; Infinity in the newest. */
  readonly lastSeq: number;
}

/** A place in the journal: the bytes of `segment` up to `offset` hold the records up to `seq`. */
export interface Position {
  readonly segment: string;
  readonly offset: number;
  readonly seq: number;
}

/** A stretch of whole commits in one segment. */
export interface Span {
  readonly segment: string;
  readonly from: number;
  readonly to: number;
}

export interface Recovered {
  readonly seq: number;
  readonly spans: readonly Span[];
  readonly bytes: number;
  readonly notices: readonly StoreNotice[];
}

const NAME = /^journal-([0-9]{12})-([0-9]+)\.log$/;
const HEAD = /^#teamroom journal ([0-9]{1,9})\n/;

export const segmentName = (firstSeq: number, epoch: number): string =>
  `journal-${String(firstSeq).padStart(12, '0')}-${epoch}.log`;

/** The first line of a segment. */
export const segmentHead = (schema: number): Buffer => Buffer.from(`#teamroom journal ${schema}\n`);

/** The segments that count, oldest first, from the names in a session's folder. */
export function chainOf(names: readonly string[]): readonly Segment[] {
  const found = names.flatMap((name) => {
    const match = NAME.exec(name);
    return match === null ? [] : [{ name, firstSeq: Number(match[1]), epoch: Number(match[2]) }];
  });
  found.sort((a, b) => b.epoch - a.epoch || b.firstSeq - a.firstSeq);
  const chain: Segment[] = [];
  let lastSeq = Number.POSITIVE_INFINITY;
  for (const segment of found) {
    if (segment.firstSeq > lastSeq) continue;
    chain.unshift({ ...segment, lastSeq });
    lastSeq = segment.firstSeq - 1;
  }
  return chain;
}

/** Whether the journal still leads on from a place that a checkpoint remembers. */
export async function isReachable(
  files: FilePort,
  folder: string,
  chain: readonly Segment[],
  position: Position,
): Promise<boolean> {
  const segment = chain.find(({ name }) => name === position.segment);
  if (segment === undefined || position.seq > segment.lastSeq) return false;
  return (await files.size(join(folder, segment.name))) >= position.offset;
}

interface Scan {
  readonly commits: readonly Commit[];
  /** Where the last whole commit ends, in the file. */
  readonly end: number;
  readonly seq: number;
  readonly problem: { readonly type: 'cut' | 'damaged'; readonly records: number } | null;
}

/** Reads the whole commits in a segment's bytes; `offset` is where these begin in the file, after record `seq`. */
export function scanSegment(bytes: Buffer, segment: Segment, offset: number, seq: number): Scan {
  const commits: Commit[] = [];
  let at = 0;
  if (offset === 0) {
    const head = HEAD.exec(bytes.toString('latin1', 0, 32));
    if (head === null) return { commits, end: 0, seq, problem: headProblem(bytes) };
    at = head[0].length;
  }
  let last = seq;
  while (at < bytes.length && last < segment.lastSeq) {
    const frame = readCommit(bytes, at);
    if (frame.type === 'cut')
      return { commits, end: offset + at, seq: last, problem: { type: 'cut', records: 0 } };
    const follows =
      frame.type === 'commit' && frame.commit.seq === last + 1 && frame.commit.epoch === segment.epoch;
    if (frame.type === 'damaged' || !follows) {
      const records = frame.type === 'damaged' ? frame.records : frame.commit.count;
      return { commits, end: offset + at, seq: last, problem: { type: 'damaged', records } };
    }
    commits.push(frame.commit);
    last += frame.commit.count;
    at = frame.commit.end;
  }
  return { commits, end: offset + at, seq: last, problem: null };
}

function headProblem(bytes: Buffer): Scan['problem'] {
  const isCut =
    bytes.every((byte) => byte === 0) || '#teamroom journal '.startsWith(bytes.toString('latin1'));
  return isCut || /^#teamroom journal [0-9]+$/.test(bytes.toString('latin1'))
    ? { type: 'cut', records: 0 }
    : { type: 'damaged', records: 0 };
}

/**
 * Refuses a journal that a newer version has written to: this one would misread it.
 * @throws StoreFailure 'newer_schema'
 */
export async function checkSchema(
  files: FilePort,
  folder: string,
  chain: readonly Segment[],
  schema: number,
): Promise<void> {
  const newest = chain.at(-1);
  if (newest === undefined) return;
  const head = HEAD.exec(Buffer.from(await files.read(join(folder, newest.name), 0, 32)).toString('latin1'));
  if (head !== null && Number(head[1]) > schema)
    throw new StoreFailure('newer_schema', `written with format ${head[1]}, this version knows ${schema}`);
}

/** Where reading stopped before the end of the journal. */
interface Break {
  readonly index: number;
  readonly offset: number;
  /** Bytes of the broken segment from `offset` on. */
  readonly rest: Buffer;
  readonly type: 'cut' | 'damaged';
  readonly records: number;
}

/**
 * Finds all good records after `from` (null: from the beginning). With `seal`, the file is made fit to go on: a torn
 * tail is cut off, and what lies behind a damaged record is put aside under another name. Without it nothing is
 * changed and a torn tail, which may be the holder's write in progress, isn't told.
 */
export async function recover(
  files: FilePort,
  folder: string,
  options: { readonly from: Position | null; readonly seal: boolean },
): Promise<Recovered> {
  const chain = chainOf(await files.list(folder));
  const spans: Span[] = [];
  let seq = options.from?.seq ?? 0;
  let broken: Break | null = null;
  const first = options.from === null ? 0 : chain.findIndex(({ name }) => name === options.from?.segment);
  if (first < 0) throw new StoreFailure('io', `${options.from?.segment} is no longer there`);
  for (let index = first; index < chain.length && broken === null; index++) {
    const segment = chain[index] as Segment;
    const offset = options.from?.segment === segment.name ? options.from.offset : 0;
    const bytes = Buffer.from(await files.read(join(folder, segment.name), offset));
    if (offset === 0 && segment.firstSeq !== seq + 1) {
      broken = { index, offset: 0, rest: bytes, type: 'damaged', records: 0 };
      break;
    }
    const scan = scanSegment(bytes, segment, offset, seq);
    const from = scan.commits[0];
    if (from !== undefined) spans.push({ segment: segment.name, from: offset + from.start, to: scan.end });
    seq = scan.seq;
    const isUnused = scan.problem === null && offset === 0 && scan.commits.length === 0;
    if (isUnused && index === chain.length - 1 && options.seal) await cutBack(files, folder, segment, 0);
    const isShort = scan.problem === null && Number.isFinite(segment.lastSeq) && seq < segment.lastSeq;
    const problem = isShort ? { type: 'damaged' as const, records: 0 } : scan.problem;
    if (problem !== null)
      broken = { index, offset: scan.end, rest: bytes.subarray(scan.end - offset), ...problem };
  }
  const bytes = spans.reduce((sum, span) => sum + span.to - span.from, 0);
  const notices = broken === null ? [] : await mend(files, folder, chain, broken, seq, options.seal);
  return { seq, spans, bytes, notices };
}

async function mend(
  files: FilePort,
  folder: string,
  chain: readonly Segment[],
  broken: Break,
  seq: number,
  seal: boolean,
): Promise<StoreNotice[]> {
  const segment = chain[broken.index] as Segment;
  const later = chain.slice(broken.index + 1);
  const inRest = countLaterRecords(broken.rest);
  if (broken.type === 'cut' && later.length === 0 && inRest === 0) {
    if (!seal) return [];
    await cutBack(files, folder, segment, broken.offset);
    await files.syncFolder(folder);
    return broken.rest.length === 0 ? [] : [{ type: 'torn_tail', bytes: broken.rest.length }];
  }
  // countLaterRecords() finds whole commits; the damaged one itself says how many it held.
  let lostRecords = broken.records + inRest;
  for (const { name } of later)
    lostRecords += countLaterRecords(Buffer.from(await files.read(join(folder, name))));
  if (!seal) return [{ type: 'broken_middle', seq: seq + 1, lostRecords, putAside: segment.name }];
  const putAside = await putRestAside(files, folder, segment, broken);
  for (const { name } of later) await files.rename(join(folder, name), await freeName(files, folder, name));
  await files.syncFolder(folder);
  return [{ type: 'broken_middle', seq: seq + 1, lostRecords, putAside }];
}

/** Keeps the bytes from the damage on under another name, on the disk, before they are cut from the journal. */
async function putRestAside(
  files: FilePort,
  folder: string,
  segment: Segment,
  broken: Break,
): Promise<string> {
  const aside = await freeName(files, folder, segment.name);
  const file = await files.create(aside);
  try {
    await writeFully(file, broken.rest, 0);
    await file.datasync();
  } finally {
    await file.close();
  }
  await files.syncFolder(folder);
  await cutBack(files, folder, segment, broken.offset);
  return aside;
}

/** Cuts a segment after its last good commit; one that holds none goes, so that its name is free for the next. */
async function cutBack(files: FilePort, folder: string, segment: Segment, offset: number): Promise<void> {
  const path = join(folder, segment.name);
  const head = HEAD.exec(Buffer.from(await files.read(path, 0, 32)).toString('latin1'));
  if (head === null || offset <= head[0].length) {
    await files.remove(path);
    return;
  }
  const file = await files.open(path);
  try {
    await file.truncate(offset);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** An unused name for something that is put aside, absolute. */
export async function freeName(files: FilePort, folder: string, name: string): Promise<string> {
  const taken = new Set(await files.list(folder));
  let free = `${name}.damaged`;
  for (let n = 2; taken.has(free); n++) free = `${name}.damaged-${n}`;
  return join(folder, free);
}

/** Reads commits out of spans, one segment in memory at a time; those that end at `afterSeq` or before are left out. */
export async function* readCommits(
  files: FilePort,
  folder: string,
  spans: readonly Span[],
  afterSeq: number,
): AsyncGenerator<{ readonly seq: number; readonly records: readonly string[]; readonly end: Position }> {
  for (const { segment, from, to } of spans) {
    const bytes = Buffer.from(await files.read(join(folder, segment), from, to));
    let at = 0;
    while (at < bytes.length) {
      const frame = readCommit(bytes, at);
      if (frame.type !== 'commit') throw new StoreFailure('io', `${segment} changed while it was read`);
      const { seq, count, end } = frame.commit;
      const last = seq + count - 1;
      if (last > afterSeq)
        yield {
          seq,
          records: recordsOf(bytes, frame.commit),
          end: { segment, offset: from + end, seq: last },
        };
      at = end;
    }
  }
}

/** The records of spans, in order, from `afterSeq` + 1 on. */
export async function* readRecords(
  files: FilePort,
  folder: string,
  spans: readonly Span[],
  afterSeq: number,
): AsyncGenerator<{ readonly seq: number; readonly json: string }> {
  for await (const commit of readCommits(files, folder, spans, afterSeq)) {
    let seq = commit.seq;
    for (const json of commit.records) {
      if (seq > afterSeq) yield { seq, json };
      seq += 1;
    }
  }
}
