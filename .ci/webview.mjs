/**
 * What makes the webview's bundle small: parts of markdown-it that it does not need are left out, and the indentation
 * of templates and styles, which no minifier may touch, goes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const replaced = /^(entities|uc\.micro|mdurl|punycode\.js|linkify-it)$/;

export const webviewPlugins = (root) => [
  {
    name: 'lean',
    setup(build) {
      build.onResolve({ filter: replaced }, () => ({ path: join(root, 'webview/lean/markdownParts.ts') }));
      // The words come with the host's first post, in the person's language.
      build.onResolve({ filter: /^\.\/english$/ }, () => ({ path: 'english', namespace: 'lean' }));
      build.onLoad({ filter: /./, namespace: 'lean' }, () => ({ contents: 'export const english = {};' }));
      build.onLoad({ filter: /[\\/]webview[\\/].*\.ts$/ }, ({ path }) => {
        if (path.includes('node_modules')) return undefined;
        const flat = readFileSync(path, 'utf8').replace(/\n[ \t]+/g, '\n');
        return { contents: /[sS]tyles\.ts$/.test(path) ? smallStyles(flat) : flat, loader: 'ts' };
      });
    },
  },
];

/** Only inside css`…`: there a line break never separates two words that a space does not. */
const smallStyles = (text) =>
  text.replace(
    /css`([^`]*)`/g,
    (_, styles) => `css\`${styles.replace(/\s*([{};,])\s*/g, '$1').replace(/: /g, ':')}\``,
  );
