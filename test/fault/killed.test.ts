import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TeamEvent } from '../../src/shared/events';
import { type HeadlessRun, headless, headlessPlace } from '../support/headless';
import { recordsOf } from '../support/records';
import { type AskedRequest, call, calls, type Script, say } from '../support/scriptedModel';
import { assertOneResultEach, assertToldAsUnknown, type LostCommand } from '../support/toldOutcomes';

/** Real processes, killed with SIGKILL at some moment; then the work goes on to its end. */

const answersIn = (request: AskedRequest) =>
  request.messages.filter((message) => message.role === 'assistant').length;

/** @param long the command that takes so long that a kill finds it running */
function script(long: string | null = null): Script {
  const count = (name: string) =>
    call('bash', { command: `echo ${name} >> counter.txt; sleep ${name === long ? 30 : 0.05}` });
  return {
    lead: (request) =>
      [
        call('team_add', { name: 'writer', role: 'writes', task: 'Write out.txt.', goal: 'A file.' }),
        say('I wait.'),
        say('Finished.'),
      ][answersIn(request)] ?? say('Finished.'),
    writer: (request) =>
      [
        count('one'),
        calls(call('write', { path: 'out.txt', content: 'hello\n' }), count('two')),
        call('team_send', { to: 'lead', message: 'half done' }),
        count('three'),
        say('The file is there.'),
      ][answersIn(request)] ?? say('The file is there.'),
  };
}

/** Commands that are let go in these records and of which none says how they ended. */
function lostCommands(records: readonly string[]): readonly LostCommand[] {
  const names = new Map<string, string>();
  const agents = new Map<string, string>();
  const calls = new Map<string, Omit<LostCommand, 'command'>>();
  const open = new Map<string, LostCommand>();
  for (const event of records.map((json) => JSON.parse(json) as TeamEvent)) {
    if (event.type === 'agent.added') names.set(event.agent.id, event.agent.name);
    else if (event.type === 'run.queued') agents.set(event.runId, names.get(event.agentId) ?? '');
    else if (event.type === 'step.answered')
      for (const { callId, wireId } of event.calls)
        calls.set(callId, { agent: agents.get(event.runId) ?? '', wireId });
    else if (event.type === 'effect.intended' && event.intent.type === 'command') {
      const made = calls.get(event.callId) ?? assert.fail(`no call ${event.callId}`);
      open.set(event.callId, { ...made, command: event.intent.command });
    } else if (event.type === 'effect.ended') open.delete(event.callId);
  }
  return [...open.values()];
}

const told = (line: string): string => {
  const { sessionId: _session, ...event } = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify(event);
};

/**
 * Kills the host when `when` resolves, has another one go on, and checks what must hold whenever that was.
 * @returns the commands that were running, by the records on the disk
 */
async function killed(
  model: Script,
  when: (run: HeadlessRun) => Promise<boolean>,
): Promise<readonly LostCommand[]> {
  const { root, work, server, args, close } = await headlessPlace(model);
  try {
    const first = headless(['run', ...args, '--task', 'Write the file.']);
    if (await when(first)) first.child.kill('SIGKILL');
    await first.exit;
    const seen = first.out.map(told);
    const kept = await recordsOf(root);
    assert.deepEqual(
      kept.slice(0, seen.length).map((json) => JSON.stringify(JSON.parse(json))),
      seen,
    );
    const lost = lostCommands(kept);
    const before = server.log.length;

    const next = headless(['resume', ...args]);
    assert.equal(await next.exit, 0, next.err.join('\n'));
    const counter = join(work, 'counter.txt');
    const lines = existsSync(counter) ? (await readFile(counter, 'utf8')).trim().split('\n') : [];
    assert.equal(new Set(lines).size, lines.length, `a command ran twice: ${lines.join()}`);
    const unknown = (await recordsOf(root)).filter((json) => json.includes('"status":"unknown"'));
    assert.ok(lines.length === 3 || unknown.length > 0, `${lines.join()}; no unknown outcome was told`);
    assertToldAsUnknown(server.log, before, lost);
    assert.equal(await readFile(join(work, 'out.txt'), 'utf8'), 'hello\n');
    assertOneResultEach(server.log);
    return lost;
  } finally {
    await close();
  }
}

describe('a headless process that is killed', function () {
  this.timeout(300_000);

  for (const seed of [1, 2, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 36, 39]) {
    it(`after its event ${seed}: nothing told is lost, nothing happens twice, the work ends`, async () => {
      await killed(script(), (run) => run.lines(seed));
    });
  }

  for (const name of ['one', 'two', 'three']) {
    it(`while the command "${name}" runs: its model is told that nobody knows its outcome`, async () => {
      const lost = await killed(script(name), (run) =>
        run.line((line) => line.includes('"effect.intended"') && line.includes(`echo ${name} `)),
      );
      assert.deepEqual(
        lost.map(({ command }) => command),
        [`echo ${name} >> counter.txt; sleep 30`],
      );
    });
  }
});
