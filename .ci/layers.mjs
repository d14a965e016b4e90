/** The test layers: how each one runs, and how its outcome is counted. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { build } from './build.mjs';
import { root, testName, testOptions, workers } from './bundles.mjs';

export const nodeLayers = ['unit', 'rules', 'scenario', 'contract', 'fault', 'house'];

/** Milliseconds that one test may take, and a whole layer. */
const timeouts = {
  unit: 20_000,
  rules: 20_000,
  scenario: 60_000,
  contract: 30_000,
  fault: 120_000,
  house: 60_000,
};
const LAYER_MS = 20 * 60_000;
const EDITOR_TEST_MS = 180_000;
/** After its last test a layer's process must end by itself within this time. */
const LINGER_MS = 15_000;

export const outcome = (layer) => ({
  layer,
  passed: 0,
  failed: 0,
  pending: 0,
  failures: [],
  note: '',
  output: '',
  ms: 0,
});

export function addFailure(result, title, error) {
  result.failed += 1;
  result.failures.push({ title, error });
}

/** Test files of a layer, sorted. */
export function testFiles(layer) {
  const folder = join(root, 'test', layer);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', layer, name))
    .sort();
}

/** Bundles test files; those that don't compile are told one by one and the others still run. */
async function bundleInto(result, files, outDir) {
  mkdirSync(outDir, { recursive: true });
  const bundled = (list) => list.map((file) => join(outDir, `${testName(file)}.cjs`));
  try {
    await esbuild.build({ ...testOptions(files, outDir), logLevel: 'silent' });
    return bundled(files);
  } catch {
    const good = [];
    for (const file of files) {
      try {
        await esbuild.build({ ...testOptions([file], outDir), logLevel: 'silent' });
        good.push(file);
      } catch (error) {
        addFailure(result, `${file} does not compile`, error.message);
      }
    }
    return bundled(good);
  }
}

async function addWorkers(result, outDir) {
  try {
    await build({ only: workers, outDir, quiet: true });
  } catch (error) {
    addFailure(result, 'a worker does not compile', error.message);
  }
}

/** Reads a journal of `.ci/mocha.mjs` into a result. */
export function count(result, journal, ended) {
  const rows = existsSync(journal)
    ? readFileSync(journal, 'utf8').split('\n').filter(Boolean).map(JSON.parse)
    : [];
  let running = null;
  for (const row of rows) {
    if (row.type === 'start') running = row.title;
    if (row.type === 'pass') result.passed += 1;
    if (row.type === 'pending') result.pending += 1;
    if (row.type === 'fail') addFailure(result, row.title, row.error);
    if (row.type !== 'start') running = null;
  }
  const complete = rows.at(-1)?.type === 'end';
  if (!complete)
    addFailure(result, running ?? 'before or between tests', `the layer did not finish: ${ended}`);
  return complete;
}

/** Runs a layer whose tests are plain Node. */
export async function runNodeLayer(layer, env = process.env) {
  const result = outcome(layer);
  const files = testFiles(layer);
  if (files.length === 0) return { ...result, note: 'no test files' };
  const began = Date.now();
  const outDir = join(root, 'out', `${layer}-${process.pid}`);
  try {
    const bundled = await bundleInto(result, files, outDir);
    await addWorkers(result, outDir);
    if (bundled.length > 0) {
      const journal = join(outDir, 'journal.jsonl');
      const timeout = timeouts[layer] ?? EDITOR_TEST_MS;
      const ended = await runProcess(journal, [String(timeout), ...bundled], env);
      const complete = count(result, journal, ended.why + ended.output);
      if (complete && ended.why !== '') addFailure(result, `after the tests of ${layer}`, ended.why);
      if (result.failed > 0) result.output = ended.output.trim();
    }
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
  return { ...result, ms: Date.now() - began };
}

/** Starts mocha in a process of its own; ends it when it hangs. `why` is empty if it ended by itself. */
function runProcess(journal, args, env) {
  const mocha = join(root, '.ci/mocha.mjs');
  const child = spawn(process.execPath, ['--enable-source-maps', mocha, journal, ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  let output = '';
  const keep = (chunk) => {
    output = (output + chunk).slice(-20_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  let why = '';
  const end = (reason) => {
    why = reason;
    child.kill('SIGKILL');
  };
  const whole = setTimeout(() => end(`it took more than ${LAYER_MS / 1000} s\n`), LAYER_MS);
  let lingering;
  const watch = setInterval(() => {
    if (lingering !== undefined || !existsSync(journal)) return;
    if (!readFileSync(journal, 'utf8').endsWith('{"type":"end"}\n')) return;
    lingering = setTimeout(() => end('something keeps the process alive after the last test\n'), LINGER_MS);
  }, 1000);
  return new Promise((done) => {
    child.once('close', (code, signal) => {
      clearTimeout(whole);
      clearTimeout(lingering);
      clearInterval(watch);
      if (why === '' && signal !== null) why = `ended by ${signal}\n`;
      done({ why: why === '' && code !== 0 && code !== 1 ? `exit code ${code}\n` : why, output });
    });
  });
}

/** Runs a layer whose tests are inside the extension host of a real VS Code with the packaged extension installed. */
export const runEditorLayer = (vsix) => inEditor(vsix, (driver, options) => driver.hostSuite(options));

/** The same inside a desktop VS Code. */
export const runElectronLayer = (vsix, executable) =>
  inEditor(vsix, (driver, options) => driver.electronSuite(executable, options));

async function inEditor(vsix, runSuite) {
  const result = outcome('vscode');
  const files = testFiles('vscode');
  if (files.length === 0) return { ...result, note: 'no test files' };
  const began = Date.now();
  const outDir = join(root, 'out', `vscode-${process.pid}`);
  const scratch = mkdtempSync(join(tmpdir(), 'teamroom-vscode-'));
  try {
    const bundled = await bundleInto(result, files, outDir);
    const driver = await loadDriver(outDir);
    const journal = join(outDir, 'journal.jsonl');
    const log = [];
    let ended = '';
    try {
      await runSuite(driver, {
        root,
        vsix,
        scratch,
        files: bundled,
        journal,
        testMs: EDITOR_TEST_MS,
        layerMs: LAYER_MS,
        log: (line) => log.push(line),
      });
    } catch (error) {
      ended = `${error.stack}\n${log.slice(-40).join('\n')}`;
    }
    count(result, journal, ended);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
    rmSync(scratch, { recursive: true, force: true });
  }
  return { ...result, ms: Date.now() - began };
}

/** The driver of a real VS Code is written for the tests; the scripts here use the same. */
export async function loadDriver(outDir) {
  mkdirSync(outDir, { recursive: true });
  const file = 'test/support/vscode/index.ts';
  await esbuild.build(testOptions([file], outDir));
  const { default: driver } = await import(join(outDir, `${testName(file)}.cjs`));
  return driver;
}
