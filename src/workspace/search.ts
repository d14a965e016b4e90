import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fail, ok } from '../base/result';
import { careOfNames } from './care';
import { compileGlob } from './globs';
import { compilePattern, type Found, type Hit, searchFiles } from './grep';
import { errorCode, ioProblem } from './ioProblem';
import type { Answer, GrepQuery, GrepResult, Listing, PathProblem } from './port';
import { ripgrep } from './ripgrep';
import { startsIgnored, type WalkEntry, walk } from './walk';
import { withinTime } from './withinTime';

/** A folder (or file) of the workspace to look through. */
export interface SearchPlace {
  /** Real path of the workspace folder. */
  readonly root: string;
  /** Relative to the root, '' for the root itself. */
  readonly start: string;
  /** Put before paths relative to the root when they are shown. */
  readonly prefix: string;
  /** How the place was named, for problems. */
  readonly written: string;
  /** Paths (relative to the root) that must not be seen. */
  readonly denied: (path: string) => boolean;
}

const MOST_WALKED = 200_000;
const GLOB_MS = 40;
const GLOB_BATCH = 5000;

const isSecret = (path: string): boolean => careOfNames(path) === 'secret';

/** The entries of a folder down to a depth, without ignored and denied ones. */
export async function listFiles(
  place: SearchPlace,
  depth: number,
  limit: number,
  signal: AbortSignal,
): Promise<Answer<Listing>> {
  const problem = await folderProblem(place);
  if (problem !== null) return fail(problem);
  const walked = await walkPlace(place, depth, signal);
  return ok(await listing(place, walked.entries, limit, walked.truncated));
}

/** Files whose path, relative to where it starts, matches a glob. */
export async function globFiles(
  places: readonly SearchPlace[],
  pattern: string,
  limit: number,
  signal: AbortSignal,
): Promise<Answer<Listing>> {
  const matches = compileGlob(pattern);
  if (!matches.ok) return fail({ code: 'invalid', path: pattern, why: matches.error });
  const found: Listing[] = [];
  for (const place of places) {
    const problem = await folderProblem(place);
    if (problem !== null) return fail(problem);
    const walked = await walkPlace(place, Number.POSITIVE_INFINITY, signal);
    const files = walked.entries.filter((entry) => entry.type !== 'folder');
    const fit = await matching(files, matches.value, place);
    if (fit === null) return fail({ code: 'invalid', path: pattern, why: 'matching it takes too long' });
    found.push(await listing(place, fit, limit, walked.truncated));
  }
  const entries = found.flatMap((each) => each.entries);
  const truncated = entries.length > limit || found.some((each) => each.truncated);
  return ok({ entries: entries.slice(0, limit), truncated });
}

async function matching(
  files: readonly WalkEntry[],
  matches: (path: string) => boolean,
  place: SearchPlace,
): Promise<readonly WalkEntry[] | null> {
  const skip = place.start === '' ? 0 : place.start.length + 1;
  const fit: WalkEntry[] = [];
  for (let i = 0; i < files.length; i += GLOB_BATCH) {
    const batch = files.slice(i, i + GLOB_BATCH);
    const result = withinTime(GLOB_MS, () => batch.filter((entry) => matches(entry.path.slice(skip))));
    if (result === null) return null;
    fit.push(...result.value);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return fit;
}

function walkPlace(
  place: SearchPlace,
  depth: number,
  signal: AbortSignal,
): Promise<{ readonly entries: readonly WalkEntry[]; readonly truncated: boolean }> {
  const { root, start, denied } = place;
  return walk({ root, start, depth, maxEntries: MOST_WALKED, skipIgnored: true, hidden: denied, signal });
}

async function listing(
  place: SearchPlace,
  entries: readonly WalkEntry[],
  limit: number,
  truncated: boolean,
): Promise<Listing> {
  const shown = await Promise.all(
    entries.slice(0, limit).map(async ({ path, type }) => ({
      path: place.prefix + path,
      type,
      bytes: type === 'file' ? await sizeOf(join(place.root, path)) : 0,
    })),
  );
  return { entries: shown, truncated: truncated || entries.length > limit };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).size;
  } catch (error) {
    // Gone since it was listed.
    if (errorCode(error) === '') throw error;
    return 0;
  }
}

async function folderProblem(place: SearchPlace): Promise<PathProblem | null> {
  const kind = await kindOf(place);
  if (typeof kind !== 'string') return kind;
  return kind === 'folder' ? null : { code: 'not_a_folder', path: place.written };
}

async function kindOf(place: SearchPlace): Promise<'folder' | 'other' | PathProblem> {
  try {
    return (await stat(join(place.root, place.start))).isDirectory() ? 'folder' : 'other';
  } catch (error) {
    return ioProblem(error, place.written);
  }
}

/**
 * Lines that match a pattern, in files that are neither ignored, denied nor secret (a secret file is searched only if
 * it is named itself, which asks).
 */
export async function grepFiles(
  places: readonly SearchPlace[],
  query: GrepQuery,
  rgPath: string | null,
  signal: AbortSignal,
): Promise<Answer<GrepResult>> {
  const glob = query.glob === null ? null : compileGlob(query.glob);
  if (glob !== null && !glob.ok) return fail({ code: 'invalid', path: query.glob ?? '', why: glob.error });
  const wanted = glob === null ? () => true : glob.value;
  const results: Found[] = [];
  for (const place of places) {
    const found = await grepPlace(place, query, wanted, rgPath, signal);
    if (!found.ok) return found;
    results.push(found.value);
  }
  const hits = results.flatMap((each) => each.hits);
  return ok({
    hits: hits.slice(0, query.limit),
    truncated: hits.length > query.limit || results.some((each) => each.truncated),
    skipped: results.reduce((sum, each) => sum + each.skipped, 0),
  });
}

const MOST_HITS = 20_000;

async function grepPlace(
  place: SearchPlace,
  query: GrepQuery,
  wanted: (path: string) => boolean,
  rgPath: string | null,
  signal: AbortSignal,
): Promise<Answer<Found>> {
  const kind = await kindOf(place);
  if (typeof kind !== 'string') return fail(kind);
  const skip = kind === 'other' || place.start === '' ? 0 : place.start.length + 1;
  // A glob is taken relative to where the search starts.
  const isWanted = (path: string): boolean => wanted(path.slice(skip));
  const isOpen = (path: string): boolean => path === place.start || !isSecret(path);
  const common = { root: place.root, pattern: query.pattern, ignoreCase: query.ignoreCase, signal };
  if (rgPath !== null) {
    const everything = kind === 'other' || (await startsIgnored(place.root, place.start));
    const nameGlob = query.glob === null || query.glob.includes('/') ? null : query.glob;
    const found = await ripgrep({
      ...common,
      rgPath,
      start: place.start,
      everything,
      nameGlob,
      maxHits: MOST_HITS,
    });
    if (found.ok) return ok(filtered(found.value, place, isWanted, isOpen, query.limit));
  }
  const expression = compilePattern(query.pattern, query.ignoreCase);
  if (!expression.ok) return fail({ code: 'invalid', path: query.pattern, why: expression.error });
  const files = await candidates(place, kind, isWanted, signal);
  const open = files.paths.filter(isOpen);
  const found = await searchFiles(open, expression.value, { ...common, maxHits: query.limit });
  return ok({
    hits: found.hits.map((hit) => ({ ...hit, path: place.prefix + hit.path })),
    truncated: found.truncated || files.truncated,
    skipped: found.skipped + files.paths.length - open.length,
  });
}

async function candidates(
  place: SearchPlace,
  kind: 'folder' | 'other',
  wanted: (path: string) => boolean,
  signal: AbortSignal,
): Promise<{ readonly paths: readonly string[]; readonly truncated: boolean }> {
  if (kind === 'other') return { paths: [place.start], truncated: false };
  const walked = await walkPlace(place, Number.POSITIVE_INFINITY, signal);
  const files = walked.entries.filter((entry) => entry.type === 'file' && wanted(entry.path));
  return { paths: files.map((entry) => entry.path), truncated: walked.truncated };
}

/** What ripgrep found, less what must not be seen; ripgrep doesn't know our rules. */
function filtered(
  found: Found,
  place: SearchPlace,
  wanted: (path: string) => boolean,
  open: (path: string) => boolean,
  limit: number,
): Found {
  const verdicts = new Map<string, 'show' | 'hide' | 'secret'>();
  const verdictOf = (path: string): 'show' | 'hide' | 'secret' => {
    const known = verdicts.get(path);
    if (known !== undefined) return known;
    const hidden = place.denied(path) || !(path === place.start || wanted(path));
    const verdict = hidden ? 'hide' : open(path) ? 'show' : 'secret';
    verdicts.set(path, verdict);
    return verdict;
  };
  const hits: Hit[] = [];
  for (const hit of found.hits) {
    if (verdictOf(hit.path) === 'show') hits.push({ ...hit, path: place.prefix + hit.path });
  }
  const secrets = [...verdicts.values()].filter((verdict) => verdict === 'secret').length;
  return { hits: hits.slice(0, limit), truncated: found.truncated || hits.length > limit, skipped: secrets };
}
