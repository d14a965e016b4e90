import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { careOfNames, foldName } from '../../src/workspace/care';
import { formProblem, isWithin, namePlace, type PlaceFolder, shownPath } from '../../src/workspace/place';

const one: readonly PlaceFolder[] = [
  { name: 'ws', root: '/home/me/ws', spellings: ['/home/me/ws', '/link/ws'] },
];
const two: readonly PlaceFolder[] = [
  { name: 'web', root: '/p/web', spellings: ['/p/web'] },
  { name: 'api', root: '/p/api', spellings: ['/p/api'] },
];

function placed(path: string, folders = one): string {
  const answer = namePlace(path, folders);
  return answer.ok ? shownPath(answer.value, folders) : answer.error.code;
}

describe('where a written path leads, by its text', () => {
  it('takes relative and absolute paths inside the workspace, normalised', () => {
    const seen = [
      'a.ts',
      './a/b.ts',
      'a/../b.ts',
      'a//b/',
      '.',
      '',
      '/home/me/ws/x/y',
      '/link/ws/x',
      '/home/me/ws',
    ];
    assert.deepEqual(
      seen.map((path) => placed(path)),
      ['a.ts', 'a/b.ts', 'b.ts', 'a/b', '.', '.', 'x/y', 'x', '.'],
    );
  });

  it('A4 refuses what climbs out, home, schemes, escapes, network and drive paths', () => {
    const outside = [
      '..',
      '../x',
      'a/../../x',
      'a/b/../../../x',
      '/etc/passwd',
      '/home/me',
      '/home/me/ws/../x',
    ];
    for (const path of outside) assert.equal(placed(path), 'outside', path);
    const invalid = [
      '~',
      '~/x',
      '~root/x',
      'file:///etc/passwd',
      'FILE://x',
      'vscode-remote://x/y',
      '%2e%2e/x',
      'a/%2E%2e%2fx',
      'a%00b',
      '\\\\server\\share',
      '\\\\?\\C:\\x',
      '\\\\.\\pipe\\x',
      '//server/share',
      'C:rel',
      'C:\\x',
      'c:/x',
      '..\\x',
      'a\\b',
    ];
    for (const path of invalid) assert.equal(placed(path), 'invalid', path);
  });

  it('A5 refuses NUL, control and invisible characters, streams, devices, trailing dots and short names', () => {
    const bad = [
      'a\0b',
      'a\nb',
      'a\rb',
      'a\u007fb',
      'a\u202eb',
      'a\u200bb',
      '\ufeffa',
      'f.txt:x',
      'a/.git::$INDEX_ALLOCATION/x',
      'a./b',
      'a /b',
      'b.',
      'b ',
      'CON',
      'con.txt',
      'a/NUL/b',
      'Com1.log',
      'lpt9',
      'conin$',
      'GIT~1/config',
      'PROGRA~1',
      'ENV~1.LOC',
      'x'.repeat(256),
      'a/'.repeat(2100),
    ];
    for (const path of bad) assert.notEqual(formProblem(path), null, JSON.stringify(path));
    for (const path of [
      'a.b',
      '.hidden',
      'control.ts',
      'console.ts',
      'a~1b',
      'ü/日本.md',
      'a b',
      'HEAD~long~1x',
    ]) {
      assert.equal(formProblem(path), null, path);
    }
  });

  it('A10 a sibling with the same beginning is outside', () => {
    assert.equal(isWithin('/ws', '/ws-evil/x'), false);
    assert.equal(isWithin('/ws', '/ws'), true);
    assert.equal(isWithin('/ws', '/ws/x'), true);
    assert.equal(isWithin('/', '/x'), true);
    assert.equal(placed('/home/me/ws-evil/x'), 'outside');
    assert.equal(placed('../ws-evil/x'), 'outside');
  });

  it('with several folders the first name is a folder, and only one of ours', () => {
    assert.equal(placed('web/src/a.ts', two), 'web/src/a.ts');
    assert.equal(placed('/p/api/x', two), 'api/x');
    assert.equal(placed('api', two), 'api');
    assert.deepEqual(namePlace('src/a.ts', two), {
      ok: false,
      error: { code: 'no_folder', path: 'src/a.ts', folders: ['web', 'api'] },
    });
    assert.equal(placed('web/../api/x', two), 'api/x');
    assert.equal(placed('web/../../x', two), 'outside');
  });

  it('whatever is written, an accepted path stays below its folder', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '',
      'a',
      'ws',
      '~',
      'C:',
      '%2e',
      '\\',
      'x y',
      '.git',
      'CON',
      '\0',
      '…',
    );
    const path = fc.oneof(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('/')),
      fc.array(piece, { maxLength: 8 }).map((pieces) => `/home/me/ws/${pieces.join('/')}`),
      fc.string({ unit: 'binary', maxLength: 40 }),
    );
    fc.assert(
      fc.property(path, (written) => {
        const answer = namePlace(written, one);
        if (!answer.ok) return;
        for (const name of answer.value.segments) {
          assert.ok(name !== '' && name !== '.' && name !== '..' && !/[/\\\0]/u.test(name), written);
        }
        assert.ok(isWithin('/home/me/ws', ['/home/me/ws', ...answer.value.segments].join('/')));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('how careful a path is, by its names', () => {
  it('A1 A2 protects what tools, editors and agents are steered by', () => {
    const paths = [
      '.vscode/settings.json',
      'sub/.vscode/tasks.json',
      'a.code-workspace',
      '.git/hooks/pre-commit',
      '.github/workflows/ci.yml',
      '.github/agents/x.md',
      '.mcp.json',
      '.cursor/mcp.json',
      '.roo/x',
      '.claude/settings.json',
      '.teamroom/agents/x.md',
      '.husky/pre-push',
      '.gitmodules',
      'AGENTS.md',
      'pkg/CLAUDE.md',
      '.teamroomignore',
      '.git',
    ];
    for (const path of paths) assert.equal(careOfNames(path), 'protected', path);
  });

  it('A3 folds case, separators, Unicode forms, invisible characters, trailing dots and streams', () => {
    const paths = [
      '.VSCODE/Settings.JSON',
      '.vscode\\settings.json',
      'sub\\.Git\\config',
      '.v\u200bscode/settings.json',
      '.vſcode/x',
      '.VSCODE./x',
      '.git /config',
      '.git::$INDEX_ALLOCATION/config',
      '．ｇｉｔ/config',
      '.gıt/config',
      'agents.MD',
      'X.Code-Workspace',
      'git~1/config',
    ];
    for (const path of paths) assert.equal(careOfNames(path), 'protected', path);
    assert.equal(foldName('.ENV'), '.env');
  });

  it('knows secret names and leaves the rest alone', () => {
    const secret = [
      '.env',
      '.env.local',
      'a/.ENV',
      'x.pem',
      'id_rsa',
      'keys/id_ed25519.pub',
      'server.KEY',
      '.npmrc',
      '.git/x.pem',
    ];
    for (const path of secret) assert.equal(careOfNames(path), 'secret', path);
    const plain = [
      'src/a.ts',
      'id_map.ts',
      'src/git/x.ts',
      'environment.ts',
      'key.ts',
      'github/x',
      'README.md',
      '.gitignore',
      '.',
    ];
    for (const path of plain) assert.equal(careOfNames(path), 'plain', path);
  });
});
