import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInExtensionHost } from './hostTests';
import { obtainEditor } from './install';
import { installVsix, startServer } from './server';

export interface HostSuiteOptions {
  /** The repository: its mocha runs the files. */
  readonly root: string;
  readonly vsix: string;
  /** A folder for everything that the run leaves behind. */
  readonly scratch: string;
  /** Bundled test files. */
  readonly files: readonly string[];
  /** Where `.ci/mocha.mjs` writes what happens. */
  readonly journal: string;
  readonly testMs: number;
  readonly layerMs: number;
  readonly log: (line: string) => void;
}

/** Runs bundled test files inside the extension host of a fresh VS Code with the VSIX installed. */
export async function hostSuite(options: HostSuiteOptions): Promise<number> {
  const { scratch } = options;
  const editor = await obtainEditor();
  const dataDir = join(scratch, 'data');
  const folder = join(scratch, 'workspace');
  await mkdir(folder, { recursive: true });
  await installVsix(editor, dataDir, options.vsix);
  const server = await startServer({ editor, dataDir, payloads: true });
  try {
    return await runInExtensionHost(server, {
      folder,
      profileDir: join(scratch, 'profile'),
      testsFile: await writeIndex(options),
      timeoutMs: options.layerMs,
      onConsole: options.log,
    });
  } finally {
    await server.stop();
  }
}

/** VS Code requires a file that exports `run`; mocha is an ES module and must be imported. */
export async function writeIndex(options: HostSuiteOptions): Promise<string> {
  const path = join(options.scratch, 'index.cjs');
  const runner = pathToFileURL(join(options.root, '.ci/mocha.mjs')).href;
  const settings = { journal: options.journal, timeout: options.testMs };
  await writeFile(
    path,
    `exports.run = async () => {
  const { runFiles } = await import(${JSON.stringify(runner)});
  const failed = await runFiles(${JSON.stringify(options.files)}, ${JSON.stringify(settings)});
  if (failed > 0) throw new Error(failed + ' tests failed');
};
`,
  );
  return path;
}
