import assert from 'node:assert/strict';
import {
  isNode,
  lineCount,
  lineOf,
  parseText,
  type Source,
  type SyntaxNode,
  sources,
  type Visit,
  walk,
} from '../support/house/sources';

/** Of 100 measured things, 95 keep the lower bound and all the upper one. */
interface Measure {
  readonly most: number;
  readonly usual: number;
}
const fileLines: Measure = { most: 600, usual: 400 };
const functionLines: Measure = { most: 100, usual: 50 };
const CLASS_LINES = 400;
const CLASS_FIELDS = 15;

interface Sized {
  readonly where: string;
  readonly size: number;
}

const functions = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const classes = new Set(['ClassDeclaration', 'ClassExpression']);

function linesOf(source: Source, node: SyntaxNode): number {
  return lineCount(source.text.slice(node.start, node.end));
}

const where = (source: Source, node: SyntaxNode) => `${source.path}:${lineOf(source, node.start)}`;

function sizesOf(source: Source, types: ReadonlySet<string>): readonly Sized[] {
  const nodes = walk(source.program).filter(({ node }) => types.has(node.type));
  return nodes.map(({ node }) => ({ where: where(source, node), size: linesOf(source, node) }));
}

function tooLarge(sizes: readonly Sized[], most: number): readonly string[] {
  return sizes.filter(({ size }) => size > most).map(({ where, size }) => `${where}: ${size}`);
}

function assertMeasure(sizes: readonly Sized[], { most, usual }: Measure): void {
  assert.deepEqual(tooLarge(sizes, most), [], `more than ${most}`);
  const over = tooLarge(sizes, usual);
  const allowed = Math.floor(sizes.length * 0.05);
  assert.ok(
    over.length <= allowed,
    `${over.length} of ${sizes.length} over ${usual}, ${allowed} may be: ${over.join(', ')}`,
  );
}

function fieldsOf(node: SyntaxNode): number {
  const body = node['body'];
  const members = isNode(body) && Array.isArray(body['body']) ? body['body'].filter(isNode) : [];
  const own = members.filter((member) => /^(PropertyDefinition|AccessorProperty)$/.test(member.type));
  const inParameters = walk(node).filter(
    (visit) => visit.node.type === 'TSParameterProperty' && classAround(visit) === node,
  );
  return own.length + inParameters.length;
}

function classAround({ parent }: Visit): SyntaxNode | null {
  if (parent === null) return null;
  return classes.has(parent.node.type) ? parent.node : classAround(parent);
}

function emptyCatches(source: Source): readonly string[] {
  const found = walk(source.program).filter(({ node }) => {
    const body = node.type === 'CatchClause' ? node['body'] : null;
    return isNode(body) && Array.isArray(body['body']) && body['body'].length === 0;
  });
  return found.map(({ node }) => where(source, node));
}

function anys(source: Source): readonly string[] {
  const found = walk(source.program).filter(({ node }) => node.type === 'TSAnyKeyword');
  return found.map(({ node }) => where(source, node));
}

/** Silencing the compiler or the linter is a way round every other measure. */
function silencers(source: Source): readonly string[] {
  const lines = source.text.split('\n');
  const mark = /@ts-(ignore|expect-error|nocheck)|biome-ignore/;
  return lines.flatMap((line, index) => (mark.test(line) ? [`${source.path}:${index + 1}`] : []));
}

describe('house measures', () => {
  const product = sources('src', 'webview', '.ci');
  const tests = sources('test').filter((source) => !source.path.endsWith('house/measures.test.ts'));
  const all = [...product, ...tests];

  it('files keep their size', () => {
    assertMeasure(
      all.map((source) => ({ where: source.path, size: lineCount(source.text) })),
      fileLines,
    );
  });

  it('functions keep their size', () => {
    assertMeasure(
      product.flatMap((source) => sizesOf(source, functions)),
      functionLines,
    );
  });

  it('classes keep their size and number of fields', () => {
    const sizes = product.flatMap((source) => sizesOf(source, classes));
    assert.deepEqual(tooLarge(sizes, CLASS_LINES), []);
    const fields = product.flatMap((source) =>
      walk(source.program)
        .filter(({ node }) => classes.has(node.type))
        .map(({ node }) => ({ where: where(source, node), size: fieldsOf(node) })),
    );
    assert.deepEqual(tooLarge(fields, CLASS_FIELDS), []);
  });

  it('there is no any, no empty catch and nothing that silences a check', () => {
    assert.deepEqual(all.flatMap(anys), []);
    assert.deepEqual(all.flatMap(emptyCatches), []);
    assert.deepEqual(all.flatMap(silencers), []);
  });

  it('sees what it measures', () => {
    const text = `class A {\n  #x = 1;\n  static y = 2;\n  constructor(private z: any) {}\n  f = () => {\n    try {} catch {}\n  };\n}\n`;
    const source = parseText('a.ts', text);
    assert.deepEqual(sizesOf(source, classes), [{ where: 'a.ts:1', size: 8 }]);
    assert.deepEqual(
      sizesOf(source, functions).map(({ size }) => size),
      [1, 3],
    );
    const [first] = walk(source.program).filter(({ node }) => classes.has(node.type));
    assert.ok(first);
    assert.equal(fieldsOf(first.node), 4);
    assert.deepEqual(anys(source), ['a.ts:4']);
    assert.deepEqual(emptyCatches(source), ['a.ts:6']);
  });
});
