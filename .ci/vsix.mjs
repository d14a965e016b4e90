/** Packages dist/ and the manifest into a VSIX: `node .ci/vsix.mjs [FILE]`. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createVSIX } from '@vscode/vsce';
import { KB, manifest, root } from './bundles.mjs';

export const VSIX_LIMIT = 2000 * KB;

/** @returns the path and size of the VSIX; throws when it is over its limit */
export async function packageVsix(packagePath = join(root, 'out', `teamroom-${manifest().version}.vsix`)) {
  mkdirSync(dirname(packagePath), { recursive: true });
  await createVSIX({
    cwd: root,
    packagePath,
    dependencies: false,
    allowMissingRepository: true,
    skipLicense: false,
    // The bundles are built already.
    useYarn: false,
  });
  const bytes = statSync(packagePath).size;
  if (bytes > VSIX_LIMIT) throw new Error(`the VSIX has ${bytes} bytes, more than ${VSIX_LIMIT}`);
  return { path: packagePath, bytes };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
  const { path, bytes } = await packageVsix(
    process.argv[2] === undefined ? undefined : resolve(process.argv[2]),
  );
  console.log(`${path} ${(bytes / KB).toFixed(1)} KB`);
}
