/**
 * Builds and runs all test layers: `npm test [-- layer… --oldest]`. Prints each layer's counts and ends with exactly one line
 * "N passed, N failed"; anything that keeps a layer from running counts as failed.
 */
import { spawn } from 'node:child_process';
import { ensureBrowser, ensurePackages } from './prepare.mjs';

const began = Date.now();
const editorLayers = ['vscode', 'e2e'];
const totals = { passed: 0, failed: 0 };

function report(result) {
  totals.passed += result.passed;
  totals.failed += result.failed;
  const pending = result.pending > 0 ? `, ${result.pending} pending` : '';
  const counts = `${String(result.passed).padStart(5)} passed, ${result.failed} failed${pending}`;
  const note = result.note === '' ? '' : `  (${result.note})`;
  console.log(`${result.layer.padEnd(9)}${counts}  ${(result.ms / 1000).toFixed(1)} s${note}`);
  for (const { title, error } of result.failures) console.log(`\n  FAILED ${title}\n${indent(error)}\n`);
  if (result.output !== '')
    console.log(`  What the layer printed:\n${indent(result.output.split('\n').slice(-60).join('\n'))}\n`);
}

const indent = (text) =>
  String(text)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

/** Type checks and lint, each one a test. */
async function checkLayer(outcome, addFailure) {
  const result = outcome('check');
  const start = Date.now();
  const checks = [
    ['tsc', '-p', 'tsconfig.json'],
    ['tsc', '-p', 'src/tsconfig.json'],
    ['tsc', '-p', 'src/shared/tsconfig.json'],
    ['tsc', '-p', 'webview/tsconfig.json'],
    ['biome', 'check', '--error-on-warnings', '.'],
  ];
  for (const [bin, ...args] of checks) {
    const { code, output } = await run(`node_modules/.bin/${bin}`, args);
    if (code === 0) result.passed += 1;
    else addFailure(result, [bin, ...args].join(' '), output.slice(0, 6000));
  }
  return { ...result, ms: Date.now() - start };
}

function run(command, args) {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.once('error', (error) => done({ code: 1, output: String(error) }));
    child.once('close', (code) => done({ code, output }));
  });
}

/** Builds all bundles and the VSIX. @returns the VSIX or null */
async function buildLayer(outcome, addFailure, vsixFile) {
  const result = outcome('build');
  const start = Date.now();
  let vsix = null;
  try {
    const { buildEach } = await import('./build.mjs');
    for (const { name, problem } of await buildEach()) {
      if (problem === undefined) result.passed += 1;
      else addFailure(result, `bundle ${name}`, problem);
    }
    const { packageVsix } = await import('./vsix.mjs');
    vsix = await packageVsix(vsixFile);
    result.passed += 1;
    result.note = `VSIX ${(vsix.bytes / 1000).toFixed(0)} KB`;
  } catch (error) {
    addFailure(result, 'build and package', error.stack ?? error);
  }
  report({ ...result, ms: Date.now() - start });
  return vsix;
}

/** Runs jobs two at a time (the machine may have no more than two cores) and reports in order. */
async function inPairs(jobs) {
  const running = [];
  let next = 0;
  const worker = async () => {
    while (next < jobs.length) {
      const index = next++;
      running[index] = await jobs[index]();
    }
  };
  await Promise.all([worker(), worker()]);
  for (const result of running) report(result);
}

async function main(wanted) {
  ensurePackages();
  const layers = await import('./layers.mjs');
  const { addFailure, nodeLayers, outcome, runEditorLayer, runNodeLayer } = layers;
  const all = ['check', 'build', ...nodeLayers, ...editorLayers];
  const unknown = wanted.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new Error(`no such layer: ${unknown.join(', ')}; there are ${all.join(', ')}`);
  const chosen = (name) => wanted.length === 0 || wanted.includes(name);

  const safely = (layer, job) => async () => {
    try {
      return await job();
    } catch (error) {
      const result = outcome(layer);
      addFailure(result, `the layer ${layer}`, error.stack ?? error);
      return result;
    }
  };

  const needsEditor = editorLayers.filter(chosen).filter((layer) => layers.testFiles(layer).length > 0);
  const needsBuild = ['build', 'house', 'fault'].some(chosen) || needsEditor.length > 0;
  const vsix = needsBuild ? await buildLayer(outcome, addFailure) : null;
  const jobs = chosen('check') ? [safely('check', () => checkLayer(outcome, addFailure))] : [];
  for (const layer of nodeLayers.filter(chosen)) jobs.push(safely(layer, () => runNodeLayer(layer)));
  await inPairs(jobs);

  const noBrowser = needsEditor.length > 0 ? ensureBrowser() : null;
  for (const layer of editorLayers.filter(chosen)) {
    const job = async () => {
      if (!needsEditor.includes(layer)) return { ...outcome(layer), note: 'no test files' };
      if (vsix === null) throw new Error('there is no VSIX to install');
      if (noBrowser !== null) throw new Error(noBrowser);
      if (layer === 'vscode') return await runEditorLayer(vsix.path);
      return await runNodeLayer(layer, { ...process.env, TEAMROOM_VSIX: vsix.path });
    };
    report(await safely(layer, job)());
  }
}

if (process.argv.includes('--oldest')) process.env.TEAMROOM_VSCODE = 'oldest';
try {
  await main(process.argv.slice(2).filter((arg) => !arg.startsWith('-')));
} catch (error) {
  totals.failed += 1;
  console.error(error instanceof Error ? (error.stack ?? error.message) : error);
}
console.log(`all layers took ${((Date.now() - began) / 1000).toFixed(0)} s`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed > 0 || totals.passed === 0 ? 1 : 0;
