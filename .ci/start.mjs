/**
 * `npm start`: from a fresh clone to a VS Code with Teamroom installed and a sample workspace open.
 * `npm start -- --headless`: the same without a person; the sample task is done and printed.
 * `npm start -- --server`: the server in the browser even where there is a desktop VS Code.
 */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBrowser, ensurePackages } from './prepare.mjs';

const args = process.argv.slice(2);

async function main() {
  ensurePackages();
  const { build } = await import('./build.mjs');
  const { packageVsix } = await import('./vsix.mjs');
  const { loadDriver } = await import('./layers.mjs');
  const { root } = await import('./bundles.mjs');
  await build();
  const vsix = await packageVsix();
  const outDir = join(root, 'out', `start-${process.pid}`);
  try {
    const driver = await loadDriver(outDir);
    if (args.includes('--headless')) await headless(driver, vsix.path);
    else if (hasDesktop() && !args.includes('--server')) await desktop(driver, vsix.path);
    else await inBrowser(driver, vsix.path);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

const hasDesktop = () =>
  (process.env.DISPLAY || process.env.WAYLAND_DISPLAY || process.platform === 'darwin') &&
  spawnSync('code', ['--version'], { stdio: 'ignore' }).status === 0;

async function desktop(driver, vsix) {
  const home = join(driver.cacheRoot(), 'desktop');
  const folder = await driver.makeSampleFolder(join(home, 'samples'));
  const own = ['--user-data-dir', join(home, 'data'), '--extensions-dir', join(home, 'extensions')];
  const code = (...more) => {
    const { status } = spawnSync('code', [...own, ...more], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`code ${more.join(' ')} ended with ${status}`);
  };
  code('--install-extension', vsix, '--force');
  code('--new-window', folder);
  console.log(`VS Code is open on the sample workspace ${folder}`);
}

async function inBrowser(driver, vsix) {
  const home = join(driver.cacheRoot(), 'browser');
  const dataDir = join(home, 'data');
  const editor = await driver.obtainEditor();
  const folder = await driver.makeSampleFolder(join(home, 'samples'));
  await driver.installForPerson(editor, dataDir, vsix);
  const { url, process: server } = await driver.startForPerson({ editor, dataDir, folder });
  console.log(`\nTeamroom is open on the sample workspace ${folder}:\n\n  ${url}\n\nCtrl+C ends it.`);
  const end = () => server.kill('SIGTERM');
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
  await new Promise((done) => server.once('exit', done));
}

async function headless(driver, vsix) {
  const missing = ensureBrowser();
  if (missing !== null) throw new Error(missing);
  const shown = await driver.rehearse({ vsix, home: join(driver.cacheRoot(), 'headless'), say: console.log });
  console.log(`\n== Room ==\n${shown.room}\n\n== Tree ==\n${shown.tree}\n\n== Changed files ==`);
  for (const file of shown.files) console.log(file);
  console.log(`\n== Screenshot ==\n${shown.screenshot}`);
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? (error.stack ?? error.message) : error);
  process.exitCode = 1;
}
