/** The licences of the packages that are bundled, as their authors ask to have them passed on. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundles.mjs';

/** Names of the packages among a bundle's inputs ("node_modules/@a/b/c.js"). */
export function packagesIn(inputs) {
  const names = inputs.map(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(path)?.[1],
  );
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** One text with each package's name, version, licence and the licence's words. */
export function licenceText(names) {
  return [...new Set(names)]
    .sort()
    .map(ofPackage)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function ofPackage(name) {
  const folder = join(root, 'node_modules', name);
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(entry));
  const words =
    file !== undefined && existsSync(join(folder, file)) ? readFileSync(join(folder, file), 'utf8') : '';
  return `${name} ${version} (${license})\n\n${words.trim()}\n`;
}
