/**
 * What is built from what: the product's bundles, their size limits, and the esbuild options that the product and
 * the tests have in common. Entries that don't exist are skipped with a line that says so.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { webviewPlugins } from './webview.mjs';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');

/** Sizes are counted in units of 1,000 bytes. */
export const KB = 1000;

/**
 * A module of ours, or a package, that is a bundle of its own. Where another bundle reaches it by `await import(…)`,
 * the call becomes a `require` of the sibling file at that moment; a static import of it is bundled in as usual.
 */
const lazySiblings = [
  { file: join(root, 'src/vscode/engineHost.ts'), bundle: './engine.js' },
  { file: join(root, 'src/tools/patch/planText.ts'), bundle: './patch.js' },
  { file: join(root, 'src/model/rehearsal/script.ts'), bundle: './rehearsal.js' },
  { file: join(root, 'src/model/openai/adapter.ts'), bundle: './openaiAdapter.js' },
  { package: 'openai', bundle: './openai.js' },
];

/**
 * Packages, and one module of ours, that are needed seldom but synchronously: each is a bundle of its own too, required
 * at the first call of one of its functions.
 */
const shellParser = {
  file: 'src/workspace/shell/reading.ts',
  bundle: './shellParser.js',
  functions: ['readingCommand'],
};
const globs = { package: 'picomatch', bundle: './globs.js', functions: ['default'] };
const ignoreRules = { package: 'ignore', bundle: './ignoreRules.js', functions: ['default'] };
const diff = { package: 'diff', bundle: './diff.js', functions: ['diffArrays'] };
const merge = { package: 'node-diff3', bundle: './merge.js', functions: ['diff3Merge'] };
const deferred = [shellParser, globs, ignoreRules, diff, merge];

const sourceOf = ({ package: name, functions }) => `export { ${functions.join(', ')} } from '${name}';`;

export const bundles = [
  {
    name: 'extension',
    entry: 'src/extension.ts',
    out: 'dist/extension.js',
    limit: 100 * KB,
    platform: 'node',
  },
  {
    name: 'engine',
    entry: 'src/vscode/engineHost.ts',
    out: 'dist/engine.js',
    limit: 600 * KB,
    platform: 'node',
  },
  {
    name: 'openai',
    // By name, so that the rest of the package can be left out (395 instead of 422 KB).
    source: "export { default, OpenAI, APIError, APIConnectionError, APIUserAbortError } from 'openai';",
    needs: 'src/model/openai.ts',
    out: 'dist/openai.js',
    limit: 400 * KB,
    platform: 'node',
  },
  {
    name: 'openaiAdapter',
    entry: 'src/model/openai/adapter.ts',
    out: 'dist/openaiAdapter.js',
    limit: 50 * KB,
    platform: 'node',
  },
  {
    name: 'shellParser',
    entry: shellParser.file,
    out: 'dist/shellParser.js',
    limit: 140 * KB,
    platform: 'node',
  },
  {
    name: 'globs',
    source: sourceOf(globs),
    needs: 'src/workspace/globs.ts',
    out: 'dist/globs.js',
    limit: 30 * KB,
    platform: 'node',
  },
  {
    name: 'ignoreRules',
    source: sourceOf(ignoreRules),
    needs: 'src/workspace/ignore.ts',
    out: 'dist/ignoreRules.js',
    limit: 20 * KB,
    platform: 'node',
  },
  {
    name: 'diff',
    source: sourceOf(diff),
    needs: 'src/workspace/ledger.ts',
    out: 'dist/diff.js',
    limit: 20 * KB,
    platform: 'node',
  },
  {
    name: 'merge',
    source: sourceOf(merge),
    needs: 'src/workspace/ledger.ts',
    out: 'dist/merge.js',
    limit: 10 * KB,
    platform: 'node',
  },
  {
    name: 'rehearsal',
    entry: 'src/model/rehearsal/script.ts',
    out: 'dist/rehearsal.js',
    limit: 30 * KB,
    platform: 'node',
  },
  {
    name: 'patch',
    entry: 'src/tools/patch/planText.ts',
    out: 'dist/patch.js',
    limit: 40 * KB,
    platform: 'node',
  },
  {
    name: 'storeWorker',
    entry: 'src/store/worker.ts',
    out: 'dist/storeWorker.js',
    limit: 200 * KB,
    platform: 'node',
    copies: [{ from: 'node_modules/sql.js/dist/sql-wasm.wasm', to: 'sql-wasm.wasm' }],
  },
  {
    name: 'attributionWorker',
    entry: 'src/workspace/attribution/worker.ts',
    out: 'dist/attributionWorker.js',
    limit: 200 * KB,
    platform: 'node',
  },
  { name: 'webview', entry: 'webview/main.ts', out: 'dist/webview.js', limit: 200 * KB, platform: 'browser' },
  {
    name: 'markdown',
    // Read by the page while its first script already waits for the host's answer.
    entry: 'webview/markdownScript.ts',
    out: 'dist/markdown.js',
    limit: 100 * KB,
    platform: 'browser',
  },
  { name: 'headless', entry: 'src/headless.ts', out: 'dist/headless.js', limit: 1200 * KB, platform: 'node' },
];

/** Threads of their own; tests find them beside themselves. */
export const workers = ['storeWorker', 'attributionWorker'];

export const exists = (bundle) => existsSync(join(root, bundle.needs ?? bundle.entry));

/** Turns `import()` of a sibling bundle into a `require` of its file. */
function siblings(self) {
  return {
    name: 'siblings',
    setup(build) {
      build.onResolve({ filter: /./ }, async (args) => {
        if (args.kind !== 'dynamic-import' || args.pluginData === 'siblings') return undefined;
        const byPackage = lazySiblings.find((s) => s.package === args.path);
        if (byPackage !== undefined) return { path: byPackage.bundle, external: true };
        if (!args.path.startsWith('.')) return undefined;
        const found = await build.resolve(args.path, {
          kind: args.kind,
          resolveDir: args.resolveDir,
          importer: args.importer,
          pluginData: 'siblings',
        });
        const byFile = lazySiblings.find((s) => s.file === found.path);
        if (byFile === undefined || byFile.bundle === `./${self}.js`) return undefined;
        return { path: byFile.bundle, external: true };
      });
    },
  };
}

const shimOf = ({ bundle, functions }) =>
  functions
    .map((name) => {
      const call = `(...args) => require('${bundle}').${name}(...args);`;
      return name === 'default' ? `export default ${call}` : `export const ${name} = ${call}`;
    })
    .join('\n');

/** Puts functions that load a bundle when they are called in the place of what it holds. */
const defer = {
  name: 'defer',
  setup(build) {
    for (const each of deferred) {
      const { package: name, file } = each;
      if (file !== undefined) {
        const path = new RegExp(`${file.replaceAll('/', '[\\\\/]')}$`);
        build.onLoad({ filter: path }, () => ({ contents: shimOf(each), resolveDir: root }));
      } else build.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: 'defer' }));
    }
    build.onResolve({ filter: /^\.\/\w+\.js$/ }, ({ path }) =>
      deferred.some(({ bundle }) => bundle === path) ? { path, external: true } : undefined,
    );
    build.onResolve({ filter: /./, namespace: 'defer' }, (args) => ({ path: args.path, external: true }));
    build.onLoad({ filter: /./, namespace: 'defer' }, ({ path }) => ({
      contents: deferred
        .filter((each) => each.package === path)
        .map(shimOf)
        .join('\n'),
    }));
  },
};

const loaders = { '.md': 'text', '.ttf': 'file', '.woff2': 'file', '.svg': 'text' };

function pluginsOf(bundle) {
  if (bundle.platform === 'browser') return webviewPlugins(root);
  if (bundle.name === 'headless') return [];
  return bundle.name === 'engine' ? [siblings('engine'), defer] : [siblings(bundle.name)];
}

/** esbuild's options for one of the product's bundles, written to `outFile` (absolute). */
export function productOptions(bundle, outFile, { minify = true } = {}) {
  const browser = bundle.platform === 'browser';
  return {
    absWorkingDir: root,
    ...(bundle.source === undefined
      ? { entryPoints: [{ in: bundle.entry, out: basename(outFile, '.js') }] }
      : { stdin: { contents: bundle.source, resolveDir: root, sourcefile: `${bundle.name}.ts` } }),
    entryNames: basename(outFile, '.js'),
    outdir: dirname(outFile),
    bundle: true,
    platform: bundle.platform,
    format: browser ? 'iife' : 'cjs',
    target: browser ? 'es2022' : 'node20',
    external: ['vscode'],
    // In CommonJS a real import() would go round the editor's hook for `require('vscode')`.
    supported: browser ? {} : { 'dynamic-import': false },
    loader: loaders,
    assetNames: '[name]',
    legalComments: 'none',
    minify,
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'silent',
    define: browser ? { 'process.env.NODE_ENV': '"production"' } : {},
    plugins: pluginsOf(bundle),
  };
}

/** esbuild's options for test files: packages stay outside, lazy bundles are bundled in. */
export function testOptions(files, outDir) {
  return {
    absWorkingDir: root,
    entryPoints: files.map((file) => ({ in: resolve(root, file), out: testName(file) })),
    outdir: outDir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    packages: 'external',
    external: ['vscode'],
    loader: loaders,
    sourcemap: 'linked',
    logLevel: 'warning',
  };
}

/** A flat name for a test file: the product's own siblings (the worker) are found beside it. */
export const testName = (file) =>
  relative(root, resolve(root, file)).replaceAll(/[\\/]/g, '.').replace(/\.ts$/, '');

export const manifest = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
