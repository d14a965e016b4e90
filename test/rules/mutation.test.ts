import assert from 'node:assert/strict';
import { policies } from '../../src/team/policies';
import type { Policy } from '../../src/team/policy';
import { roomRules } from './room';
import type { RuleTest } from './support';

/**
 * Rule tests that can't be empty: every cell of the policy table that belongs to `room` is set to each other value
 * that the table knows, each entry of its refusal orders is dropped and swapped with its neighbour, and the rule
 * tests run against the changed policy. At least one must fail each time.
 */

interface Mutant {
  readonly label: string;
  readonly policy: Policy;
}

const { room } = policies;

/** The other values of each cell: all that the type has, and for numbers those that another style has. */
const others: { readonly [K in keyof Policy]?: readonly Policy[K][] } = {
  names: ['never', 'platform'],
  start: ['after_turn', 'on_mail', 'inline'],
  wake: ['after_sender_turn', 'on_mail', null],
  leaderWork: ['free', 'delegate_only'],
  toolList: ['filtered', 'per_turn'],
  deliverBy: ['complete'],
  sink: ['store', 'tool_result', 'user', 'user_with_notice'],
  processedAt: ['outcome'],
  wakeContext: ['rebuilt', 'fresh', 'thread'],
  givesSlotBack: [['collect'], ['delegate'], ['helper']],
  topology: ['star'],
  broadcast: [false],
  visibility: ['inbox', 'all', 'thread', 'own_delegation'],
  depth: [1, 7],
  dependencies: [true],
  statusPerRun: [1],
  size: [null],
  invocations: [60],
  errors: [3],
  repetition: [true],
  parkDeadlineMs: ['per_call', 7_200_000],
  redeliver: ['coordinator', 'fail_to_manager', 'fail_to_user'],
  speaker: ['member'],
  batch: ['sequential', null],
  closeOn: ['dissolve', 'delete'],
  helper: ['separate', 'denied', null],
  rosterIn: ['prompt_per_turn'],
  routingCache: ['option'],
};

/** Cells without a flip here: the type has one value only, or the flip is another style. */
const WITHOUT: readonly (keyof Policy)[] = ['style', 'stepBudget'];
/** Cells that are lists, whose entries are dropped and swapped. */
const LISTS: readonly (keyof Policy)[] = ['memberModel', 'refusals'];

function cellMutants(): Mutant[] {
  return Object.entries(others).flatMap(([cell, values]) =>
    values.map((value: unknown) => ({
      label: `${cell}: ${JSON.stringify(room[cell as keyof Policy])} → ${JSON.stringify(value)}`,
      policy: { ...room, [cell]: value } as Policy,
    })),
  );
}

/** Each entry dropped, and each swapped with the one after it. */
function listMutants<T>(label: string, list: readonly T[], into: (list: readonly T[]) => Policy): Mutant[] {
  const dropped = list.map((entry, i) => ({
    label: `${label}: without ${entry}`,
    policy: into(list.toSpliced(i, 1)),
  }));
  const swapped = list.slice(1).map((entry, i) => ({
    label: `${label}: ${entry} before ${list[i]}`,
    policy: into(list.toSpliced(i, 2, entry, list[i] as T)),
  }));
  return [...dropped, ...swapped];
}

function mutants(): Mutant[] {
  const { add, send, stop } = room.refusals;
  return [
    ...cellMutants(),
    ...listMutants('memberModel', room.memberModel, (memberModel) => ({ ...room, memberModel })),
    ...listMutants('add', add, (list) => ({ ...room, refusals: { ...room.refusals, add: list } })),
    ...listMutants('send', send, (list) => ({ ...room, refusals: { ...room.refusals, send: list } })),
    ...listMutants('stop', stop, (list) => ({ ...room, refusals: { ...room.refusals, stop: list } })),
  ];
}

async function fails(test: RuleTest, policy: Policy): Promise<boolean> {
  try {
    await test.run(policy);
    return false;
  } catch {
    // Whatever the flipped policy breaks, an assertion or a decision's own check, it was noticed.
    return true;
  }
}

async function killer({ policy }: Mutant): Promise<string | null> {
  for (const test of roomRules) if (await fails(test, policy)) return test.title;
  return null;
}

describe('rules: flipping any cell of the policy table makes a rule test fail', () => {
  it('every cell of room is flipped here, or named as one that has no flip', () => {
    const cells = Object.keys(room).sort();
    assert.deepEqual([...Object.keys(others), ...WITHOUT, ...LISTS].sort(), cells);
  });

  it('the rule tests pass with the policy as it is', async () => {
    assert.equal(await killer({ label: 'unchanged', policy: { ...room } }), null);
  });

  it('the list of survivors is empty', async () => {
    const all = mutants();
    const survivors: string[] = [];
    for (const mutant of all) if ((await killer(mutant)) === null) survivors.push(mutant.label);
    assert.ok(all.length > 70, `${all.length} flips`);
    assert.deepEqual(survivors, []);
  }).timeout(60_000);
});
