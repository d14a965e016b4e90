import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { careOfNames } from '../../src/workspace/care';
import { judge, type RiskClass } from '../../src/workspace/permission';
import type {
  CommandInspection,
  PermissionMode,
  PermissionRule,
  PermissionVerdict,
  PlacedPath,
  Subject,
} from '../../src/workspace/port';
import { readingCommand } from '../../src/workspace/shell/reading';

const at = (shown: string): PlacedPath => ({ shown, real: `/ws/${shown}`, folder: 'ws' });
const cwd = at('.');
const reads = (path: string): Subject => ({ type: 'read', path: at(path) });
const writes = (path: string): Subject => ({ type: 'write', path: at(path) });
/** A command as the gateway finds it when no file is in the way. */
function command(text: string, found: Partial<CommandInspection> = {}): Subject {
  const read = readingCommand(text);
  const inspection = {
    reading: read.reading,
    unparsable: read.parsable ? null : read.detail,
    touches: [],
    detail: read.detail,
    ...found,
  };
  return { type: 'command', command: text, cwd, inspection };
}

const TOOLS: Record<string, RiskClass> = {
  read: 'read',
  write: 'write',
  bash: 'execute',
  report: 'interact',
};
function verdict(
  tool: string,
  subject: Subject | null,
  mode: PermissionMode,
  rules: PermissionRule[] = [],
): string {
  const result: PermissionVerdict = judge({
    mode,
    rules,
    tool,
    risk: TOOLS[tool] ?? 'execute',
    subjects: subject === null ? [] : [subject],
    care: (path) => careOfNames(path.shown),
  });
  switch (result.type) {
    case 'allow':
      return `allow by ${result.by}`;
    case 'deny':
      return 'deny';
    case 'ask':
      return `ask for ${result.why.code}`;
  }
}
const rule = (
  effect: PermissionRule['effect'],
  tool: string,
  pattern: string | null = null,
): PermissionRule => ({
  effect,
  tool,
  pattern,
});
const MODES = ['ask', 'edits', 'auto'] as const;

describe('permission without rules', () => {
  it('by class and mode', () => {
    const cases: [string, Subject | null, readonly [string, string, string]][] = [
      ['read', reads('a.ts'), ['allow by class', 'allow by class', 'allow by class']],
      ['report', null, ['allow by class', 'allow by class', 'allow by class']],
      ['write', writes('a.ts'), ['ask for mode', 'allow by mode', 'allow by mode']],
      ['bash', command('npm test'), ['ask for mode', 'ask for mode', 'allow by mode']],
      ['bash', command('git status'), Array(3).fill('allow by reading_command') as [string, string, string]],
      ['job_stop', null, ['ask for mode', 'ask for mode', 'allow by mode']],
    ];
    for (const [tool, subject, expected] of cases) {
      assert.deepEqual(
        MODES.map((mode) => verdict(tool, subject, mode)),
        expected,
        `${tool} ${subject?.type}`,
      );
    }
  });

  it('protected and secret paths and unparsable commands ask in every mode', () => {
    for (const mode of MODES) {
      assert.equal(verdict('write', writes('.vscode/settings.json'), mode), 'ask for protected_path');
      assert.equal(verdict('write', writes('.env'), mode), 'ask for secret_path');
      assert.equal(verdict('read', reads('.env'), mode), 'ask for secret_path');
      assert.equal(verdict('read', reads('.vscode/settings.json'), mode), 'allow by class');
      assert.equal(verdict('bash', command('echo "'), mode), 'ask for unparsable_command');
      assert.equal(
        verdict('bash', command(Array(60).fill('true').join(';')), mode),
        'ask for unparsable_command',
      );
      const touching = command('rm x', { touches: [{ path: '.git', care: 'protected' }] });
      assert.equal(verdict('bash', touching, mode), 'ask for protected_path');
    }
  });

  it('A20 a schema that the editor would fetch asks in every mode, unless a rule names the file', () => {
    const subject: Subject = { type: 'write', path: at('a.json'), remoteSchema: 'https://evil.example/x' };
    for (const mode of MODES) {
      assert.equal(verdict('write', subject, mode), 'ask for remote_schema');
      assert.equal(verdict('write', subject, mode, [rule('allow', 'write')]), 'ask for remote_schema');
      assert.equal(verdict('write', subject, mode, [rule('allow', 'write', '*.json')]), 'allow by rule');
    }
  });

  it('a command without an inspection never counts as reading, and its words are looked at', () => {
    const bare = (text: string): Subject => ({ type: 'command', command: text, cwd });
    assert.equal(verdict('bash', bare('git status'), 'edits'), 'ask for mode');
    assert.equal(verdict('bash', bare('rm -r .git'), 'auto'), 'ask for protected_path');
    assert.equal(verdict('bash', bare('echo "'), 'auto'), 'ask for unparsable_command');
  });
});

describe('permission by the person’s rules', () => {
  it('a deny rule that matches refuses, however specific an allow rule is', () => {
    const rules = [rule('allow', 'bash', 'rm -rf build'), rule('deny', 'bash', 'rm *')];
    assert.equal(verdict('bash', command('rm -rf build'), 'auto', rules), 'deny');
    assert.equal(verdict('bash', command('ls'), 'auto', rules), 'allow by reading_command');
    assert.equal(verdict('read', reads('x'), 'auto', [rule('deny', '*')]), 'deny');
    assert.equal(verdict('report', null, 'auto', [rule('deny', 'report')]), 'deny');
  });

  it('a deny rule holds for every part of a command, in any folder, in substitutions, in any case of a path', () => {
    const rules = [rule('deny', 'bash', 'rm *'), rule('deny', '*', 'Private/**')];
    const denied = [
      'ls && rm x',
      'ls; rm x',
      'echo $(rm x)',
      '/bin/rm x',
      'rm   -f x',
      'if true; then rm x; fi',
      'cat <(rm x)',
    ];
    for (const text of denied) assert.equal(verdict('bash', command(text), 'auto', rules), 'deny', text);
    assert.equal(verdict('bash', command('rmdir x'), 'auto', rules), 'allow by mode');
    assert.equal(verdict('read', reads('private/x'), 'auto', rules), 'deny');
  });

  it('an allow rule on commands counts only if each part matches it and can do nothing else (A11)', () => {
    const rules = [rule('allow', 'bash', 'npm test*')];
    for (const text of [
      'npm test',
      'npm test -- --watch=false',
      'npm test && npm test x',
      'npm test 2>&1',
      'npm test $X',
    ]) {
      assert.equal(verdict('bash', command(text), 'ask', rules), 'allow by rule', text);
    }
    for (const text of [
      'npm test; rm x',
      'npm test && rm x',
      'npm test | sh',
      'npm test > x',
      'npm test $(rm x)',
      'npm test `rm x`',
      'npm test\nrm x',
      'PATH=. npm test',
      'npm test & rm x',
      'npm test <(rm x)',
      `npm test ${'$'}{x@P}`,
      '(rm x) && npm test',
    ]) {
      assert.equal(verdict('bash', command(text), 'ask', rules), 'ask for mode', text);
    }
  });

  it('of allow and ask rules the most specific decides, ask among equals', () => {
    const rules = [rule('ask', '*'), rule('allow', 'write', 'src/**'), rule('ask', 'write', 'src/gen/**')];
    assert.equal(verdict('write', writes('a.ts'), 'auto', rules), 'ask for rule');
    assert.equal(verdict('write', writes('src/a.ts'), 'ask', rules), 'allow by rule');
    assert.equal(verdict('write', writes('src/gen/a.ts'), 'auto', rules), 'ask for rule');
    assert.equal(
      verdict('write', writes('x'), 'auto', [rule('allow', 'write'), rule('ask', 'write')]),
      'ask for rule',
    );
    assert.equal(verdict('report', null, 'auto', [rule('ask', 'report')]), 'ask for rule');
  });

  it('no rule lets protected paths be written for good; a rule that names a secret lets it be read', () => {
    const all = [rule('allow', '*'), rule('allow', 'write', '**'), rule('allow', 'write', '.env')];
    assert.equal(verdict('write', writes('.vscode/x'), 'auto', all), 'ask for protected_path');
    assert.equal(verdict('write', writes('.env'), 'auto', all), 'ask for secret_path');
    assert.equal(verdict('read', reads('.env'), 'auto', [rule('allow', 'read')]), 'ask for secret_path');
    assert.equal(verdict('read', reads('.env'), 'auto', [rule('allow', 'read', '.env')]), 'allow by rule');
  });

  it('a pattern that cannot be used opens nothing and does not silence a deny rule', () => {
    const broken = '*'.repeat(20);
    assert.equal(verdict('write', writes('a.ts'), 'ask', [rule('allow', 'write', broken)]), 'ask for mode');
    assert.equal(verdict('write', writes('a.ts'), 'auto', [rule('deny', 'write', broken)]), 'deny');
  });
});

describe('modes', () => {
  it('a looser mode never asks where a stricter one allows, and never differs on a refusal', () => {
    const tool = fc.constantFrom('read', 'write', 'bash', 'report');
    const subject = fc.constantFrom(
      reads('a'),
      reads('.env'),
      writes('a'),
      writes('.git/x'),
      command('ls'),
      command('rm a'),
      command('"'),
    );
    const rules = fc.array(
      fc.record({
        effect: fc.constantFrom<PermissionRule['effect']>('allow', 'ask', 'deny'),
        tool: fc.constantFrom('*', 'read', 'write', 'bash'),
        pattern: fc.constantFrom(null, '*', 'a', 'rm *', '.env', 'ls'),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(tool, subject, rules, (name, about, list) => {
        const seen = MODES.map((mode) => verdict(name, about, mode, list));
        for (const [stricter, looser] of [
          [0, 1],
          [1, 2],
        ] as const) {
          if (seen[stricter]?.startsWith('allow')) assert.equal(seen[looser], seen[stricter]);
          assert.equal(seen[looser] === 'deny', seen[stricter] === 'deny');
        }
      }),
    );
  });
});
