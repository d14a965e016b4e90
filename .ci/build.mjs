/**
 * Builds dist/: `node .ci/build.mjs [--dev] [--watch] [bundle names…]`. Prints each bundle's size against its limit
 * and fails when one is over it.
 */
import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { bundles, exists, KB, productOptions, root } from './bundles.mjs';
import { licenceText, packagesIn } from './licences.mjs';

/**
 * Builds all bundles, or those named by `only`. One that can't be built doesn't keep the others from it.
 * @param {{ only?: string[], minify?: boolean, outDir?: string, quiet?: boolean }} options
 * @returns per bundle its size in bytes, or the problem that it has
 */
export async function buildEach({
  only = [],
  minify = true,
  outDir = join(root, 'dist'),
  quiet = false,
} = {}) {
  const say = (line) => quiet || console.log(line);
  const wanted = bundles.filter((bundle) => only.length === 0 || only.includes(bundle.name));
  const began = Date.now();
  mkdirSync(outDir, { recursive: true });
  const results = [];
  for (const bundle of wanted) {
    if (exists(bundle)) results.push(await buildOne(bundle, outDir, minify, say));
    else say(`skipped  ${bundle.name}: there is no ${bundle.needs ?? bundle.entry}`);
  }
  if (only.length === 0) {
    writeFileSync(
      join(outDir, 'LICENCES.txt'),
      licenceText(results.flatMap((result) => result.packages ?? [])),
    );
    removeOlder(outDir, began);
  }
  return results;
}

/** What an earlier build has left and this one has not written again; not removed first, since it may be in use. */
function removeOlder(folder, time) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    // File times are coarser than the clock.
    if (statSync(path).mtimeMs < time - 1000) rmSync(path, { recursive: true });
  }
}

async function buildOne(bundle, outDir, minify, say) {
  const { name, limit } = bundle;
  const outFile = join(outDir, bundle.out.replace(/^dist\//, ''));
  let packages = [];
  try {
    const { metafile } = await esbuild.build(productOptions(bundle, outFile, { minify }));
    packages = packagesIn(Object.keys(metafile.inputs));
    for (const copy of bundle.copies ?? [])
      copyFileSync(join(root, copy.from), join(dirname(outFile), copy.to));
  } catch (error) {
    say(`FAILED   ${name}`);
    return { name, problem: error.message };
  }
  const bytes = statSync(outFile).size;
  const size = `${(bytes / KB).toFixed(1)} of ${limit / KB} KB`;
  const over = minify && bytes > limit;
  say(`${over ? 'TOO BIG ' : 'built   '} ${name.padEnd(12)} ${size}`);
  return over ? { name, problem: `${name} is over its size limit: ${size}` } : { name, bytes, packages };
}

/** The same, but throws when a bundle has a problem. */
export async function build(options) {
  const results = await buildEach(options);
  const problems = results.flatMap((result) => (result.problem === undefined ? [] : [result.problem]));
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return results;
}

async function watch() {
  for (const bundle of bundles.filter(exists)) {
    const context = await esbuild.context(productOptions(bundle, join(root, bundle.out), { minify: false }));
    await context.watch();
  }
  console.log('watching');
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  const args = process.argv.slice(2);
  try {
    await build({ only: args.filter((a) => !a.startsWith('-')), minify: !args.includes('--dev') });
    if (args.includes('--watch')) await watch();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
