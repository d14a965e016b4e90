/**
 * Builds dist/: `node .ci/build.mjs [--dev] [--watch] [bundle names…]`. Prints each bundle's size against its limit
 * and fails when one is over it.
 */
import { copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { bundles, exists, KB, productOptions, root } from './bundles.mjs';

/**
 * @param {{ only?: string[], minify?: boolean, outDir?: string, quiet?: boolean }} options
 * @returns the bundles built, with their sizes in bytes; throws when one fails or is over its limit
 */
export async function build({ only = [], minify = true, outDir = join(root, 'dist'), quiet = false } = {}) {
  const say = (line) => quiet || console.log(line);
  const wanted = bundles.filter((bundle) => only.length === 0 || only.includes(bundle.name));
  if (only.length === 0) rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  const results = [];
  for (const bundle of wanted) {
    if (!exists(bundle)) {
      say(`skipped  ${bundle.name}: there is no ${bundle.needs ?? bundle.entry}`);
      continue;
    }
    const outFile = join(outDir, bundle.out.replace(/^dist\//, ''));
    await esbuild.build(productOptions(bundle, outFile, { minify }));
    for (const copy of bundle.copies ?? [])
      copyFileSync(join(root, copy.from), join(dirname(outFile), copy.to));
    const bytes = statSync(outFile).size;
    results.push({ name: bundle.name, bytes, limit: bundle.limit });
    say(
      `built    ${bundle.name.padEnd(12)} ${(bytes / KB).toFixed(1).padStart(7)} of ${bundle.limit / KB} KB`,
    );
  }
  const over = minify ? results.filter((result) => result.bytes > result.limit) : [];
  if (over.length > 0) {
    const names = over
      .map((o) => `${o.name} (${(o.bytes / KB).toFixed(1)} of ${o.limit / KB} KB)`)
      .join(', ');
    throw new Error(`over the size limit: ${names}`);
  }
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
