import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { english } from '../../src/shared/english';
import { readWords } from '../support/house/manifest';
import { literal, root, sources, walk } from '../support/house/sources';

const words = (path: string) =>
  z.record(z.string(), z.string()).parse(JSON.parse(readFileSync(join(root, path), 'utf8')));

const places = (text: string) => [...new Set(text.match(/\{\w+\}/g))].sort();

describe('words for translators', () => {
  const listed = words('l10n/bundle.l10n.json');

  it('the list is what its script writes: nothing new is missing, nothing old is left', () => {
    const run = spawnSync(process.execPath, ['.ci/l10n.mjs', '--check'], { cwd: root, encoding: 'utf8' });
    assert.equal(run.stderr, '');
    assert.equal(run.status, 0);
  });

  it("holds every word of the Room and every sentence of the editor's own surfaces", () => {
    const texts = sources('src/vscode').find((file) => file.path === 'src/vscode/texts.ts');
    assert.ok(texts);
    const said = walk(texts.program).flatMap(({ node, parent }) => {
      const call = parent?.node.type === 'CallExpression' ? parent.node : null;
      const callee = call?.['callee'];
      const isT = typeof callee === 'object' && callee !== null && 'name' in callee && callee.name === 't';
      const first = Array.isArray(call?.['arguments']) ? call['arguments'][0] : null;
      return isT && node === first ? (literal(node) ?? []) : [];
    });
    assert.ok(said.length > 100, `${said.length} sentences were found`);
    const all = [...said, ...Object.values(english)];
    assert.deepEqual(
      all.filter((text) => listed[text] !== text),
      [],
    );
  });

  it('a translation is another file: of texts that exist, with the same places to fill', () => {
    const wrong = (path: string, source: Readonly<Record<string, string>>) =>
      Object.entries(words(path))
        .filter(
          ([key, text]) => !(key in source) || String(places(source[key] ?? '')) !== String(places(text)),
        )
        .map(([key]) => `${path}: ${key}`);
    const bundles = readdirSync(join(root, 'l10n')).map((name) => `l10n/${name}`);
    const manifests = readdirSync(root).filter((name) => /^package\.nls(\..+)?\.json$/.test(name));
    const manifestWords = readWords();
    assert.deepEqual(
      [
        ...bundles.flatMap((path) => wrong(path, listed)),
        ...manifests.flatMap((path) => wrong(path, manifestWords)),
      ],
      [],
    );
  });
});
