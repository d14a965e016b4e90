import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { MOST_PARTS, readingCommand } from '../../src/workspace/shell/reading';

const reads = (command: string): boolean => readingCommand(command).reading;
/** "§" stands for a "$" before a brace, which looks like an expansion of ours. */
const dollar = (text: string): string => text.replaceAll('§', '$');
const all = (commands: readonly string[], expected: boolean): void => {
  for (const command of commands.map(dollar)) {
    const seen = readingCommand(command);
    assert.equal(seen.reading, expected, `${JSON.stringify(command)}: ${seen.detail}`);
  }
};

describe('commands that only read', () => {
  it('are known with their usual options', () => {
    all(
      [
        'ls',
        'ls -la src',
        'cat a.ts b.ts',
        'cat src/*.ts',
        'head -n 20 a.ts',
        'head -20 a.ts',
        'tail -c 100 a.ts',
        'wc -l src/*.ts',
        'pwd && ls',
        'cd src && ls -la',
        'git status',
        'git status --short',
        'git --no-pager diff --stat HEAD~1 -- src',
        'git log --oneline -5',
        'git log -n 3 --format=%h',
        'git show HEAD:src/a.ts',
        'git branch -a',
        'git branch --list "feature/*"',
        'git ls-files -o --exclude-standard',
        'git blame -L 1,20 a.ts',
        'git rev-parse --abbrev-ref HEAD',
        'grep -rn "foo bar" src',
        "grep -E 'a|b' a.ts | sort | uniq -c | sort -rn | head -5",
        'rg -n --hidden foo src',
        'rg -t ts "class \\w+"',
        'rg --files -g "*.ts"',
        "find . -name '*.ts' -not -path './node_modules/*' -type f",
        'find src \\( -name a -o -name b \\) -maxdepth 2 -print',
        "sed -n '10,20p' a.ts",
        "sed -n '5p;10,$p' a.ts",
        "jq -r '.scripts | keys[]' package.json",
        'echo hello "world"',
        'test -f a.ts && echo yes || echo no',
        '[ -d src ]',
        '[ "a" = "b" ]',
        'stat a.ts; file a.ts; du -sh src',
        'diff -u a.ts b.ts',
        'cut -d , -f 1 a.csv | tr a-z A-Z',
        'sort -k2,2n a.txt',
        'which node; command -v git',
        'true',
        '! grep -q x a.ts',
        'cat a.ts 2>/dev/null',
        'ls missing 2>&1 | head -3',
        'ls\nls src',
        'ls # a comment',
      ],
      true,
    );
  });

  it('A11 redirections, separators with more behind them, newlines, substitutions are none', () => {
    all(
      [
        'git show HEAD:x > ~/.ssh/id',
        'git show > x',
        'cat a >> b',
        'cat a >| b',
        'cat < a',
        'ls &> out',
        'ls >& out',
        'cat a; rm b',
        'cat a && rm b',
        'cat a || rm b',
        'cat a | sh',
        'cat a & rm b',
        'ls &',
        'cat a\nrm b',
        'cat $(rm b)',
        'cat `rm b`',
        'cat "$(rm b)"',
        'cat "`rm b`"',
        'diff <(rm a) b',
        'cat a >(rm b)',
        'tee out < a',
        'ls | tee out',
        'ls | xargs rm',
        'cat <<EOF\n$(rm b)\nEOF',
        'cat <<< "$(rm b)"',
        '(rm a)',
        '{ rm a; }',
        'if true; then rm a; fi',
        'for f in a; do rm $f; done',
        'f() { rm a; }; f',
        'FOO=1 ls',
        'PATH=. ls',
        'exec rm a',
        'eval "rm a"',
        'time rm a',
        '[[ -f a ]]',
        '((x=1))',
        'cat {a,b}',
        'cat src/*/../../x',
        'cat src/*/..',
        'cat (',
        "cat $'a'",
        'cat ~/x',
        './cat a',
        '/bin/cat a',
        'bin/ls',
        '',
        '   ',
        '# only a comment',
      ],
      false,
    );
    assert.equal(readingCommand('cat a\rrm b').parsable, false);
    assert.equal(readingCommand('cat a\u202e b').parsable, false);
    assert.equal(readingCommand('cat a\0b').parsable, false);
  });

  it('A12 expansions with effects are none', () => {
    all(
      [
        'echo §{x@P}',
        'echo "§{x@P}"',
        'echo §{x:=$(rm a)}',
        'echo §{x:-`rm a`}',
        'echo §{!x}',
        'echo $x',
        'echo $((a[$(rm b)]))',
        'cat $HOME/x',
        'cat "$HOME"/x',
        "echo 'a'$x",
        'echo §{x//a/b}',
      ],
      false,
    );
  });

  it('A13 more parts than can be looked through fail closed, as does a line that is too long', () => {
    const many = Array.from({ length: MOST_PARTS + 1 }, () => 'true').join('; ');
    assert.deepEqual([readingCommand(many).reading, readingCommand(many).parsable], [false, false]);
    const fewer = Array.from({ length: MOST_PARTS }, () => 'true').join('; ');
    assert.equal(reads(fewer), true);
    const nested = `echo ${'$(true) '.repeat(MOST_PARTS + 1)}`;
    assert.equal(readingCommand(nested).parsable, false);
    assert.equal(readingCommand(`echo ${'x'.repeat(40_000)}`).parsable, false);
  });

  it('A14 options that write, run or load something make a reading program another', () => {
    all(
      [
        'npm install',
        'npm test',
        'node -e 1',
        'python x.py',
        'make',
        'git -c core.pager=rm log',
        'git --exec-path=. status',
        'git -C .. status',
        'git --git-dir=x log',
        'git diff --output=x',
        'git diff --outpu=x',
        'git diff --ext-diff',
        'git diff -O x',
        'git log --output x',
        'git log --show-signature',
        'git log --format=%G?',
        "git log --format='%h %G?'",
        'git show --pretty=%GS',
        'git grep -O x',
        'git branch new',
        'git branch -D x',
        'git branch -v new',
        'git checkout .',
        'git stash',
        'git commit -m x',
        'git remote add x y',
        'git config core.pager x',
        'git',
        "find . -exec rm {} ';'",
        'find . -execdir rm {} +',
        'find . -ok rm {} +',
        'find . -delete',
        'find . -fprint x',
        'find . -fprintf x y',
        'find . -fls x',
        'find -L . -name x',
        'rg --pre rm x',
        'rg --pre=rm x',
        'rg --hostname-bin rm x',
        'rg -z x',
        'rg --search-zip x',
        'rg -L x',
        'rg --ignore-file x y',
        "sed -i 's/a/b/' x",
        "sed 's/a/b/' x",
        "sed -n 's/a/rm x/e' x",
        "sed -n '1w out' x",
        "sed -n '1e rm x' x",
        'sed e x',
        'sed -f script x',
        'sed -n -e p -e "1w out" x',
        'sort -o x y',
        'sort --output=x y',
        'sort --compress-program=rm y',
        'sort -T . y',
        'sort *',
        'uniq a b',
        'awk 1 a',
        'awk \'BEGIN{system("rm a")}\'',
        'xargs ls',
        'tee x',
        'less a',
        'vi a',
        'tail -f a',
        'wc --files0-from=x',
        'du --files0-from=x',
        'file -C -m x',
        'file -f x',
        'date -s x',
        'jq env a.json',
        "jq -n '$ENV.HOME'",
        'jq -f x a.json',
        'jq \'import "x" as y; .\' a.json',
        'jq --rawfile a b .',
        'tree -o x',
        'grep -R x .',
        'printf -v x y',
        "test -v 'x[$(rm a)]'",
        "test 'a[$(rm a)]' -eq 0",
        "[ -v 'x[$(rm a)]' ]",
        '[ -f a',
        'cd ..',
        'cd - && ls',
        'cd a/../.. && ls',
        'cd',
        'command rm a',
        'env rm a',
        'sudo ls',
        'nohup ls',
        'command -p ls',
        'echo a > b',
      ],
      false,
    );
  });

  it('says what is wrong with a line that has no syntax', () => {
    for (const command of ['echo "a', 'if true', "echo 'x", 'a && ', '| ls', 'echo $(ls']) {
      const seen = readingCommand(command);
      assert.equal(seen.parsable, false, command);
      assert.notEqual(seen.detail, '');
    }
  });

  it('names the files that it would open, from everywhere it may be by then', () => {
    const { files } = readingCommand('cat a; cd sub && cat b/*.ts; wc c');
    assert.deepEqual(
      files.map(({ from, path, use, globDepth, endings }) => ({ from, path, use, globDepth, endings })),
      [
        { from: [''], path: 'a', use: 'content', globDepth: null, endings: null },
        { from: [''], path: 'sub', use: 'meta', globDepth: null, endings: null },
        { from: ['sub'], path: 'b/', use: 'content', globDepth: 1, endings: ['.ts'] },
        { from: ['', 'sub'], path: 'c', use: 'content', globDepth: null, endings: null },
      ],
    );
    const searched = readingCommand("grep -rn --include='*.ts' x").files;
    assert.deepEqual(searched, [{ from: [''], path: '.', use: 'tree', globDepth: null, endings: ['.ts'] }]);
  });

  it('never takes a line for reading that holds a word outside the known programs', () => {
    const bad = fc.constantFrom(
      'rm x',
      '> x',
      '$(rm x)',
      '`rm x`',
      'curl x',
      'A=1 ls',
      '& rm x',
      'ls &',
      '§{x@P}',
    );
    const good = fc.constantFrom('ls', 'cat a', 'git status', 'echo "x y"', "grep 'a;b' c", 'pwd');
    const joint = fc.constantFrom('; ', ' && ', ' || ', ' | ', '\n');
    fc.assert(
      fc.property(
        fc.array(fc.tuple(good, joint), { maxLength: 5 }),
        bad,
        good,
        joint,
        (before, evil, after, by) => {
          const line = before.map(([command, then]) => command + then).join('');
          assert.equal(reads(dollar(`${line}${evil}${by}${after}`)), false);
          assert.equal(reads(`${line}${after}`), true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never throws, whatever the line', () => {
    const token = fc.constantFrom(
      'cat',
      'git',
      'log',
      '$(',
      ')',
      '`',
      '"',
      "'",
      '<<EOF',
      '\n',
      ';',
      '&&',
      '|',
      '>',
      '{',
      '}',
      '[[',
      'if',
      '\\',
      '$',
      '-c',
      '*',
      'é',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 20 }), (tokens) => {
        readingCommand(tokens.join(' '));
        readingCommand(tokens.join(''));
      }),
      { numRuns: 2000 },
    );
  });
});
