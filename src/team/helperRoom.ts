import type { RunId } from '../shared/ids';
import { leadOf } from '../shared/lookup';
import type { State } from '../shared/state';
import type { Facts, ModelFacts, Refusal } from './commands';
import { membersOf, sizeInForce, sizeOf } from './roster';
import { slotsInUse, startable } from './slots';

/**
 * Whether an agent on this model could ever have a helper: its own slot is taken while the helper works, so a model
 * with one slot needs another beside it. Like the offer of a team it is fixed with the tool list (L-20).
 */
export function helpersPossible(model: ModelFacts, facts: Facts): boolean {
  const { policy, subagentsEnabled, models = [] } = facts;
  if (!subagentsEnabled || policy.helper === null || policy.helper === 'denied') return false;
  if (model.slots !== 1 || policy.givesSlotBack.includes('helper')) return true;
  return models.some((id) => {
    const other = facts.model(id);
    if (other === null || other.id === model.id) return false;
    return other.capacityGroup === null || other.capacityGroup !== model.capacityGroup;
  });
}

/** L-24, L-30: where a team is offered a helper at work counts to its size, and beyond max there is none. */
export function beyondSize(state: State, facts: Facts): Refusal | null {
  if (facts.policy.helper !== 'counted' || state.session?.offered !== true) return null;
  const bounds = sizeInForce(state, facts);
  const size = sizeOf(state, facts.policy);
  if (bounds === null || size + 1 <= bounds.max) return null;
  const lead = leadOf(state);
  const alone = lead === undefined || membersOf(state, lead.id).length === 0;
  if (bounds.max === 1 && alone) return { code: 'unavailable', why: 'one_agent' };
  return { code: 'full', size, max: bounds.max };
}

/**
 * L-88: a helper begins at once or not at all: a caller that waits for one which waits for a slot might wait for ever.
 * @param state with the helper's run queued
 */
export function beyondSlots(
  state: State,
  runId: RunId,
  model: ModelFacts,
  facts: Pick<Facts, 'model' | 'others'>,
): Refusal | null {
  const { session } = state;
  // Pausing holds everybody back; it says nothing of slots.
  const going = session === null ? state : { ...state, session: { ...session, paused: false } };
  const states = [going, ...(facts.others?.() ?? [])];
  const starts = startable(states, facts);
  if (starts.some((start) => start.runId === runId && start.session === session?.id)) return null;
  const full = model.slots !== null && slotsInUse(states, model.id) >= model.slots;
  return { code: 'model_full', model: model.id, slots: full ? model.slots : null };
}
