import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import type { CommandOutcome, PlacedPath, ProcessGroup } from '../../src/workspace/port';
import { groupMembers, startTime } from '../../src/workspace/shell/processes';
import { Shell } from '../../src/workspace/shell/run';

describe('the shell', function () {
  this.timeout(15_000);
  let folder = '';
  let late: unknown[];
  let cwd: PlacedPath;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'teamroom-shell-')));
    cwd = { shown: '.', real: folder, folder: 'ws' };
    late = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const shellWith = (environment: NodeJS.ProcessEnv = process.env): Shell =>
    new Shell({ clock: systemClock, environment, onLateFailure: (error) => late.push(error) });

  interface Options {
    readonly shell?: Shell;
    readonly timeoutMs?: number;
    readonly maxOutputBytes?: number;
    readonly intent?: (group: ProcessGroup) => Promise<void>;
    readonly signal?: AbortSignal;
    readonly onOutput?: (chunk: string) => void;
  }
  const run = (command: string, options: Options = {}): Promise<CommandOutcome> =>
    (options.shell ?? shellWith()).run(
      {
        command,
        cwd,
        timeoutMs: options.timeoutMs ?? 10_000,
        maxOutputBytes: options.maxOutputBytes ?? 10_000,
      },
      options.intent ?? (() => Promise.resolve()),
      options.onOutput ?? (() => undefined),
      options.signal ?? new AbortController().signal,
    );
  /** Resolves to a text that a command has printed and the group that it runs in. */
  const marker = (name: string): boolean => existsSync(join(folder, name));

  it('runs in the folder, with both streams as they came, and tells the exit code', async () => {
    const outcome = await run('pwd; echo err >&2; echo out; exit 3');
    assert.deepEqual(
      { ...outcome, durationMs: 0 },
      {
        status: 'exited',
        exitCode: 3,
        signal: null,
        output: `${folder}\nerr\nout\n`,
        truncated: false,
        durationMs: 0,
      },
    );
    assert.deepEqual((await run('kill -9 $$')).signal, 'SIGKILL');
    assert.equal((await run('exit 125')).exitCode, 125);
    assert.equal((await run(`echo 'a "b" $HOME' && printf '%s' "c'd"`)).output, `a "b" $HOME\nc'd`);
  });

  it('input is closed: a command that waits for an answer gets none', async () => {
    assert.equal((await run('read x; echo "$? $x"; cat')).output, '1 \n');
  });

  it('the environment has no keys, nothing of the editor, no pager and no colours; PATH is absolute', async () => {
    const shell = shellWith({
      PATH: `${process.env['PATH'] ?? ''}:.::bin`,
      HOME: '/h',
      TEAMROOM_API_KEY: 'canary',
      OPENAI_API_KEY: 'canary',
      OTHER_API_KEY: 'canary',
      VSCODE_IPC_HOOK_CLI: 'canary',
      BASH_ENV: 'canary',
      'BASH_FUNC_ls%%': '() { echo canary; }',
      RIPGREP_CONFIG_PATH: 'canary',
      KEEP: 'kept',
    });
    const { output } = await run('env', { shell });
    assert.ok(!output.includes('canary'), output);
    for (const line of [
      'KEEP=kept',
      'HOME=/h',
      'GIT_PAGER=cat',
      'PAGER=cat',
      'GIT_TERMINAL_PROMPT=0',
      'NO_COLOR=1',
    ]) {
      assert.ok(output.split('\n').includes(line), line);
    }
    const path = /^PATH=(.*)$/mu.exec(output)?.[1]?.split(':') ?? [];
    assert.ok(path.length > 0 && path.every((entry) => entry.startsWith('/')), output);
  });

  it('gives live output as it comes, decoded across chunks, and replaces what is not UTF-8', async () => {
    const chunks: string[] = [];
    const outcome = await run("printf 'caf\\303'; sleep 0.1; printf '\\251\\n\\377x'", {
      onOutput: (chunk) => chunks.push(chunk),
    });
    assert.equal(chunks.join(''), 'café\n\ufffdx');
    assert.equal(outcome.output, 'café\n\ufffdx');
    assert.ok(chunks.length >= 2);
  });

  it('cuts output in the middle, says how much, and survives a flood', async () => {
    const cut = await run('for i in $(seq 1000); do echo "line $i"; done', { maxOutputBytes: 200 });
    assert.equal(cut.truncated, true);
    assert.ok(cut.output.startsWith('line 1\nline 2\n') && cut.output.endsWith('line 999\nline 1000\n'));
    const left = Number(
      /left out …\]/u.test(cut.output) ? /\[… (\d+) bytes/u.exec(cut.output)?.[1] : Number.NaN,
    );
    assert.equal(left, 8893 - 200);
    const flood = await run('yes | head -c 40000000', { maxOutputBytes: 1000 });
    assert.deepEqual([flood.status, flood.exitCode, flood.truncated], ['exited', 0, true]);
    assert.ok(flood.output.length < 1200);
  });

  it('runs nothing until the intent is recorded, and then exactly that group', async () => {
    let release = (): void => undefined;
    const intended: ProcessGroup[] = [];
    const outcome = run('echo ran > ran; echo $$', {
      intent: (group) => {
        intended.push(group);
        return new Promise((resolve) => {
          release = resolve;
        });
      },
    });
    while (intended.length === 0) await new Promise((resolve) => setImmediate(resolve));
    const group = intended[0];
    assert.ok(group !== undefined && group.pgid > 0 && group.startedAt !== '');
    assert.equal(await startTime(group.pgid), group.startedAt);
    assert.equal((await groupMembers(group.pgid)).length, 1);
    assert.equal(marker('ran'), false);
    release();
    assert.equal((await outcome).output, `${group.pgid}\n`);
    assert.equal(marker('ran'), true);
    assert.deepEqual(await groupMembers(group.pgid), []);
  });

  it('an intent that never resolves: a stop ends the wait, and nothing has run', async () => {
    const stop = new AbortController();
    let pgid = 0;
    const outcome = run('echo ran > ran', {
      signal: stop.signal,
      intent: (group) => {
        pgid = group.pgid;
        queueMicrotask(() => stop.abort());
        return new Promise(() => undefined);
      },
    });
    assert.deepEqual(
      { ...(await outcome), durationMs: 0 },
      {
        status: 'stopped',
        exitCode: null,
        signal: null,
        output: '',
        truncated: false,
        durationMs: 0,
        why: 'it was stopped before it began',
      },
    );
    assert.deepEqual(await groupMembers(pgid), []);
    assert.equal(marker('ran'), false);
  });

  it('an intent that fails: its error comes out, and nothing has run; a late one is told', async () => {
    let pgid = 0;
    const failing = run('echo ran > ran', {
      intent: (group) => {
        pgid = group.pgid;
        return Promise.reject(new Error('disk full'));
      },
    });
    await assert.rejects(failing, /disk full/u);
    assert.deepEqual(await groupMembers(pgid), []);
    const stop = new AbortController();
    let reject = (_error: Error): void => undefined;
    const stopped = run('echo ran > ran', {
      signal: stop.signal,
      intent: () => {
        queueMicrotask(() => stop.abort());
        return new Promise((_resolve, fail) => {
          reject = fail;
        });
      },
    });
    assert.equal((await stopped).status, 'stopped');
    const error = new Error('late');
    reject(error);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(late, [error]);
    assert.equal(marker('ran'), false);
  });

  it('a stop ends a whole process tree, seen gone, also one that ignores SIGTERM', async () => {
    for (const command of [
      "sh -c 'sleep 100 & sleep 100'",
      'trap "" TERM; sh -c \'trap "" TERM; echo up; while :; do sleep 1; done\'',
      'echo up; sleep 100 & sleep 100 & wait',
      'echo up; kill -STOP $$',
    ]) {
      const stop = new AbortController();
      let pgid = 0;
      const outcome = run(`${command}`, {
        signal: stop.signal,
        intent: async (group) => {
          pgid = group.pgid;
        },
        onOutput: () => stop.abort(),
      });
      if (!command.includes('echo up')) {
        while ((await groupMembers(pgid)).length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
        stop.abort();
      }
      assert.deepEqual([(await outcome).status, command], ['stopped', command]);
      assert.deepEqual(await groupMembers(pgid), [], command);
    }
  });

  it('a hanging command ends at its time limit with its tree, and its output is kept', async () => {
    let pgid = 0;
    const outcome = await run("echo begun; sh -c 'sleep 100 & sleep 100'", {
      timeoutMs: 300,
      intent: async (group) => {
        pgid = group.pgid;
      },
    });
    assert.deepEqual([outcome.status, outcome.exitCode, outcome.output], ['timed_out', null, 'begun\n']);
    assert.deepEqual(await groupMembers(pgid), []);
  });

  it('what is left in the background neither hangs the call nor lives on, and is said', async () => {
    for (const command of [
      'echo out; sleep 100 &',
      'echo out; sleep 100 >/dev/null 2>&1 &',
      'echo out; (sleep 100 &)',
    ]) {
      let pgid = 0;
      const outcome = await run(command, {
        intent: async (group) => {
          pgid = group.pgid;
        },
      });
      assert.deepEqual([outcome.status, outcome.exitCode, outcome.output], ['exited', 0, 'out\n'], command);
      assert.match(outcome.why ?? '', /background/u, command);
      assert.ok(outcome.durationMs < 3000, `${command} ${outcome.durationMs}`);
      assert.deepEqual(await groupMembers(pgid), [], command);
    }
  });

  it('what cannot be started is told', async () => {
    const gone: PlacedPath = { ...cwd, real: join(folder, 'gone') };
    const request = { command: 'ls', cwd: gone, timeoutMs: 1000, maxOutputBytes: 1000 };
    const outcome = await shellWith().run(
      request,
      async () => undefined,
      () => undefined,
      new AbortController().signal,
    );
    assert.equal(outcome.status, 'failed_to_start');
    assert.notEqual(outcome.why, undefined);
    assert.equal((await run(`echo ${'x'.repeat(200_000)}`)).status, 'failed_to_start');
    assert.equal((await run('ls', { signal: AbortSignal.abort() })).status, 'stopped');
  });

  it('ends a survivor only if it is still the same group', async () => {
    const script = join(folder, 'long.sh');
    await writeFile(script, 'echo up; sleep 100\n');
    const stop = new AbortController();
    const groups: ProcessGroup[] = [];
    let isUp = false;
    const outcome = run(`sh ${script}`, {
      signal: stop.signal,
      intent: async (group) => {
        groups.push(group);
      },
      onOutput: () => {
        isUp = true;
      },
    });
    while (!isUp) await new Promise((resolve) => setImmediate(resolve));
    const group = groups[0];
    assert.ok(group !== undefined);
    const shell = shellWith();
    assert.equal(await shell.endSurvivor({ ...group, startedAt: 'another boot:1' }), false);
    assert.notDeepEqual(await groupMembers(group.pgid), []);
    assert.equal(await shell.endSurvivor(group), true);
    assert.equal((await outcome).signal, 'SIGTERM');
    assert.equal(await shell.endSurvivor(group), false);
    assert.equal(await readFile(script, 'utf8'), 'echo up; sleep 100\n');
  });
});
