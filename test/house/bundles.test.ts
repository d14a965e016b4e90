import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/house/sources';

/** Bytes; a bundle that is larger makes every window or every task slower to start. */
const limits = {
  'extension.js': 100_000,
  'engine.js': 600_000,
  'openai.js': 400_000,
  'openaiAdapter.js': 50_000,
  'shellParser.js': 140_000,
  'globs.js': 30_000,
  'ignoreRules.js': 20_000,
  'diff.js': 20_000,
  'merge.js': 10_000,
  'rehearsal.js': 30_000,
  'patch.js': 40_000,
  'storeWorker.js': 200_000,
  'attributionWorker.js': 200_000,
  'webview.js': 200_000,
  'markdown.js': 100_000,
} as const;

const dist = (name: string) => join(root, 'dist', name);

const requires = (text: string, name: string) =>
  text.includes(`require("${name}")`) || text.includes(`require('${name}')`);

/** Runs a script in a plain Node, outside the test's process. */
const inNode = (script: string) =>
  execFileSync(process.execPath, ['-e', script], { cwd: root, encoding: 'utf8' });

describe('bundles', () => {
  for (const [name, limit] of Object.entries(limits)) {
    it(`${name} is at most ${limit / 1000} KB`, () => {
      assert.ok(existsSync(dist(name)), `${name} is built`);
      const { size } = statSync(dist(name));
      assert.ok(size <= limit, `${size} bytes`);
    });
  }

  it('the headless bundle needs no editor', () => {
    const text = readFileSync(dist('headless.js'), 'utf8');
    assert.ok(!requires(text, 'vscode'));
  });

  it('activation loads no engine: the engine is a file of its own that is required when needed', () => {
    const text = readFileSync(dist('extension.js'), 'utf8');
    assert.ok(requires(text, './engine.js'));
    assert.ok(!requires(text, './openai.js'));
  });

  it('the engine loads the parser of command lines with the first command that is judged', () => {
    assert.ok(requires(readFileSync(dist('engine.js'), 'utf8'), './shellParser.js'));
    const script =
      "const { readingCommand } = require('./dist/shellParser.js'); console.log(readingCommand('ls a').reading)";
    assert.equal(inNode(script).trim(), 'true');
  });

  it('the engine loads what compares, merges and patches texts, and the rules of ignore files, when it needs them', () => {
    const engine = readFileSync(dist('engine.js'), 'utf8');
    for (const [file, script, printed] of [
      ['./diff.js', "diffArrays(['a'], ['b']).length", '2'],
      ['./merge.js', "diff3Merge(['a'], ['a'], ['b'])[0].ok.join()", 'b'],
      ['./ignoreRules.js', "default({ ignorecase: false }).add('a').ignores('a')", 'true'],
      ['./patch.js', 'planPatchText.length', '3'],
      ['./rehearsal.js', 'rehearse.length', '1'],
    ] as const) {
      assert.ok(requires(engine, file), file);
      assert.equal(inNode(`console.log(require('./dist/${file.slice(2)}').${script})`).trim(), printed);
    }
  });

  it('the engine loads the matcher of globs with the first pattern', () => {
    assert.ok(requires(readFileSync(dist('engine.js'), 'utf8'), './globs.js'));
    const script = "console.log(require('./dist/globs.js').default('*.ts')('a.ts'))";
    assert.equal(inNode(script).trim(), 'true');
  });

  it('the engine loads the model client only when a model is called', () => {
    const text = readFileSync(dist('engine.js'), 'utf8');
    assert.ok(requires(text, './openaiAdapter.js') && !requires(text, './openai.js'));
    assert.ok(requires(readFileSync(dist('openaiAdapter.js'), 'utf8'), './openai.js'));
    const names = inNode("console.log(Object.keys(require('./dist/openai.js')).sort().join())");
    assert.match(names, /APIError/);
    assert.match(names, /OpenAI/);
  });
});
