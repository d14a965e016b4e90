import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { systemClock } from '../../src/base/clock';
import type { ProcessGroup } from '../../src/workspace/port';
import { groupMembers } from '../../src/workspace/shell/processes';
import { Shell } from '../../src/workspace/shell/run';
import { bundleFor } from '../support/bundle';

/** Asks until it is so; the test's own time limit is the end of it. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('commands of a host that dies', function () {
  this.timeout(20_000);
  let folder = '';
  let script = '';
  let host: ChildProcessByStdio<null, Readable, null>;

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'teamroom-host-'));
    script = bundleFor('test/support/shellHost.ts', folder);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts a host with one command and resolves to its group, once the host has printed it. */
  async function start(when: 'before' | 'after', command: string): Promise<ProcessGroup> {
    host = spawn(process.execPath, [script, when, folder, command], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    for await (const chunk of host.stdout) {
      text += String(chunk);
      if (text.includes('\n')) break;
    }
    const group: unknown = JSON.parse(text);
    assert.ok(group !== null && typeof group === 'object' && 'pgid' in group && 'startedAt' in group);
    return { pgid: Number(group.pgid), startedAt: String(group.startedAt) };
  }

  const die = async (): Promise<void> => {
    const gone = new Promise((resolve) => host.once('exit', resolve));
    host.kill('SIGKILL');
    await gone;
  };
  const shell = (): Shell =>
    new Shell({ clock: systemClock, onLateFailure: (error) => assert.fail(String(error)) });

  it('F7 killed before the intent is recorded: the command ends by itself without having run', async () => {
    const group = await start('before', 'echo ran > before');
    assert.equal((await groupMembers(group.pgid)).length, 1);
    await die();
    await until(async () => (await groupMembers(group.pgid)).length === 0);
    assert.equal(existsSync(join(folder, 'before')), false);
    assert.equal(await shell().endSurvivor(group), false);
  });

  it('F7 killed while it runs: it goes on, the next host knows it again and ends all of it', async () => {
    const group = await start('after', "echo $$ > after; sh -c 'sleep 100 & sleep 100'");
    await until(() => existsSync(join(folder, 'after')));
    await until(async () => (await groupMembers(group.pgid)).length >= 3);
    await die();
    assert.equal(readFileSync(join(folder, 'after'), 'utf8'), `${group.pgid}\n`);
    assert.ok((await groupMembers(group.pgid)).length >= 3);
    assert.equal(await shell().endSurvivor({ ...group, startedAt: `${group.startedAt}0` }), false);
    assert.equal(await shell().endSurvivor(group), true);
    assert.deepEqual(await groupMembers(group.pgid), []);
  });

  it('F7 the command itself has ended but left a process behind: that one is known and ended too', async function () {
    if (process.platform !== 'linux') this.skip();
    const group = await start('after', 'sleep 100 & echo up > left; sleep 0.3');
    await until(() => existsSync(join(folder, 'left')));
    await die();
    await until(async () => (await groupMembers(group.pgid)).length === 1);
    assert.equal(await shell().endSurvivor(group), true);
    assert.deepEqual(await groupMembers(group.pgid), []);
  });
});
