/**
 * `npm run test:electron`: the tests of the layer `vscode` in a desktop VS Code, the one in VSCODE_EXECUTABLE or one that
 * is installed. Where there is none, or no display, it says that it did not run and ends with 3: neither passed nor failed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ensurePackages } from './prepare.mjs';

const NOT_RUN = 3;
const places = [
  '/usr/share/code/code',
  '/snap/code/current/usr/share/code/code',
  '/opt/visual-studio-code/code',
  '/Applications/Visual Studio Code.app/Contents/MacOS/Code',
  '/Applications/Visual Studio Code.app/Contents/MacOS/Electron',
];

/** @returns the program to run, or a sentence that says why there is none */
function findDesktop() {
  const named = process.env.VSCODE_EXECUTABLE;
  if (named && !existsSync(named)) throw new Error(`VSCODE_EXECUTABLE names ${named}, which is not there`);
  const executable = named || places.find((path) => existsSync(path));
  if (executable === undefined)
    return { why: 'there is no desktop VS Code here; VSCODE_EXECUTABLE can name one' };
  const headless = process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
  if (headless) return { why: 'there is no display; with xvfb: xvfb-run -a npm run test:electron' };
  return { executable };
}

async function main() {
  const { executable, why } = findDesktop();
  if (why !== undefined) {
    console.log(`test:electron did not run: ${why}`);
    return NOT_RUN;
  }
  ensurePackages();
  const { build } = await import('./build.mjs');
  const { packageVsix } = await import('./vsix.mjs');
  const { runElectronLayer } = await import('./layers.mjs');
  await build();
  const vsix = await packageVsix();
  spawnSync(executable, ['--version'], { stdio: 'inherit' });
  const { passed, failed, failures, output } = await runElectronLayer(vsix.path, executable);
  for (const { title, error } of failures) console.log(`FAILED ${title}\n${error}\n`);
  if (output !== '') console.log(output);
  console.log(`${passed} passed, ${failed} failed`);
  return failed > 0 || passed === 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
