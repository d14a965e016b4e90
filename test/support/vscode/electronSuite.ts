import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveCliArgsFromVSCodeExecutablePath, runTests } from '@vscode/test-electron';
import { type HostSuiteOptions, writeIndex } from './hostSuite';
import { writeTestExtension } from './hostTests';

/**
 * The same tests as `hostSuite`, inside the extension host of a desktop VS Code with its own data and the VSIX installed.
 * @param executable the program of a desktop VS Code (not its command line tool)
 */
export async function electronSuite(executable: string, options: HostSuiteOptions): Promise<void> {
  const { scratch } = options;
  const folder = join(scratch, 'workspace');
  const testExtension = join(scratch, 'test-extension');
  await mkdir(folder, { recursive: true });
  await writeTestExtension(testExtension);
  const own = [
    `--user-data-dir=${join(scratch, 'user-data')}`,
    `--extensions-dir=${join(scratch, 'extensions')}`,
  ];
  const [cli, ...before] = resolveCliArgsFromVSCodeExecutablePath(executable, { reuseMachineInstall: true });
  if (cli === undefined) throw new Error(`there is no command line tool beside ${executable}`);
  await run(cli, [...before, ...own, '--install-extension', options.vsix, '--force']);
  await runTests({
    vscodeExecutablePath: executable,
    reuseMachineInstall: true,
    extensionDevelopmentPath: testExtension,
    extensionTestsPath: await writeIndex(options),
    launchArgs: [folder, ...own, '--disable-workspace-trust', '--skip-welcome', '--no-sandbox'],
  });
}

const run = (command: string, args: readonly string[]) =>
  new Promise<void>((resolve, reject) => {
    execFile(command, args, (error, stdout, stderr) =>
      error === null ? resolve() : reject(new Error(`${command} failed: ${stdout}${stderr}`)),
    );
  });
