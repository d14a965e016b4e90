import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root } from '../support/house/sources';

const literally = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Everything that a clone would have. */
const kept = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)));

const texts = kept.filter(
  (path) => !/\.(png|svg|ttf|woff2|wasm|ico)$/.test(path) && path !== 'package-lock.json',
);

describe('repository', () => {
  it('has at the top what the layout says and nothing else', () => {
    const allowed = [
      ...[
        'package.json',
        'tsconfig.json',
        'README.md',
        '.vscodeignore',
        'src',
        'webview',
        'media',
        'prompts',
        'test',
      ],
      ...[
        'LICENSE',
        'CHANGELOG.md',
        'package-lock.json',
        'biome.json',
        '.gitignore',
        '.vscode',
        '.ci',
        'l10n',
      ],
    ];
    const top = [...new Set(kept.map((path) => path.split('/')[0] ?? ''))];
    const strange = top.filter(
      (name) => !allowed.includes(name) && !/^package\.nls(\.[\w-]+)?\.json$/.test(name),
    );
    assert.deepEqual(strange, []);
  });

  it("the README's picture of the layout is the folders as they are", () => {
    const readme = read('README.md');
    const block = /```layout\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
    const drawn = block
      .split('\n')
      .map((line) => /^(\S+)\s{2,}\S/.exec(line)?.[1] ?? '')
      .filter((name) => name !== '');
    const folders = (path: string) =>
      readdirSync(join(root, path), { withFileTypes: true })
        .filter(
          (entry) => entry.isDirectory() && kept.some((file) => file.startsWith(`${path}/${entry.name}/`)),
        )
        .map((entry) => `${path}/${entry.name}/`);
    const top = [...new Set(kept.map((path) => path.split('/')[0] ?? ''))]
      .filter((name) => statSync(join(root, name)).isDirectory() && name !== 'src')
      .map((name) => `${name}/`);
    const entries = kept.filter((path) => /^src\/[^/]+\.ts$/.test(path));
    assert.deepEqual([...drawn].sort(), [...top, ...folders('src'), ...entries].sort());
  });

  it('nothing names a machine, a registry or a folder beside the repository', () => {
    const names = [root, homedir(), 'registry.npmjs'].filter((name) => name.length > 1);
    const marks = [
      ...names.map((name) => new RegExp(`${literally(name)}(?![\\w-])`)),
      /\.\.\/shared\/\w+\.md/,
    ];
    const found = texts.flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, index) => {
          const isThis = path === 'test/house/repository.test.ts';
          return !isThis && marks.some((mark) => mark.test(line))
            ? [`${path}:${index + 1}: ${line.trim()}`]
            : [];
        }),
    );
    assert.deepEqual(found, []);
  });

  it('the version in the change log is the one of the manifest, or unreleased', () => {
    const heading = /^## (.+)$/m.exec(read('CHANGELOG.md'))?.[1] ?? '';
    const { version } = JSON.parse(read('package.json'));
    assert.ok(heading === 'Unreleased' || heading.startsWith(String(version)), heading);
  });
});
