import { join } from 'node:path';
import { buildSync } from 'esbuild';

/** Bundles a TypeScript file of the project (path from its root) to run in a process of its own; answers its path. */
export function bundleFor(child: string, folder: string): string {
  const outfile = join(folder, `${child.replaceAll('/', '.')}.cjs`);
  buildSync({
    entryPoints: [child],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
  });
  return outfile;
}
