import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { objection } from '../support/house/importTable';
import { importsOf, parseText, root, type Source, sources, target } from '../support/house/sources';

const moduleOf = (path: string) => path.replace(/\.ts$/, '');

/** A folder that is imported means its index. */
const file = (module: string) => (existsSync(join(root, `${module}.ts`)) ? module : `${module}/index`);

describe('import table', () => {
  const all = sources('src', 'webview');

  it('holds for every import, type imports included', () => {
    const broken = all.flatMap((source) =>
      importsOf(source).flatMap(({ specifier, line }) => {
        const why = objection(moduleOf(source.path), target(source, specifier), specifier);
        return why === null ? [] : [`${source.path}:${line}: ${why}`];
      }),
    );
    assert.deepEqual(broken, []);
  });

  it('sees what it must refuse', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['src/team/x.ts', "import type { A } from '../runtime/engine';"],
      ['src/team/x.ts', "import * as fs from 'node:fs';"],
      ['src/base/x.ts', "export { a } from '../shared/ids';"],
      ['src/runtime/x.ts', "const v = await import('vscode');"],
      ['src/tools/x.ts', "type P = import('../runtime/scheduler').P;"],
      ['src/store/x.ts', "const v = require('vscode');"],
      ['src/shared/x.ts', "import * as z from 'zod';"],
      ['webview/x.ts', "import { reduce } from '../src/shared/reduce';"],
      ['src/vscode/x.ts', "import '../extension';"],
      ['src/headless.ts', "import './vscode/api';"],
    ];
    for (const [path, text] of cases) {
      const source = parseText(path, text);
      const [found] = importsOf(source);
      assert.ok(found, `${text} is seen as an import`);
      assert.notEqual(
        objection(moduleOf(path), target(source, found.specifier), found.specifier),
        null,
        text,
      );
    }
  });

  it('has no cycles, type imports included', () => {
    assert.deepEqual(cycles(graphOf(all)), []);
  });

  it('finds a cycle where there is one', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c']],
      ['c', ['a', 'd']],
      ['d', []],
    ]);
    assert.deepEqual(cycles(graph), ['a -> b -> c -> a']);
  });
});

function graphOf(all: readonly Source[]): Map<string, readonly string[]> {
  const known = new Set(all.map((source) => moduleOf(source.path)));
  const targets = (source: Source) =>
    importsOf(source)
      .map(({ specifier }) => target(source, specifier))
      .filter((to) => to !== null)
      .map(file)
      .filter((to) => known.has(to));
  return new Map(all.map((source) => [moduleOf(source.path), [...new Set(targets(source))]]));
}

/** One line for each cycle that a depth-first walk closes. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, path: readonly string[]) => {
    const at = path.indexOf(node);
    if (at >= 0) found.push([...path.slice(at), node].join(' -> '));
    if (at >= 0 || done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}
