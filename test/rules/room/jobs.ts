import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock';
import { Jobs } from '../../../src/runtime/jobs';
import type { SessionRuntime } from '../../../src/runtime/sessionRuntime';
import type { ToolContext } from '../../../src/runtime/toolPorts';
import type { JobId } from '../../../src/shared/ids';
import { jobOf } from '../../../src/shared/lookup';
import { inline } from '../../../src/shared/text';
import * as texts from '../../../src/styles/room/texts';
import type { TeamCommand } from '../../../src/team/commands';
import { gateCall } from '../../../src/team/gate';
import { awaitsJobs, jobsOf } from '../../../src/team/jobs';
import { jobTools } from '../../../src/tools/jobs';
import { Lab, type RuleTest } from '../support';

/** The agent lets a command go in the background; its id. */
function background(lab: Lab, by: string): JobId {
  const [callId] = lab.step(by, 'bash');
  assert.ok(callId !== undefined);
  const started = { callId, command: 'serve', cwd: '.', pgid: 4711, processStart: 'then' };
  const [event] = lab.must({ type: 'start_job', ...started });
  lab.finish(callId);
  return event?.type === 'job.started' ? event.job.id : assert.fail('no job');
}

/** Its processes have ended, as the host finds. */
const ended = (lab: Lab, jobId: JobId, words = `${jobId} has ended`) => {
  const end = {
    how: 'exited',
    exitCode: 0,
    signal: null,
    output: inline('out'),
    from: 0,
    detail: null,
  } as const;
  return lab.must({ type: 'end_job', jobId, end, words: inline(words), wake: true });
};

const status = (lab: Lab, id: JobId) => jobOf(lab.state, id)?.phase.status;

/** A job tool as the model calls it. */
async function tool(lab: Lab, by: string, name: string, args: object): Promise<string> {
  const found = jobTools.find((each) => each.name === name) ?? assert.fail(`no tool ${name}`);
  const opened = found.open(JSON.stringify(args));
  if (!opened.ok) assert.fail(opened.error);
  const runtime = {
    state: lab.state,
    dispatch: (command: Parameters<Lab['dispatch']>[0]) => {
      const done = lab.dispatch(command);
      return done.ok ? { ok: true, events: done.value } : done;
    },
  } as unknown as SessionRuntime;
  const jobs = new Jobs(
    runtime,
    { clock: systemClock } as ConstructorParameters<typeof Jobs>[1],
    () => undefined,
  );
  const agentId = lab.id(by);
  const caller = { agentId, runId: lab.run(by).id, callId: 'c0' as never };
  const context = {
    agentId,
    jobs: jobs.portOf(caller, new AbortController().signal, texts),
    team: { do: (command: TeamCommand) => lab.team(command) },
  } as unknown as ToolContext;
  const prepared = await opened.value.prepare(context);
  if (prepared.type === 'answer') return prepared.result.text;
  const answer = await prepared.execute(context);
  return answer.type === 'result' ? answer.result.text : assert.fail('it was suspended');
}

export const jobRules: readonly RuleTest[] = [
  {
    title:
      "L-46 members are no jobs: job_list shows the caller's own commands and helpers alone, job_* take no others",
    run: async (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      lab.go();
      assert.equal(await tool(lab, 'lead', 'job_list', {}), 'You have no jobs.');
      const own = background(lab, 'lead');
      const hers = background(lab, 'ann');
      const helper = lab.helper('lead', { background: true });
      const inFront = lab.helper('ann');
      const listed = (await tool(lab, 'lead', 'job_list', {})).split('\n').map((line) => line.split(' ')[0]);
      assert.deepEqual(listed, [own, helper]);
      const rooms = lab.state.messages.size;
      for (const other of ['ann', 'lead', lab.id('ann'), hers, inFront, 'all']) {
        for (const name of ['job_read', 'job_send', 'job_stop']) {
          const more = name === 'job_send' ? { text: 'hello' } : {};
          const answer = await tool(lab, 'lead', name, { job: other, ...more });
          assert.equal(answer, `You have no job "${other}". job_list shows yours.`, `${name} ${other}`);
        }
      }
      assert.equal(lab.state.messages.size, rooms, 'nothing was sent');
      assert.equal(lab.agent('ann').left, null);
      assert.deepEqual([status(lab, own), status(lab, hers)], ['running', 'running']);
    },
  },
  {
    title: "L-48 a member's commands stop when its turn ends, however it ends; the lead's go on",
    run: (policy) => {
      const lab = new Lab(policy).begin();
      for (const name of ['ann', 'bob', 'cid']) lab.add('lead', name);
      lab.go();
      const own = background(lab, 'lead');
      const jobs = ['ann', 'bob', 'cid'].map((name) => background(lab, name));
      lab.end('ann', 'done');
      lab.end('bob', '', 'steps');
      lab.end('cid', '', 'error', 'no answer');
      lab.end('lead', 'I wait.');
      assert.deepEqual(
        [own, ...jobs].map((id) => status(lab, id)),
        ['running', ...jobs.map(() => 'stopping')],
      );
      const before = lab.state.messages.size;
      for (const id of jobs) ended(lab, id);
      assert.equal(lab.state.messages.size, before, 'nobody is told: its turn is over');
      assert.deepEqual(lab.go(), ['lead'], 'by the reports');
    },
  },
  {
    title:
      "L-48 an end is told once: at a member's next step while its turn goes on, never by a turn of its own",
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      lab.go();
      const [first, late] = [background(lab, 'ann'), background(lab, 'ann')];
      ended(lab, first);
      assert.deepEqual(lab.boundary('ann'), [`[From Teamroom:]\n${first} has ended`]);
      assert.deepEqual(lab.boundary('ann'), []);
      const end = {
        how: 'unknown',
        exitCode: null,
        signal: null,
        output: inline(''),
        from: 0,
        detail: null,
      } as const;
      assert.equal(
        lab.refused({ type: 'end_job', jobId: first, end, words: inline('again'), wake: true }).code,
        'wrong_state',
      );
      ended(lab, late);
      lab.end('ann', 'done');
      assert.equal(lab.agent('ann').runs.length, 1);
      assert.equal(awaitsJobs(lab.state), false);
    },
  },
  {
    title:
      "L-82 the lead's command wakes it when it ends by itself; what a restart broke off waits for its next turn",
    run: (policy) => {
      const lab = new Lab(policy).begin();
      const [one, two, three] = [background(lab, 'lead'), background(lab, 'lead'), background(lab, 'lead')];
      lab.end('lead', 'I wait.');
      assert.equal(awaitsJobs(lab.state), true);
      ended(lab, one);
      assert.deepEqual(lab.go(), ['lead']);
      assert.equal(lab.heard('lead').at(-1), `[From Teamroom:]\n${one} has ended`);
      lab.end('lead', 'One is there.');
      const end = {
        how: 'unknown',
        exitCode: null,
        signal: null,
        output: inline(''),
        from: 0,
        detail: null,
      } as const;
      lab.must({ type: 'end_job', jobId: two, end, words: inline('lost'), wake: false });
      lab.must({ type: 'close_jobs' });
      ended(lab, three);
      assert.deepEqual(lab.startable(), []);
      lab.say('go on');
      lab.go();
      const told = `[From Teamroom:]\nlost\n\n[From Teamroom:]\n${three} has ended`;
      assert.deepEqual(lab.heard('lead').slice(-2), [told, 'go on']);
    },
  },
  {
    title: 'L-69 L-71 a manager stops its commands, and writes to them',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'ann');
      const own = background(lab, 'lead');
      const [stop, send, bash] = lab.step('lead', 'job_stop', 'job_send', 'bash');
      assert.ok(stop !== undefined && send !== undefined && bash !== undefined);
      const gate = (call: typeof stop, risk: 'execute' | 'interact') =>
        gateCall(
          lab.state,
          { call: lab.call(call), risk, volatile: false, argsHash: '', reading: false },
          lab.facts(),
        );
      assert.deepEqual(
        [gate(stop, 'execute'), gate(send, 'interact'), gate(bash, 'execute')],
        [null, null, 'manager'],
      );
      lab.must({ type: 'stop_job', by: lab.id('lead'), jobId: own });
      const before = lab.state.messages.size;
      ended(lab, own);
      assert.equal(lab.state.messages.size, before, 'its answer says it');
      const risks = Object.fromEntries(jobTools.map(({ name, risk }) => [name, risk]));
      assert.deepEqual(risks, {
        job_list: 'interact',
        job_read: 'interact',
        job_send: 'interact',
        job_stop: 'execute',
      });
    },
  },
  {
    title:
      'L-90 who is stopped has its commands stopped with it, those of an idle lead too, and wakes nobody by that',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'area', { lead: true });
      lab.go();
      lab.add('area', 'leaf');
      lab.go();
      const jobs = ['lead', 'area', 'leaf'].map((name) => background(lab, name));
      lab.must(lab.stopping('lead', 'area'));
      assert.deepEqual(
        jobs.map((id) => status(lab, id)),
        ['running', 'stopping', 'stopping'],
      );
      lab.end('lead', 'done');
      lab.must({ type: 'stop', name: 'lead' });
      assert.equal(status(lab, jobs[0] ?? assert.fail()), 'stopping');
      for (const id of jobs) ended(lab, id);
      assert.deepEqual(lab.startable(), []);
      assert.deepEqual(lab.state.open.jobs, []);
      assert.equal(jobsOf(lab.state, lab.id('lead')).length, 1);
    },
  },
];
