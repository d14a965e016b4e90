/**
 * What must be there before anything can be built or tested: the packages of package-lock.json, and for the editor a
 * Chromium. Uses nothing but Node itself, because it runs before the packages are installed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'node_modules/.installed-from');

/** Installs the packages if there are none or others than package-lock.json says. */
export function ensurePackages() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  // A folder that npm itself has brought to this lock file is as good.
  if (existsSync(join(root, 'node_modules/.package-lock.json')) && npmIsContent()) {
    writeFileSync(stamp, wanted);
    return;
  }
  console.log('installing packages (npm ci)');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  });
  writeFileSync(stamp, wanted);
}

const npmIsContent = () => spawnSync('npm', ['ls', '--all'], { cwd: root, stdio: 'ignore' }).status === 0;

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const findBrowser = () => [process.env.CHROMIUM, ...places].find((path) => path && existsSync(path));

/**
 * Makes sure that there is a Chromium: installs Debian's where that is possible and allowed.
 * @returns null, or one sentence that says what a person must do
 */
export function ensureBrowser() {
  if (findBrowser() !== undefined) return null;
  const sentence =
    'There is no Chromium: install it (on Debian: apt-get install chromium) or name one in CHROMIUM.';
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status !== 0)
    return sentence;
  console.log('installing chromium (apt-get)');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) =>
    spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
  const install = () => apt('install', '-y', '--no-install-recommends', 'chromium');
  // Old package lists name versions that are gone, so they are fetched again after a first failure too.
  if (!install() && !(apt('update') && install())) return sentence;
  return findBrowser() === undefined ? sentence : null;
}
