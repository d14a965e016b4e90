import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The tests run in the repository's root. */
export const root = process.cwd();

/** A node of the syntax tree, seen only as what a walk needs. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Source {
  /** Relative to the root, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly program: SyntaxNode;
}

/** Every TypeScript and script file under the folders, parsed. A file that can't be parsed throws. */
export function sources(...folders: readonly string[]): readonly Source[] {
  return folders.flatMap((folder) => filesUnder(folder).map(parse));
}

const skipped = new Set(['node_modules', 'dist', 'out', '.git']);

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesUnder(path);
    return /\.(ts|mjs)$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [path] : [];
  });
}

export function parse(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8');
  return parseText(path, text);
}

export function parseText(path: string, text: string): Source {
  const result = parseSync(path, text);
  const problem = result.errors.find((error) => error.severity === 'Error');
  if (problem !== undefined) throw new Error(`${path}: ${problem.message}`);
  return { path, text, program: result.program as unknown as SyntaxNode };
}

export interface Visit {
  readonly node: SyntaxNode;
  /** What the node lies in; null for the program. */
  readonly parent: Visit | null;
}

const visits = new WeakMap<SyntaxNode, readonly Visit[]>();

/** Every node of the tree, parents before their children. */
export function walk(top: SyntaxNode): readonly Visit[] {
  const known = visits.get(top);
  if (known !== undefined) return known;
  const found: Visit[] = [];
  collect({ node: top, parent: null }, found);
  visits.set(top, found);
  return found;
}

function collect(visit: Visit, found: Visit[]): void {
  found.push(visit);
  for (const value of Object.values(visit.node)) {
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) collect({ node: item, parent: visit }, found);
    } else if (isNode(value)) collect({ node: value, parent: visit }, found);
  }
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** The value of a string literal, or null. */
export function literal(value: unknown): string | null {
  return isNode(value) && value.type === 'Literal' && typeof value['value'] === 'string'
    ? value['value']
    : null;
}

export const lineCount = (text: string): number => text.split('\n').length - (text.endsWith('\n') ? 1 : 0);

export const lineOf = (source: Source, offset: number): number =>
  source.text.slice(0, offset).split('\n').length;

export interface Import {
  /** As written. */
  readonly specifier: string;
  readonly line: number;
}

/** Every way a file names another module: imports, re-exports, `import()`, `import('…')` types, `require`. */
export function importsOf(source: Source): readonly Import[] {
  const found: Import[] = [];
  for (const { node } of walk(source.program)) {
    const specifier = importedBy(node);
    if (specifier !== null) found.push({ specifier, line: lineOf(source, node.start) });
  }
  return found;
}

function importedBy(node: SyntaxNode): string | null {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
    case 'ImportExpression':
    case 'TSImportType':
      return literal(node['source']);
    case 'TSExternalModuleReference':
      return literal(node['expression']);
    case 'CallExpression': {
      const callee = node['callee'];
      const args = node['arguments'];
      const isRequire = isNode(callee) && callee.type === 'Identifier' && callee['name'] === 'require';
      return isRequire && Array.isArray(args) ? literal(args[0]) : null;
    }
    default:
      return null;
  }
}

/** Where a relative import leads, relative to the root and without an extension; null for packages. */
export function target(source: Source, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  const path = join(dirname(source.path), specifier);
  return relative('.', path).replaceAll('\\', '/').replace(/\.ts$/, '');
}
