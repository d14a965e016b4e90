import { optionTable, type ParsedOptions, parseOptions } from './options';
import type { ProgramReader, UsedFile } from './uses';
import type { KnownWord } from './words';

const DIFF =
  '--stat? --name-only --name-status --cached --staged -U: --unified: -w -b --ignore-all-space ' +
  '--ignore-space-change --ignore-blank-lines --numstat --shortstat --summary --color? --no-color --word-diff? ' +
  '--check --diff-filter: -M? -C? -p -u --patch --no-patch -s --no-ext-diff --no-textconv --minimal --patience ' +
  '--histogram --exit-code --quiet --no-renames --merge-base -S: -G: --pickaxe-regex -R --relative? --text -a -z ' +
  '--raw --full-index --abbrev? --function-context -W --no-prefix';
const LOG =
  `${DIFF} --oneline --graph --all --decorate? --no-decorate --author: --committer: --since: --until: --after: ` +
  '--before: --grep: -i -E -F --format: --pretty? -n: --max-count: --skip: --follow --no-merges --merges ' +
  '--first-parent --reverse --date: --abbrev-commit --no-abbrev-commit --branches? --tags? --remotes? -L: ' +
  '--topo-order --date-order --left-right --cherry-pick --source --invert-grep --full-history --simplify-merges ' +
  '--ancestry-path -m -c --cc --no-notes';

/** What git may be asked with these options: all of it reads. `-c`, `--output`, `--ext-diff`, `-O` are not here. */
const COMMANDS = new Map(
  Object.entries({
    status: '-s -b -u? -v -z --short --branch --porcelain? --untracked-files? --ignored? --long --show-stash',
    diff: DIFF,
    log: LOG,
    show: LOG,
    shortlog: '-s -n -e --summary --numbered --email --all --since: --until: --no-merges',
    branch:
      '-a -r -v -l --list --all --remotes --verbose --show-current --contains: --merged? --no-merged? --sort: --format: --no-color --color?',
    'ls-files':
      '-c -d -m -o -i -s -t -u -v -z --cached --deleted --modified --others --ignored --stage --unmerged ' +
      '--exclude-standard --full-name --error-unmatch',
    'ls-tree': '-r -t -d -l -z --name-only --name-status --full-tree --full-name --long',
    blame:
      '-L: -w -M? -C? -s -l -e -f -n -p -b --porcelain --line-porcelain --date: --show-email --show-name',
    'rev-parse':
      '--show-toplevel --abbrev-ref? --short? --verify --is-inside-work-tree --is-bare-repository --git-dir -q ' +
      '--absolute-git-dir --git-common-dir --symbolic-full-name --symbolic --show-prefix --show-cdup --quiet --all',
    'rev-list':
      '--count --all --max-count: -n: --since: --until: --no-merges --merges --first-parent --reverse --left-right',
    'merge-base': '--all --is-ancestor --fork-point --octopus',
    describe: '--tags --always --dirty? --abbrev? --long --all --exact-match --match: --contains',
    remote: '-v --verbose',
  }).map(([name, options]) => [name, optionTable(options)]),
);
const NUMBERS = new Set(['log', 'show', 'rev-list']);

/** git with a known command and known options. Its operands are revisions or paths; each is looked at as a path too. */
export const readGit: ProgramReader = (words) => {
  let at = 0;
  while (words[at]?.value === '--no-pager' || words[at]?.value === '-P') at++;
  const name = words[at]?.value ?? '';
  const table = COMMANDS.get(name);
  if (table === undefined) return null;
  const parsed = parseOptions(words.slice(at + 1), table, NUMBERS.has(name));
  if (parsed === null || !isHarmless(name, parsed)) return null;
  return [...parsed.operands, ...lineRanges(parsed)].flatMap(usesOf);
};

function isHarmless(name: string, parsed: ParsedOptions): boolean {
  if (parsed.operands.some((word) => word.glob?.open === true)) return false;
  // With a name and without --list git makes a branch; `remote` has verbs that change things.
  if (name === 'branch' && parsed.operands.length > 0)
    return parsed.given.has('--list') || parsed.given.has('-l');
  if (name === 'remote' && parsed.operands.length > 0) return false;
  // A signature's placeholders start the signature program.
  const formats = ['--format', '--pretty'].flatMap((option) => parsed.given.get(option) ?? []);
  return formats.every((format) => !format.includes('%G'));
}

/** `-L 1,5:file` and `-L :name:file` name a file after the last colon. */
function lineRanges(parsed: ParsedOptions): readonly KnownWord[] {
  return (parsed.given.get('-L') ?? [])
    .filter((range) => range.includes(':'))
    .map((range) => ({ value: range.slice(range.lastIndexOf(':') + 1), glob: null }));
}

/** `HEAD:path` shows a file of a revision: its name is looked at like a file's. */
function usesOf(word: KnownWord): readonly UsedFile[] {
  const colon = word.value.lastIndexOf(':');
  const uses: UsedFile[] = [{ word, use: 'content', endings: null }];
  if (colon > 0 && word.glob === null) {
    uses.push({ word: { value: word.value.slice(colon + 1), glob: null }, use: 'content', endings: null });
  }
  return uses;
}
