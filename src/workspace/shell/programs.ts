import { readGit } from './git';
import { type OptionTable, optionTable, type ParsedOptions, parseOptions } from './options';
import type { ProgramReader, Use, UsedFile } from './uses';
import type { KnownWord } from './words';

interface Shape {
  readonly options: OptionTable;
  readonly numbers?: boolean;
  readonly use: Use;
  /** Operands before the files: a pattern. */
  readonly texts?: number;
  readonly most?: number;
  /** A file whose name begins with a dash can't do harm as an option of this program. */
  readonly openGlobs?: boolean;
  /** Where it reads when no file is named; null: its input, which is closed. */
  readonly unnamed?: string;
  readonly refine?: (parsed: ParsedOptions) => Refined;
}

interface Refined {
  readonly use?: Use;
  readonly texts?: number;
  readonly unnamed?: string;
  readonly endings?: readonly string[] | null;
}

function used(words: readonly KnownWord[], use: Use, endings: readonly string[] | null = null): UsedFile[] {
  return words.filter((word) => word.value !== '-').map((word) => ({ word, use, endings }));
}

function shaped(shape: Shape): ProgramReader {
  return (words) => {
    const parsed = parseOptions(words, shape.options, shape.numbers ?? false);
    if (parsed === null) return null;
    const refined: Refined = shape.refine === undefined ? {} : shape.refine(parsed);
    const texts = parsed.operands.slice(0, refined.texts ?? shape.texts ?? 0);
    const files = parsed.operands.slice(texts.length);
    if (texts.some((word) => word.glob !== null)) return null;
    if (files.length > (shape.most ?? Number.POSITIVE_INFINITY)) return null;
    if (!(shape.openGlobs ?? false) && files.some((word) => word.glob?.open === true)) return null;
    const unnamed = refined.unnamed ?? shape.unnamed;
    const named = files.length === 0 && unnamed !== undefined ? [dot(unnamed)] : files;
    return [
      ...used(named, refined.use ?? shape.use, refined.endings ?? null),
      ...used(parsed.files, 'content'),
    ];
  };
}

const dot = (value: string): KnownWord => ({ value, glob: null });

/** Only texts: nothing of them is opened. A glob would name files, harmlessly. */
const textsOnly = (options: string): ProgramReader => {
  const table = optionTable(options);
  return (words) => (parseOptions(words, table, false) === null ? null : []);
};

const content = (options: string, more: Partial<Shape> = {}): ProgramReader =>
  shaped({ options: optionTable(options), use: 'content', ...more });
const meta = (options: string, more: Partial<Shape> = {}): ProgramReader =>
  shaped({ options: optionTable(options), use: 'meta', ...more });

const grep = content(
  '-n -i -l -L -c -w -v -x -o -F -E -G -P -q -s -H -h -r -a -I -z -Z -b -T -y -e: -A: -B: -C: -m: -f@ ' +
    '--include: --exclude: --exclude-dir: --color? --colour? --line-number --ignore-case --files-with-matches ' +
    '--files-without-match --count --word-regexp --invert-match --line-regexp --only-matching --fixed-strings ' +
    '--extended-regexp --basic-regexp --perl-regexp --quiet --silent --recursive --with-filename --no-filename ' +
    '--text --binary-files: --context: --after-context: --before-context: --max-count: --regexp: --no-messages',
  {
    numbers: true,
    openGlobs: true,
    refine: (parsed) => {
      const patternGiven = ['-e', '--regexp', '-f'].some((name) => parsed.given.has(name));
      const texts = patternGiven ? 0 : 1;
      if (!parsed.given.has('-r') && !parsed.given.has('--recursive')) return { texts };
      return { use: 'tree', texts, unnamed: '.', endings: includedEndings(parsed) };
    },
  },
);

/** What every searched file ends with, as far as `--include='*.ts'` says it. */
function includedEndings(parsed: ParsedOptions): readonly string[] | null {
  const patterns = parsed.given.get('--include') ?? [];
  const endings = patterns.flatMap((pattern) => /^\*([\w.-]+)$/u.exec(pattern)?.[1] ?? []);
  return patterns.length > 0 && endings.length === patterns.length ? endings : null;
}

const RIPGREP_WIDE = ['-u', '--hidden', '--no-ignore', '--no-ignore-vcs', '-g', '--glob', '--iglob'];

const ripgrep = shaped({
  options: optionTable(
    '-n -N -i -s -S -l -c -w -v -x -o -F -U -H -I -p -P -0 -u -a -b -e: -g: -t: -T: -A: -B: -C: -m: -M: -r: -d: ' +
      '--hidden --no-ignore --no-ignore-vcs --files --type: --type-not: --type-list --glob: --iglob: --context: ' +
      '--after-context: --before-context: --max-count: --max-depth: --sort: --sortr: --json --stats --count ' +
      '--count-matches --files-with-matches --files-without-match --line-number --no-line-number --ignore-case ' +
      '--case-sensitive --smart-case --fixed-strings --word-regexp --line-regexp --multiline --multiline-dotall ' +
      '--only-matching --invert-match --heading --no-heading --color: --colors: --column --vimgrep --trim --pretty ' +
      '--with-filename --no-filename --max-columns: --max-columns-preview --replace: --pcre2 --null --regexp: ' +
      '--max-filesize: --passthru --no-messages --no-config --text',
  ),
  use: 'tree',
  unnamed: '.',
  refine: (parsed) => {
    if (parsed.given.has('--type-list')) return { use: 'meta', texts: 0 };
    if (parsed.given.has('--files')) return { use: 'meta', texts: 0 };
    const patternGiven = parsed.given.has('-e') || parsed.given.has('--regexp');
    // With one of these it looks at ignored or hidden files as well.
    const wide = RIPGREP_WIDE.some((name) => parsed.given.has(name));
    return { use: wide ? 'tree' : 'listed', texts: patternGiven ? 0 : 1 };
  },
});

const FIND_ALONE = new Set(
  (
    '-print -print0 -prune -empty -not ! -a -o -and -or ( ) -true -false -depth -ls -xdev -mount -daystart -noleaf ' +
    '-readable -writable -executable -quit -nouser -nogroup'
  ).split(' '),
);
const FIND_WITH_VALUE = new Set(
  (
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth ' +
    '-size -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -links -inum -lname -ilname -printf -newermt'
  ).split(' '),
);
const FIND_WITH_FILE = new Set(['-newer', '-anewer', '-cnewer', '-samefile']);

/** Every test and action must be known: -exec, -delete, -fprint and their like are not (A14). */
const find: ProgramReader = (words) => {
  const start = words[0]?.value === '-P' ? 1 : 0;
  const first = words.findIndex((word, index) => index >= start && /^(?:-|[(!]$)/u.test(word.value));
  const paths = words.slice(start, first < 0 ? words.length : first);
  const files = used(paths.length === 0 ? [dot('.')] : paths, 'meta');
  if (paths.some((word) => word.glob?.open === true)) return null;
  for (let i = first < 0 ? words.length : first; i < words.length; i++) {
    const word = words[i];
    if (word === undefined || word.glob !== null) return null;
    if (FIND_ALONE.has(word.value)) continue;
    const value = words[i + 1];
    if (value === undefined || value.glob !== null) return null;
    if (FIND_WITH_FILE.has(word.value)) files.push(...used([value], 'meta'));
    else if (!FIND_WITH_VALUE.has(word.value)) return null;
    i++;
  }
  return files;
};

/** Prints lines by number: addresses and p, d, q, = alone. Anything else of sed can write or run (w, e). */
const SED_SCRIPT =
  /^(?:(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?)?[pdq=](?:\s*;\s*(?:(?:\d+|\$)(?:,(?:\d+|\$|\+\d+))?)?[pdq=])*;?$/u;

const sed: ProgramReader = (words) => {
  const table = optionTable('-n -E -r -e: --quiet --silent --regexp-extended --expression:');
  const parsed = parseOptions(words, table, false);
  if (parsed === null) return null;
  const given = [...(parsed.given.get('-e') ?? []), ...(parsed.given.get('--expression') ?? [])];
  const scripts = given.length > 0 ? given : parsed.operands.slice(0, 1).map((word) => word.value);
  const files = parsed.operands.slice(given.length > 0 ? 0 : 1);
  if (scripts.length === 0 || files.some((word) => word.glob?.open === true)) return null;
  return scripts.every((script) => SED_SCRIPT.test(script.trim())) ? used(files, 'content') : null;
};

const jq: ProgramReader = (words) => {
  const reader = content(
    '-r -c -e -s -n -M -C -S -j -a --raw-output --compact-output --slurp --null-input --sort-keys --tab ' +
      '--monochrome-output --color-output --exit-status --join-output --ascii-output --indent:',
    { texts: 1 },
  );
  // A filter can show the environment and load modules.
  if (words.some((word) => /\b(?:env|ENV|import|include|modulemeta|input_filename)\b/u.test(word.value)))
    return null;
  return reader(words);
};

/** Only tests of files and texts. `-v` and arithmetic operators evaluate subscripts and so run commands. */
const test: ProgramReader = (words) => {
  const values = words.map((word) => word.value);
  if (words.some((word) => word.glob !== null)) return null;
  const [first, second, third] = values[0] === '!' ? values.slice(1) : values;
  const count = values[0] === '!' ? values.length - 1 : values.length;
  if (count === 3 && (second === '=' || second === '==' || second === '!=')) return [];
  if (count !== 2 || first === undefined || second === undefined || third !== undefined) return null;
  if (first === '-n' || first === '-z') return [];
  return /^-[abcdefghLprsSuwxOGN]$/u.test(first) ? used([dot(second)], 'meta') : null;
};

const bracket: ProgramReader = (words) => (words.at(-1)?.value === ']' ? test(words.slice(0, -1)) : null);

const command: ProgramReader = (words) =>
  words.length >= 2 && (words[0]?.value === '-v' || words[0]?.value === '-V') ? [] : null;

const version = '--version';
const sums = content('-b -t -z --tag', { openGlobs: true });
const lines = '-n: -c: -q -v -z --lines: --bytes: --quiet --silent --verbose';

/** Programs that are known to only read, with the options that are known to leave it at that (A14). */
export const readingPrograms: ReadonlyMap<string, ProgramReader> = new Map<string, ProgramReader>([
  [
    'cat',
    content(`-A -b -e -E -n -s -t -T -u -v --number --show-all --show-ends ${version}`, { openGlobs: true }),
  ],
  ['head', content(lines, { numbers: true, openGlobs: true })],
  ['tail', content(lines, { numbers: true, openGlobs: true })],
  ['nl', content('-b: -w: -s: -n: -v: -i:', { openGlobs: true })],
  ['wc', content('-l -w -c -m -L --lines --words --chars --bytes --max-line-length', { openGlobs: true })],
  [
    'ls',
    meta(
      '-a -A -l -h -R -1 -d -t -r -S -F -i -s -p -G -o -g -n -c -u -X -U -v -C -x -m -q -N -Q -L -H --all --almost-all ' +
        '--human-readable --color? --recursive --directory --reverse --sort: --time: --group-directories-first ' +
        '--full-time --time-style: --classify --size --inode',
      { openGlobs: true },
    ),
  ],
  ['stat', meta('-c: -f -L -t -x --format: --printf: --terse --dereference', { openGlobs: true })],
  ['file', meta('-b -i -I -h -L --brief --mime --mime-type --mime-encoding', { openGlobs: true })],
  [
    'du',
    meta(
      '-s -h -a -c -d: -k -m -b --max-depth: --summarize --human-readable --apparent-size --total --exclude:',
      {
        openGlobs: true,
      },
    ),
  ],
  ['tree', meta('-L: -a -d -I: -P: -f -i -h -s -C -F --dirsfirst --noreport --prune --gitignore')],
  ['realpath', meta('-e -m -s -q -z --relative-to: --relative-base:')],
  ['readlink', meta('-f -e -m -n')],
  [
    'diff',
    content(
      '-u -r -q -N -w -b -B -i -c -y -s -a -t -E -Z -U: -C: --unified? --brief --recursive --color? --new-file ' +
        '--ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --side-by-side ' +
        '--suppress-common-lines --report-identical-files --text --strip-trailing-cr',
      { refine: () => ({ use: 'tree' }) },
    ),
  ],
  ['cmp', content('-b -l -s -n: --silent --quiet --print-bytes --verbose')],
  ['comm', content('-1 -2 -3 --check-order --nocheck-order')],
  [
    'sort',
    content(
      '-n -r -u -k: -t: -f -h -V -b -d -g -M -s -z -c -i --reverse --numeric-sort --unique --key: ' +
        '--field-separator: --ignore-case --human-numeric-sort --version-sort --check --stable',
    ),
  ],
  ['uniq', content('-c -d -D -u -i -f: -s: -w: -z --count --repeated --unique --ignore-case', { most: 1 })],
  [
    'cut',
    content(
      '-d: -f: -c: -b: -s -z --delimiter: --fields: --characters: --bytes: --complement --output-delimiter:',
    ),
  ],
  ['tr', textsOnly('-d -s -c -C -t --delete --squeeze-repeats --complement --truncate-set1')],
  ['grep', grep],
  ['egrep', grep],
  ['fgrep', grep],
  ['rg', ripgrep],
  ['find', find],
  ['sed', sed],
  ['jq', jq],
  ['git', readGit],
  ['md5sum', sums],
  ['sha1sum', sums],
  ['sha256sum', sums],
  ['cksum', sums],
  ['test', test],
  ['[', bracket],
  ['command', command],
  ['which', textsOnly('-a')],
  ['type', textsOnly('-a -t -p')],
  ['basename', textsOnly('-a -s: -z')],
  ['dirname', textsOnly('-z')],
  ['echo', () => []],
  ['pwd', textsOnly('-L -P')],
  ['true', () => []],
  ['false', () => []],
  [':', () => []],
  ['whoami', textsOnly('')],
  ['uname', textsOnly('-a -s -r -m -n -v -o -p')],
]);
