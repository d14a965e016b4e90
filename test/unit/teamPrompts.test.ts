import assert from 'node:assert/strict';
import { fill } from '../../src/base/template';
import { buildAgent, expertNames } from '../../src/experts/build';
import type { AgentRequest } from '../../src/experts/port';
import type { Style } from '../../src/shared/state';
import { inline } from '../../src/shared/text';
import { roomStyle } from '../../src/styles/room';
import { roomTools } from '../../src/styles/room/tools';
import type { Refusal } from '../../src/team/commands';
import { workspaceTools } from '../../src/tools';
import { inlineText } from '../rules/support';

const request: AgentRequest = {
  style: 'room',
  name: 'ann',
  kind: 'member',
  role: 'writes',
  managerName: 'lead',
  goal: 'a goal',
  expert: 'general',
  mayLead: false,
  offered: true,
  helpers: true,
};
const build = (patch: Partial<AgentRequest> = {}) => {
  const { system, tools } = buildAgent({ ...request, ...patch }, inline);
  return { system: inlineText(system), tools };
};

describe('prompts', () => {
  it('a placeholder that nothing fills, and a value that has no place, are errors; values are not looked at again', () => {
    assert.equal(fill('{{a}} and {{b}} and {{a}}', { a: '{{b}}', b: '$&' }), '{{b}} and $& and {{b}}');
    assert.throws(() => fill('{{a}} {{c}}', { a: '1' }), /nothing fills: c/);
    assert.throws(() => fill('{{a}}', { a: '1', b: '2' }), /no place for: b/);
  });

  it('the first line of every system prompt is "You are NAME, …"', () => {
    for (const expert of expertNames) {
      for (const kind of ['lead', 'member', 'helper'] as const) {
        for (const mayLead of [false, true]) {
          for (const offered of [false, true]) {
            const { system } = build({
              expert,
              kind,
              mayLead,
              offered,
              name: kind === 'lead' ? 'lead' : 'ann',
            });
            assert.match(system.split('\n')[0] ?? '', kind === 'lead' ? /^You are lead, / : /^You are ann, /);
            assert.doesNotMatch(system, /\{\{|undefined|null/);
          }
        }
      }
    }
  });

  it('every tool that a prompt or a list names exists', () => {
    const known = new Set([...workspaceTools, ...roomTools].map((tool) => tool.name));
    for (const kind of ['lead', 'member', 'helper'] as const) {
      for (const expert of expertNames) {
        const { system, tools } = build({ kind, expert, mayLead: true });
        assert.deepEqual(
          tools.filter((tool) => !known.has(tool)),
          [],
        );
        const named = [...system.matchAll(/`([a-z]+_[a-z]+)`/g)].map((match) => match[1] ?? '');
        assert.deepEqual(
          named.filter((tool) => !tools.includes(tool)),
          [],
          `${kind} ${expert} is told of a tool that it does not have`,
        );
      }
    }
  });

  it('an unknown style or expert is an error, not a prompt with a hole', () => {
    assert.throws(() => build({ expert: 'wizard' }), /no such expert: wizard/);
    assert.throws(() => build({ style: 'nope' as Style }), /no prompts for the style nope/);
  });

  it('system text and tools of a lead stay within 23 KB, of a member within 19 KB', () => {
    const all = new Map([...workspaceTools, ...roomTools].map((tool) => [tool.name, tool]));
    const bytes = (patch: Partial<AgentRequest>) => {
      const { system, tools } = build(patch);
      const listed = tools.map((name) => {
        const { description, parameters } = all.get(name) ?? assert.fail(name);
        return { type: 'function', function: { name, description, parameters } };
      });
      return Buffer.byteLength(system) + Buffer.byteLength(JSON.stringify(listed));
    };
    assert.ok(
      bytes({ kind: 'lead', name: 'lead' }) <= 23_000,
      `lead ${bytes({ kind: 'lead', name: 'lead' })}`,
    );
    assert.ok(bytes({}) <= 19_000, `member ${bytes({})}`);
    assert.ok(bytes({ mayLead: true }) <= 23_000, `a member that leads ${bytes({ mayLead: true })}`);
  });
});

describe('the tools of room', () => {
  it('have schemas with keywords that every server takes, and say each of their refusals', () => {
    const allowed = new Set(['type', 'properties', 'required', 'items', 'description', 'minimum']);
    const keywords = (schema: unknown): string[] => {
      if (Array.isArray(schema) || schema === null || typeof schema !== 'object') return [];
      return Object.entries(schema).flatMap(([key, part]) =>
        key === 'properties' ? Object.values(part as object).flatMap(keywords) : [key, ...keywords(part)],
      );
    };
    for (const tool of roomTools) {
      const used = [...keywords(tool.parameters), 'properties'];
      assert.deepEqual(
        used.filter((key) => !allowed.has(key)),
        [],
        tool.name,
      );
      assert.match(tool.description, /[Rr]efused/, tool.name);
      assert.equal(tool.risk, 'interact');
      assert.equal(tool.volatile, tool.name === 'team_read');
    }
  });

  it('answer misspelt and missing arguments with what is wrong', () => {
    const open = (name: string, args: object) => {
      const opened = roomTools.find((tool) => tool.name === name)?.open(JSON.stringify(args));
      return opened === undefined ? assert.fail(name) : opened.ok ? 'ok' : opened.error;
    };
    assert.match(open('team_add', { name: 'ann', role: 'r' }), /task/);
    assert.match(open('team_add', { name: 'ann', role: 'r', task: 't', brief: 'b' }), /brief/);
    assert.match(open('team_add', { name: 'ann', role: 'r', task: '  ' }), /task must not be empty/);
    assert.match(open('team_read', { since: 'x' }), /since/);
    assert.equal(open('team_read', {}), 'ok');
    assert.equal(open('team_add', { name: 'ann', role: 'r', task: 't', lead: true }), 'ok');
  });

  it('every refusal has words that differ from those of the others', () => {
    const refusals: readonly Refusal[] = [
      { code: 'unavailable', why: 'one_request' },
      { code: 'unavailable', why: 'one_agent' },
      { code: 'all_name' },
      { code: 'bad_name', name: 'X' },
      { code: 'taken', name: 'x' },
      { code: 'no_goal' },
      { code: 'full', size: 2, max: 2 },
      { code: 'nobody' },
      { code: 'unknown', name: 'x' },
      { code: 'self' },
      { code: 'nobody_to_stop' },
      { code: 'not_yours', name: 'x' },
      { code: 'unknown_expert', name: 'x', known: ['general'] },
      { code: 'unknown_model', name: 'x' },
      { code: 'unknown_model', name: '' },
      { code: 'too_deep', depth: 1 },
      { code: 'not_allowed', what: 'x' },
      { code: 'size_bounds', min: 1, max: 2, cap: 1 },
      { code: 'limit_bounds', limit: 'steps' },
      { code: 'status_again', allowed: 1 },
      { code: 'empty' },
      { code: 'gone', what: 'session' },
      { code: 'downstream_unfinished', names: ['x'] },
      { code: 'fenced', attempt: 1, current: 2 },
      { code: 'wrong_state', what: 'run', is: 'ended' },
    ];
    const texts = refusals.map(roomStyle.refusal);
    assert.equal(new Set(texts).size, refusals.length);
    assert.ok(texts.every((text) => text.length > 10 && !/undefined|\[object/.test(text)));
  });
});
