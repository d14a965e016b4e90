import { fail, ok, type Result } from '../base/result';
import type { Agent } from '../shared/state';
import type { Facts, ModelFacts, Refusal } from './commands';

const DEFAULT_EXPERT = 'general';

/** What a caller asks a new agent to be made of; null: it leaves that to the style's order. */
export interface Wished {
  readonly expert: string | null;
  readonly model: string | null;
}

export interface Makings {
  readonly expert: string;
  readonly model: ModelFacts;
}

/** L-36, L-45: expert and model of a new member or helper; one that is not known is refused alike for both. */
export function makingsOf(wished: Wished, caller: Agent, facts: Facts): Result<Makings, Refusal> {
  const expert = wished.expert ?? DEFAULT_EXPERT;
  if (!facts.experts.includes(expert)) {
    return fail({ code: 'unknown_expert', name: expert, known: facts.experts });
  }
  const name = modelOf(wished, caller, expert, facts);
  const model = name === null ? null : facts.model(name);
  if (model === null) {
    const known = facts.models;
    return fail({ code: 'unknown_model', name: name ?? '', ...(known && { known }) });
  }
  return ok({ expert, model });
}

/** L-36: the first source that names a model; null if none does. */
function modelOf(wished: Wished, caller: Agent, expert: string, facts: Facts): string | null {
  for (const source of facts.policy.memberModel) {
    const name = {
      call: () => wished.model,
      definition: () => facts.expertModel?.(expert) ?? null,
      caller: () => caller.model,
    }[source]();
    if (name !== null) return name;
  }
  return null;
}
