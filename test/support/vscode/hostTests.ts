import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Server } from './server';
import { openWindow, type WindowOptions } from './window';

export interface HostTestOptions extends Omit<WindowOptions, 'payload'> {
  /** A CommonJS file that exports `run(): Promise<void>`. */
  readonly testsFile: string;
  /** After this many milliseconds the suite counts as hung. */
  readonly timeoutMs: number;
}

/**
 * Runs a test suite inside VS Code's extension host, beside the extensions that are installed there.
 * @returns the exit code that VS Code reports: 0 if `run` resolved
 */
export async function runInExtensionHost(server: Server, options: HostTestOptions): Promise<number> {
  const testExtension = join(server.dataDir, 'test-extension');
  await writeTestExtension(testExtension);
  const remote = (path: string) => `vscode-remote://127.0.0.1:${server.port}${path}`;
  const payload: readonly (readonly [string, string])[] = [
    ['extensionDevelopmentPath', remote(testExtension)],
    ['extensionTestsPath', remote(options.testsFile)],
    ['skipWelcome', 'true'],
  ];
  const { testsFile: _, timeoutMs, ...windowOptions } = options;
  let finish: (code: number) => void = () => undefined;
  const exit = new Promise<number>((resolve) => {
    finish = resolve;
  });
  const window = await openWindow(server, {
    ...windowOptions,
    payload,
    expose: {
      codeAutomationLog: (type, args) => options.onConsole?.(`${String(type)}: ${JSON.stringify(args)}`),
      codeAutomationExit: (code) => finish(Number(code)),
    },
  });
  const timer = setTimeout(() => finish(-1), timeoutMs);
  try {
    const code = await exit;
    if (code === -1) throw new Error(`the tests in the extension host did not end within ${timeoutMs} ms`);
    return code;
  } finally {
    clearTimeout(timer);
    await window.close();
  }
}

/** VS Code runs tests only beside an extension in development; this one does nothing. */
export async function writeTestExtension(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifest = {
    name: 'teamroom-tests',
    publisher: 'teamroom',
    version: '0.0.1',
    engines: { vscode: '*' },
  };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
}
