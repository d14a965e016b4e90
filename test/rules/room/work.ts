import assert from 'node:assert/strict';
import type { CallId } from '../../../src/shared/ids';
import * as texts from '../../../src/styles/room/texts';
import { roomTools } from '../../../src/styles/room/tools';
import {
  type GateRefusal,
  gateCall,
  listedTools,
  managerRefuses,
  type RiskClass,
} from '../../../src/team/gate';
import { isManager } from '../../../src/team/roster';
import { workspaceTools as productTools } from '../../../src/tools';
import { judge } from '../../../src/workspace/permission';
import { readingCommand } from '../../../src/workspace/shell/reading';
import { Lab, type RuleTest } from '../support';

const gate = (
  lab: Lab,
  name: string,
  tool: string,
  risk: RiskClass,
  command?: string,
): GateRefusal | null => {
  const [call] = lab.step(name, tool);
  assert.ok(call !== undefined);
  const reading = command !== undefined && readingCommand(command).reading;
  const refusal = gateCall(
    lab.state,
    { call: lab.call(call), risk, volatile: false, argsHash: call, reading },
    lab.facts(),
  );
  lab.finish(call, refusal === null ? 'ok' : 'refused');
  return refusal;
};

const manager = (lab: Lab): Lab => {
  lab.begin();
  lab.add('lead', 'ann');
  lab.go();
  return lab;
};

/** Tools that the seed names; those that are not built stand here with the class that it gives them. */
const REFUSED: readonly (readonly [string, RiskClass])[] = [
  ...['write', 'edit', 'multiedit', 'apply_patch', 'mkdir', 'mv', 'rm', 'skill_manage'].map(
    (name) => [name, 'write'] as const,
  ),
  ...['python', 'commit', 'branch', 'pr', 'merge', 'tag', 'release', 'mcp__db__query'].map(
    (name) => [name, 'execute'] as const,
  ),
];
const KEPT: readonly (readonly [string, RiskClass])[] = [
  ...['read', 'glob', 'grep', 'list', 'search', 'recall', 'web_search', 'web_fetch', 'mcp__db__schema'].map(
    (name) => [name, 'read'] as const,
  ),
  ...[
    'ask_user',
    'plan_write',
    'task',
    'memory',
    'show',
    'job_send',
    'report',
    'team_add',
    'team_send',
    'team_read',
    'team_stop',
  ].map((name) => [name, 'interact'] as const),
  ['job_stop', 'execute'],
];

export const workRules: readonly RuleTest[] = [
  {
    title: "L-67 a manager's work call is refused before anything is asked, with the fixed text",
    run: (policy) => {
      assert.equal(texts.manager, 'You lead a team: give this to a member (team_add or team_send).');
      const lab = manager(new Lab(policy));
      assert.equal(gate(lab, 'lead', 'write', 'write'), 'manager');
      assert.equal(lab.state.asks.size, 0);
      assert.equal(gate(lab, 'ann', 'write', 'write'), null, 'a member works');
    },
  },
  {
    title: 'L-68 work is what has the class write or execute; a tool is placed by its class, not by its name',
    run: (policy) => {
      const lab = manager(new Lab(policy));
      const refused = (['read', 'write', 'execute', 'interact'] as const).filter((risk) =>
        managerRefuses(lab.state, lab.id('lead'), { risk, reading: false, tool: 'a_new_tool' }, lab.facts()),
      );
      assert.deepEqual(refused, ['write', 'execute']);
    },
  },
  {
    title: 'L-69 two exceptions: job_stop, and a bash call that the default rules alone allow in mode ask',
    run: (policy) => {
      const lab = manager(new Lab(policy));
      assert.equal(gate(lab, 'lead', 'job_stop', 'execute'), null);
      for (const command of [
        'git status',
        'git diff',
        'cat a.txt',
        'ls -la',
        'grep -n x a.txt',
        'cat a | grep b',
      ]) {
        assert.equal(gate(lab, 'lead', 'bash', 'execute', command), null, command);
      }
      for (const command of [
        'npm test',
        'git commit -m x',
        'cat a > b',
        'rm a',
        'ls; rm a',
        'cat $(rm a)',
        '',
      ]) {
        assert.equal(gate(lab, 'lead', 'bash', 'execute', command), 'manager', command);
      }
    },
  },
  {
    title: 'L-70 refused: every writing and executing tool',
    run: (policy) => {
      const lab = manager(new Lab(policy));
      for (const [tool, risk] of REFUSED) assert.equal(gate(lab, 'lead', tool, risk), 'manager', tool);
    },
  },
  {
    title: 'L-71 kept: every reading tool, every interacting tool and job_stop, as often as they are called',
    run: (policy) => {
      const lab = manager(new Lab(policy));
      for (const [tool, risk] of KEPT) assert.equal(gate(lab, 'lead', tool, risk), null, tool);
      const classes = new Map([...productTools, ...roomTools].map((tool) => [tool.name, tool.risk]));
      for (const [tool, risk] of [...REFUSED, ...KEPT]) {
        const own = classes.get(tool);
        if (own !== undefined) assert.equal(own, risk, `${tool} is declared as the rule places it`);
      }
      // Neither failures nor repetition take a tool away here (X23, X24).
      for (let i = 0; i < 5; i++) {
        const [call] = lab.step('lead', 'grep');
        assert.ok(call !== undefined);
        lab.finish(call, 'error');
        const again: CallId = lab.step('lead', 'grep')[0] ?? assert.fail('no call');
        const gated = {
          call: lab.call(again),
          risk: 'read',
          volatile: false,
          argsHash: 'same',
          reading: false,
        } as const;
        assert.equal(gateCall(lab.state, gated, lab.facts()), null, `after ${i + 1} failures`);
        lab.finish(again);
      }
    },
  },
  {
    title: 'L-72 the listed tools do not change when an agent becomes a manager',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      lab.add('lead', 'area', { lead: true });
      lab.go();
      const risks = new Map([...productTools, ...roomTools].map((tool) => [tool.name, tool.risk]));
      const listed = (name: string) =>
        listedTools(lab.state, lab.agent(name), (tool) => risks.get(tool) ?? 'execute', lab.facts());
      const before = listed('area');
      assert.ok(before.includes('write'));
      lab.add('area', 'ann');
      assert.equal(isManager(lab.state, lab.id('area'), lab.facts()), true);
      assert.deepEqual(listed('area'), before);
      lab.end('area', 'x');
      lab.send('lead', ['area'], 'more');
      lab.go();
      assert.deepEqual(listed('area'), before, 'nor in its next turn');
      assert.deepEqual(lab.agent('area').tools, before);
    },
  },
  {
    title:
      'L-73 manager while it has a member, finished included; with all stopped no longer, unless lead and min ≥ 2',
    run: (policy) => {
      const lab = new Lab(policy).begin();
      const managers = () =>
        ['lead', 'area'].filter((name) => isManager(lab.state, lab.id(name), lab.facts()));
      lab.add('lead', 'area', { lead: true });
      lab.add('area', 'ann');
      lab.go();
      lab.end('ann', 'done');
      assert.deepEqual(managers(), ['lead', 'area']);
      lab.must(lab.stopping('area', 'ann'));
      assert.deepEqual(managers(), ['lead']);
      assert.equal(gate(lab, 'area', 'write', 'write'), null, 'it may work again');
      lab.must(lab.settings({ min: 2 }));
      lab.must(lab.stopping('lead', 'area'));
      assert.equal(isManager(lab.state, lab.id('lead'), lab.facts()), true);
      lab.must(lab.settings({ min: 1 }));
      assert.equal(isManager(lab.state, lab.id('lead'), lab.facts()), false);
    },
  },
  {
    title: 'L-102 with no rule of the person, a call of the team tools asks nothing in any mode',
    run: () => {
      for (const tool of roomTools) {
        for (const mode of ['ask', 'edits', 'auto'] as const) {
          const verdict = judge({
            mode,
            rules: [],
            tool: tool.name,
            risk: tool.risk,
            subjects: [],
            care: () => 'plain',
          });
          assert.equal(verdict.type, 'allow', `${tool.name} in ${mode}`);
        }
      }
    },
  },
];
