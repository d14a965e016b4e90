import { reduce } from '../shared/reduce';
import type { SessionSettings, State } from '../shared/state';
import type { Facts, PersonCommand, Refusal } from '../team/commands';
import { decide } from '../team/decide';
import type { SettingsPatch } from './engine';

/** What a patch of the settings asks for, one command a part. */
export function patchCommands(patch: SettingsPatch, now: SessionSettings): readonly PersonCommand[] {
  const commands: PersonCommand[] = [];
  if (patch.size !== undefined) commands.push({ type: 'set_size', size: patch.size });
  if (patch.mode !== undefined) commands.push({ type: 'set_mode', mode: patch.mode });
  if (patch.limits !== undefined) {
    commands.push({ type: 'set_limits', limits: { ...now.limits, ...patch.limits } });
  }
  return commands;
}

/** Why one of the commands would be refused, done one after the other; null: none would. Nothing is done. */
export function refusalAmong(state: State, commands: readonly PersonCommand[], facts: Facts): Refusal | null {
  let trial = state;
  for (const command of commands) {
    const decision = decide(trial, command, facts);
    if (!decision.ok) return decision.error;
    trial = decision.value.reduce(reduce, trial);
  }
  return null;
}
