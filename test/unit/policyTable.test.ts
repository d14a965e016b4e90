import assert from 'node:assert/strict';
import { policies } from '../../src/team/policies';
import type { Policy } from '../../src/team/policy';

/** The policy table of the rules, row by row, in the order plan, room, dispatch, standard, router, orchestrator. */
const rows: { readonly [K in Exclude<keyof Policy, 'style' | 'refusals'>]: readonly Policy[K][] } = {
  names: ['never', 'after_leave', 'never', 'platform', 'platform', 'platform'],
  start: ['after_turn', 'now', 'on_mail', 'inline', 'inline', 'inline'],
  wake: ['after_sender_turn', 'now', 'on_mail', null, null, null],
  leaderWork: ['free', 'refuse_by_risk', 'free', 'delegate_only', 'delegate_only', 'delegate_only'],
  toolList: ['fixed', 'fixed', 'fixed', 'per_turn', 'per_turn', 'per_turn'],
  deliverBy: ['complete', 'final_reply', 'final_reply', 'final_reply', 'final_reply', 'final_reply'],
  sink: ['inbox', 'inbox', 'store', 'tool_result', 'user', 'user_with_notice'],
  processedAt: ['run_end', 'run_end', 'outcome', 'outcome', 'outcome', 'outcome'],
  wakeContext: ['rebuilt', 'intact', 'fresh', 'thread', 'fresh', 'fresh'],
  givesSlotBack: [['helper'], [], ['collect'], ['delegate'], [], ['delegate']],
  topology: ['mesh', 'mesh', 'mesh', 'star', 'star', 'star'],
  broadcast: [false, true, true, false, false, false],
  visibility: ['inbox', 'subtree', 'all', 'thread', 'own_delegation', 'own_delegation'],
  depth: [1, null, 1, 1, 1, 1],
  dependencies: [true, false, false, false, false, false],
  statusPerRun: [1, null, null, null, null, null],
  size: [null, 'bounded', null, null, null, null],
  invocations: [null, null, null, 60, 60, 60],
  errors: [null, null, null, 3, 3, 3],
  repetition: [false, false, false, true, true, true],
  parkDeadlineMs: [null, null, 'per_call', 7_200_000, null, 7_200_000],
  redeliver: ['auto', 'auto', 'coordinator', 'fail_to_manager', 'fail_to_user', 'fail_to_manager'],
  speaker: ['leader', 'leader', 'leader', 'leader', 'member', 'member'],
  batch: ['all_or_nothing', 'all_or_nothing', 'all_or_nothing', null, null, null],
  closeOn: ['dissolve', 'session_delete', 'delete', 'session_delete', 'session_delete', 'session_delete'],
  helper: ['separate', 'counted', 'denied', null, null, null],
  rosterIn: ['notes', 'notes', 'notes', 'prompt_per_turn', 'prompt_per_turn', 'prompt_per_turn'],
  routingCache: [null, null, null, 'option', 'option', 'option'],
  memberModel: [
    ['call', 'definition', 'caller'],
    ['call', 'definition', 'caller'],
    ['definition', 'caller'],
    ['definition'],
    ['definition'],
    ['definition'],
  ],
  stepBudget: ['definition', 'definition', 'definition', 'definition', 'definition', 'definition'],
};

describe('policy table', () => {
  it('each style has exactly the cells of its column', () => {
    const styles = ['plan', 'room', 'dispatch', 'standard', 'router', 'orchestrator'] as const;
    for (const [i, style] of styles.entries()) {
      const column = Object.fromEntries(Object.entries(rows).map(([row, cells]) => [row, cells[i]]));
      const { style: name, refusals, ...cells } = policies[style];
      assert.equal(name, style);
      assert.deepEqual(cells, column, style);
      assert.ok(refusals.add.every((code, at) => refusals.add.indexOf(code) === at));
    }
  });
});
