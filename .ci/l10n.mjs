/**
 * Lists every sentence that people read for translators: `node .ci/l10n.mjs` writes l10n/bundle.l10n.json, and
 * `--check` only says what has changed since. The manifest's own words are package.nls.json. A translation is a
 * file beside each, `bundle.l10n.<language>.json` and `package.nls.<language>.json`, and nothing else.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from './bundles.mjs';

const bundle = join(root, 'l10n/bundle.l10n.json');

/** Passes a message on that its caller has written; the calls are looked at instead. */
const passedOn = new Set(['message', 'english']);

function filesUnder(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesUnder(path);
    return path.endsWith('.ts') ? [path] : [];
  });
}

function nodesOf(path) {
  const { program, errors } = parseSync(path, readFileSync(join(root, path), 'utf8'));
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const found = [];
  const visit = (node) => {
    found.push(node);
    for (const value of Object.values(node))
      for (const item of Array.isArray(value) ? value : [value])
        if (typeof item?.type === 'string') visit(item);
  };
  visit(program);
  return found;
}

/** `t(…)` and `vscode.l10n.t(…)`. */
function isTranslation({ type, callee }) {
  if (type !== 'CallExpression') return false;
  const { object, property } = callee;
  return callee.name === 't' || (property?.name === 't' && object?.property?.name === 'l10n');
}

/** The editor looks a sentence up by its English words: one that is put together would never be found. */
function sentencesIn(path) {
  return nodesOf(path)
    .filter(isTranslation)
    .flatMap((call) => {
      const [first] = call.arguments;
      if (typeof first?.value === 'string') return [first.value];
      if (passedOn.has(first?.name)) return [];
      throw new Error(`${path}: at ${call.start}, what is translated is not one literal sentence`);
    });
}

/** The table of words that the webview and the documents share: its values. */
function wordsOf(path) {
  return nodesOf(path)
    .filter((node) => node.type === 'Property' && typeof node.value.value === 'string')
    .map((node) => node.value.value);
}

/** @returns the text of the bundle as it should be */
function written() {
  const files = ['src/extension.ts', ...filesUnder('src/vscode')];
  const all = [...files.flatMap(sentencesIn), ...wordsOf('src/shared/english.ts')];
  const sorted = [...new Set(all)].sort();
  return `${JSON.stringify(Object.fromEntries(sorted.map((text) => [text, text])), null, 2)}\n`;
}

const wanted = written();
if (!process.argv.includes('--check')) writeFileSync(bundle, wanted);
else {
  const has = Object.keys(JSON.parse(readFileSync(bundle, 'utf8')));
  const wants = Object.keys(JSON.parse(wanted));
  const missing = wants.filter((text) => !has.includes(text)).map((text) => `missing: ${text}`);
  const unused = has.filter((text) => !wants.includes(text)).map((text) => `no longer said: ${text}`);
  const told = [...missing, ...unused];
  if (told.length > 0) console.error([...told, 'node .ci/l10n.mjs writes it'].join('\n'));
  process.exitCode = told.length > 0 ? 1 : 0;
}
