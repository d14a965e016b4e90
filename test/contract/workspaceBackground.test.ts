import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import type { BackgroundCommand, PlacedPath, ProcessGroup } from '../../src/workspace/port';
import { groupMembers } from '../../src/workspace/shell/processes';
import { Shell } from '../../src/workspace/shell/run';

describe('the shell in the background', function () {
  this.timeout(15_000);
  let folder = '';
  let cwd: PlacedPath;

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'teamroom-shell-')));
    cwd = { shown: '.', real: folder, folder: 'ws' };
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const shell = () => new Shell({ clock: systemClock, onLateFailure: () => undefined });
  const marker = (name: string): boolean => existsSync(join(folder, name));

  interface Begun {
    readonly command: BackgroundCommand;
    readonly group: ProcessGroup;
    /** What has come so far. */
    readonly output: () => string;
    readonly stop: () => void;
  }

  async function begin(command: string, timeoutMs: number | null = null): Promise<Begun> {
    const stop = new AbortController();
    let output = '';
    let group: ProcessGroup | null = null;
    const begun = await shell().start(
      { command, cwd, timeoutMs },
      async (its) => {
        group = its;
      },
      (chunk) => {
        output += chunk;
      },
      stop.signal,
    );
    assert.ok(begun.type === 'started' && group !== null);
    return { command: begun.command, group, output: () => output, stop: () => stop.abort() };
  }

  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
  };

  it('answers as soon as it is let go, passes all output on, and tells the exit code at its end', async () => {
    const { command, output } = await begin('echo one; read line; echo "got $line"; seq 1 100000; exit 4');
    await until(() => output() === 'one\n');
    assert.equal(await command.write('two\n', false), 'taken');
    const end = await command.ended;
    assert.deepEqual([end.status, end.exitCode, end.signal], ['exited', 4, null]);
    assert.ok(output().startsWith('one\ngot two\n1\n') && output().endsWith('99999\n100000\n'));
    assert.equal(await command.write('three\n', false), 'closed');
  });

  it('its input can be ended; one that reads nothing does not keep the writer', async () => {
    const reads = await begin('cat');
    assert.equal(await reads.command.write('café', true), 'taken');
    assert.equal((await reads.command.ended).exitCode, 0);
    assert.equal(reads.output(), 'café');
    const idle = await begin('sleep 1000');
    assert.equal(await idle.command.write('x'.repeat(1_000_000), false), 'waits');
    idle.stop();
    await idle.command.ended;
  });

  it('executes nothing before its intent is recorded; a stop before that leaves nothing', async () => {
    const stop = new AbortController();
    let group: ProcessGroup | null = null;
    const begun = await shell().start(
      { command: 'touch ran', cwd, timeoutMs: null },
      (its) => {
        group = its;
        stop.abort();
        return new Promise(() => undefined);
      },
      () => undefined,
      stop.signal,
    );
    assert.deepEqual(begun, {
      type: 'not_started',
      status: 'stopped',
      why: 'it was stopped before it began',
    });
    assert.equal(marker('ran'), false);
    assert.ok(group !== null);
    assert.deepEqual(await groupMembers((group as ProcessGroup).pgid), []);
    const failed = shell().start(
      { command: 'touch ran', cwd, timeoutMs: null },
      () => Promise.reject(new Error('the disk is full')),
      () => undefined,
      new AbortController().signal,
    );
    await assert.rejects(failed, /the disk is full/);
    assert.equal(marker('ran'), false);
  });

  it('a stop ends the whole group, also what ignores it; so does a time limit', async () => {
    const stopped = await begin("trap '' TERM; echo up; sleep 1000 & sleep 1000 & wait");
    await until(async () => stopped.output() !== '' && (await groupMembers(stopped.group.pgid)).length >= 3);
    stopped.stop();
    assert.equal((await stopped.command.ended).status, 'stopped');
    assert.deepEqual(await groupMembers(stopped.group.pgid), []);
    const late = await begin('echo up; sleep 1000', 200);
    assert.equal((await late.command.ended).status, 'timed_out');
    assert.equal(late.output(), 'up\n');
    assert.deepEqual(await groupMembers(late.group.pgid), []);
  });

  it('what it leaves running when it ends is ended with it, and that is said', async () => {
    const { command, group } = await begin('sleep 1000 & echo gone');
    const end = await command.ended;
    assert.match(end.why ?? '', /left processes running/);
    assert.deepEqual(await groupMembers(group.pgid), []);
  });
});
