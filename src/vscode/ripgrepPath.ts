import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The ripgrep that VS Code ships, or null: then files are searched without it. Where it lies has changed with the
 * versions; each place below was seen in one.
 */
export function ripgrepPath(appRoot: string): string | null {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const platform = `${process.platform}-${process.arch}`;
  const places = ['node_modules', 'node_modules.asar.unpacked'].flatMap((modules) => [
    join(appRoot, modules, '@vscode/ripgrep-universal/bin', platform, name),
    join(appRoot, modules, '@vscode/ripgrep/bin', name),
  ]);
  return places.find((path) => existsSync(path)) ?? null;
}
