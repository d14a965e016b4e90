import { calls, DONE, type Fixture, finish, fn } from './fixture';

/** Faults in tool calls; the numbers are those of the list of faults. */
export const callFixtures: readonly Fixture[] = [
  {
    title: '1 pieces of calls without an index, with ids',
    body:
      calls({ id: 'a', ...fn('read', '{"p":') }) +
      calls({ id: 'a', ...fn(undefined, '1}') }) +
      calls({ id: 'b', ...fn('list', '{"q"') }) +
      calls({ ...fn(undefined, ':2}') }) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"p":1}'],
        ['list', '{"q":2}'],
      ],
    },
  },
  {
    title: '1 pieces of calls with neither index nor id: a new name opens a new call',
    body:
      calls(fn('read', '')) +
      calls(fn(undefined, '{"p":1}')) +
      calls(fn('list', '{}')) +
      calls(fn('list', '{}')) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"p":1}'],
        ['list', '{}'],
        ['list', '{}'],
      ],
    },
  },
  {
    title: '2 every parallel call has index 0, ids differ',
    body:
      calls({ index: 0, id: 'a', ...fn('read', '{"x":1}') }) +
      calls({ index: 0, id: 'b', ...fn('write', '{"y":') }) +
      calls({ index: 0, ...fn(undefined, '2}') }) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"x":1}'],
        ['write', '{"y":2}'],
      ],
    },
  },
  {
    title: '2 every parallel call has index 0, no ids: complete arguments end a call',
    body:
      calls({ index: 0, ...fn('read', '{"x":1}') }, { index: 0, ...fn('read', '{"x":2}') }) + finish() + DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"x":1}'],
        ['read', '{"x":2}'],
      ],
    },
  },
  {
    title: '2 index 0 for all, calls without arguments: another known tool is another call',
    body: calls({ index: 0, ...fn('list', '') }) + calls({ index: 0, ...fn('read', '') }) + finish() + DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['list', '{}'],
        ['read', '{}'],
      ],
    },
  },
  {
    title: '3 concatenated objects in one call stay one call with unreadable arguments',
    body:
      calls({ index: 0, id: 'a', ...fn('read', '{"x":1}') }) +
      calls({ index: 0, ...fn(undefined, '{"x":2}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"x":1}{"x":2}']] },
  },
  {
    title: '5 an empty id on continuations is no id',
    body:
      calls({ index: 0, id: 'a', ...fn('read', '{"p"') }) +
      calls({ index: 0, id: '', ...fn('', ':"é') }) +
      calls({ index: 0, id: null, ...fn(undefined, '"}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":"é"}']] },
  },
  {
    title: '6 an id is never sent',
    body: calls({ index: 0, ...fn('read', '{"p":1}') }) + finish() + DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '7 the id comes late',
    body:
      calls({ index: 0, id: null, ...fn('read', '') }) +
      calls({ index: 0, id: 'late', ...fn(undefined, '{"p":1}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '8 numeric id, first piece without "function", empty name later',
    body:
      calls({ index: 0, id: 7, name: 'read', arguments: '{"p":' }) +
      calls({ index: 0, id: 7, ...fn('', '1}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: 'a fresh id for every piece is no new call',
    body:
      calls({ index: 0, id: 'r1', ...fn('read', '{"p"') }) +
      calls({ index: 0, id: 'r2', ...fn(undefined, ':1}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '9 two calls share one id',
    body:
      calls(
        { index: 0, id: 'same', ...fn('read', '{"p":1}') },
        { index: 1, id: 'same', ...fn('list', '{"q":1}') },
      ) +
      calls({ index: 0, id: ' same ', ...fn('read', '{"p":3}') }) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"p":1}'],
        ['list', '{"q":1}'],
        ['read', '{"p":3}'],
      ],
    },
  },
  {
    title: '9 two calls share one id, their pieces mixed',
    body:
      calls({ index: 0, id: 's', ...fn('read', '{"p"') }, { index: 1, id: 's', ...fn('list', '{"q"') }) +
      calls({ index: 0, id: 's', ...fn(undefined, ':1}') }, { index: 1, id: 's', ...fn(undefined, ':2}') }) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"p":1}'],
        ['list', '{"q":2}'],
      ],
    },
  },
  {
    title: '10 arguments are an object',
    body: calls({ index: 0, id: 'a', ...fn('read', { p: 1 }) }) + finish() + DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '11 arguments are empty, null or absent',
    body:
      calls(
        { index: 0, id: 'a', ...fn('list', '') },
        { index: 1, id: 'b', ...fn('list', null) },
        { index: 2, id: 'c', ...fn('list', undefined) },
      ) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['list', '{}'],
        ['list', '{}'],
        ['list', '{}'],
      ],
    },
  },
  {
    title: '13 calls with finish_reason stop',
    body: calls({ index: 0, id: 'a', ...fn('read', '{}') }) + finish('stop') + DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{}']] },
  },
  {
    title: '13 calls with finish_reason end_turn',
    body: calls({ index: 0, id: 'a', ...fn('read', '{}') }) + finish('end_turn') + DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{}']] },
  },
  {
    title: '14 cut at the length limit inside a call',
    body: calls({ index: 0, id: 'a', ...fn('write', '{"text":"abc') }) + finish('length') + DONE,
    expect: { reason: 'length', calls: [['write', '{"text":"abc']] },
  },
  {
    title: '17 reset inside JSON',
    body: `${calls({ index: 0, id: 'a', ...fn('write', '{"a":1}') })}data: {"choi`,
    reset: true,
    expect: { reason: 'error', text: '', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '32 arguments before the name',
    body:
      calls({ index: 0, ...fn(undefined, '{"p"') }) +
      calls({ index: 0, id: 'a', ...fn('read', ':1}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: '32 a name in two pieces',
    body:
      calls({ index: 0, id: 'a', ...fn('team_', '') }) +
      calls({ index: 0, ...fn('add', '{"name":"x"}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['team_add', '{"name":"x"}']] },
  },
  {
    title: '34 a whole call is replayed',
    body:
      calls({ index: 0, id: 'a', ...fn('read', '{"p":1}') }) +
      calls({ index: 0, id: 'a', ...fn('read', '{"p":1}') }) +
      finish() +
      DONE,
    expect: { reason: 'tool_calls', calls: [['read', '{"p":1}']] },
  },
  {
    title: 'interleaved parallel calls',
    body:
      calls({ index: 0, id: 'a', ...fn('read', '') }, { index: 1, id: 'b', ...fn('list', '') }) +
      calls({ index: 1, ...fn(undefined, '{"q"') }, { index: 0, ...fn(undefined, '{"p"') }) +
      calls({ index: 0, ...fn(undefined, ':"日本"}') }, { index: 1, ...fn(undefined, ':2}') }) +
      finish() +
      DONE,
    expect: {
      reason: 'tool_calls',
      calls: [
        ['read', '{"p":"日本"}'],
        ['list', '{"q":2}'],
      ],
    },
  },
];
