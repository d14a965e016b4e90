/**
 * Runs given test files in Node: `node .ci/one.mjs FILE… [-- mocha arguments]`. They are bundled into a folder of
 * this run under out/ (beside them the workers), which is removed afterwards.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { build } from './build.mjs';
import { root, testName, testOptions, workers } from './bundles.mjs';

const mochaBin = join(dirname(createRequire(import.meta.url).resolve('mocha/package.json')), 'bin/mocha.js');

/** Bundles test files and the workers into `outDir`; answers the bundled files. */
export async function bundleTests(files, outDir) {
  mkdirSync(outDir, { recursive: true });
  await esbuild.build(testOptions(files, outDir));
  await build({ only: workers, outDir, quiet: true });
  return files.map((file) => join(outDir, `${testName(file)}.cjs`));
}

/**
 * @param {string[]} files test files
 * @param {string[]} mochaArgs
 * @returns mocha's exit code (the number of failures, or 1)
 */
export async function runInNode(files, mochaArgs = [], env = process.env) {
  const outDir = join(root, 'out', `run-${process.pid}-${Date.now()}`);
  try {
    const bundled = await bundleTests(files, outDir);
    const child = spawn(
      process.execPath,
      [
        '--enable-source-maps',
        mochaBin,
        '--no-config',
        '--no-package',
        '--timeout',
        '20000',
        ...mochaArgs,
        ...bundled,
      ],
      { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env },
    );
    return await new Promise((done, fail) => {
      child.once('error', fail);
      child.once('close', (code) => done(code ?? 1));
    });
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  const args = process.argv.slice(2);
  const split = args.indexOf('--');
  const files = split < 0 ? args : args.slice(0, split);
  if (files.length === 0) {
    console.error('usage: node .ci/one.mjs FILE… [-- mocha arguments]');
    process.exitCode = 2;
  } else {
    try {
      process.exitCode = await runInNode(files, split < 0 ? [] : args.slice(split + 1));
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  }
}
