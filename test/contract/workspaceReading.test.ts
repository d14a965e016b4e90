import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { commandEnvironment } from '../../src/workspace/shell/environment';
import { readingCommand } from '../../src/workspace/shell/reading';

/**
 * The judgement stands on a parser that isn't the shell. Here the shell itself is asked: whatever is taken for a
 * reading command must leave the folder as it was and start no program that isn't known to read.
 */
describe('reading commands against the real shell', function () {
  this.timeout(120_000);
  let around = '';
  let folder = '';

  const stub = (name: string): void => {
    const file = join(around, 'bin', name);
    writeFileSync(file, `#!/bin/sh\necho ran >> '${join(around, 'ran')}'\n`);
    chmodSync(file, 0o755);
  };

  beforeEach(() => {
    around = mkdtempSync(join(tmpdir(), 'teamroom-reading-'));
    folder = join(around, 'ws');
    mkdirSync(folder);
    mkdirSync(join(around, 'bin'));
    for (const name of ['evil', 'rm', 'sh', 'curl', 'a', 'b']) stub(name);
    writeFileSync(join(folder, 'a'), 'first\n');
    writeFileSync(join(folder, 'b'), 'second\n');
  });

  afterEach(() => rmSync(around, { recursive: true, force: true }));

  const snapshot = (): string =>
    JSON.stringify([
      readdirSync(around).sort(),
      readdirSync(folder)
        .sort()
        .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
    ]);

  const runs = (line: string) =>
    spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', line], {
      cwd: folder,
      env: { ...commandEnvironment(process.env), PATH: `${join(around, 'bin')}:/usr/bin:/bin` },
      timeout: 5000,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });

  it('the trap itself works: a line that is none does run something', () => {
    const before = snapshot();
    assert.equal(readingCommand('cat a; evil').reading, false);
    runs('cat a; evil');
    assert.notEqual(snapshot(), before);
  });

  it('random lines of shell syntax', () => {
    const token = fc.constantFrom(
      ...[
        'cat',
        'ls',
        'echo',
        'grep',
        'evil',
        'rm',
        'a',
        'b',
        'x',
        '-n',
        '-e',
        '--',
        'cd',
        'true',
        '!',
        '[',
        ']',
      ],
      ...[' ', ' ', ' ', ' ', '\t', '\n', '\\\n', '\\', ';', ';;', '&', '&&', '||', '|', '|&', '#', '=', ','],
      ...['"', "'", '$"', "$'", '`', '$(', '$((', '))', ')', '(', '{', '}', '${', '$x', '*', '?', '~', '~+'],
      ...[
        '>',
        '>>',
        '>|',
        '<',
        '<<E',
        '\nE\n',
        '<<<',
        '<(',
        '>(',
        '2>&1',
        '>&2',
        '>/dev/null',
        '&>',
        'if',
        'then',
        'fi',
      ],
      ...[
        '[[',
        ']]',
        'do',
        'done',
        'while',
        'case',
        'in',
        'esac',
        'function',
        'coproc',
        'time',
        '\u00e9',
        '@(',
        '+=',
      ],
    );
    let taken = 0;
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 12 }), (tokens) => {
        const line = tokens.join('');
        if (!readingCommand(line).reading) return;
        taken++;
        const before = snapshot();
        runs(line);
        assert.equal(snapshot(), before, line);
      }),
      { numRuns: 20_000 },
    );
    assert.ok(taken > 50, `only ${taken} lines were taken for reading`);
  });

  it('random quoting around a command that writes', () => {
    const open = fc.constantFrom(
      '',
      '"',
      "'",
      '\\',
      '$',
      '`',
      '\\"',
      "\\'",
      '#',
      ' #',
      '$(',
      '${',
      '{',
      '[',
      '\\\n',
      "$'",
      '!',
    );
    fc.assert(
      fc.property(
        open,
        open,
        open,
        open,
        fc.constantFrom('; evil ', '\nevil\n', ' > c ', ' && evil '),
        (w, x, y, z, evil) => {
          const line = `cat ${w}a${x}${evil}${y}b${z}`;
          if (!readingCommand(line).reading) return;
          const before = snapshot();
          runs(line);
          assert.equal(snapshot(), before, line);
        },
      ),
      { numRuns: 2500 },
    );
  });
});
