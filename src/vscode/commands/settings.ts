import type { SettingsPatch } from '../../runtime/engine';
import type { Limits, SessionSettings } from '../../shared/state';
import { error } from '../asker';
import { say } from '../texts';
import { chooseSession } from './choose';
import { askMode, askSize } from './delegate';
import type { Desk } from './desk';
import { demand, mayRun } from './outcome';

type What = 'size' | 'mode' | 'limits';

/** Team size, permission mode and limits of one session: `{session, what}`, or asked for. */
export async function changeSettings(desk: Desk, args: readonly unknown[]): Promise<SessionSettings | null> {
  if (!(await mayRun(desk))) return null;
  const question = { title: say.settingsTitle(), placeholder: say.whichSettings(), none: say.noTeam() };
  const session = await chooseSession(desk, args[0], question, () => true);
  const state = session === null ? null : desk.sessions.state(session);
  if (session === null || state?.session == null) return null;
  const { settings, offered } = state.session;
  const what = whatIn(args[0]) ?? (await askWhat(desk, settings, offered));
  const patch = what === undefined ? null : await askPatch(desk, what, settings);
  return patch === null ? null : demand(desk, await desk.engine().settings(session, patch));
}

function whatIn(arg: unknown): What | null {
  const given = typeof arg === 'object' && arg !== null && 'what' in arg ? arg.what : null;
  return given === 'size' || given === 'mode' || given === 'limits' ? given : null;
}

/** The size is shown only where a team is offered (L-17). */
const askWhat = (desk: Desk, { size, mode }: SessionSettings, offered: boolean): Promise<What | undefined> =>
  desk.asker.pick<What>({
    title: say.settingsTitle(),
    placeholder: say.whichSetting(),
    items: [
      ...(offered
        ? [{ label: say.settingSize(), description: `${size.min}–${size.max}`, value: 'size' as const }]
        : []),
      { label: say.settingMode(), description: say.mode(mode), value: 'mode' },
      { label: say.settingLimits(), value: 'limits' },
    ],
  });

async function askPatch(desk: Desk, what: What, settings: SessionSettings): Promise<SettingsPatch | null> {
  const title = say.settingsTitle();
  if (what === 'size') {
    const size = await askSize(desk, title, settings.size);
    return size === null ? null : { size };
  }
  if (what === 'mode') {
    const mode = await askMode(desk, title, settings.mode);
    return mode === null ? null : { mode };
  }
  return askLimit(desk, settings.limits);
}

/** How the person writes each limit: in a unit of its own. */
const units: Readonly<Record<keyof Limits, number>> = {
  steps: 1,
  activeMs: 60_000,
  tokens: 1,
  microUsd: 1_000_000,
};

async function askLimit(desk: Desk, limits: Limits): Promise<SettingsPatch | null> {
  const written = (limit: keyof Limits) => {
    const value = limits[limit];
    return value === null ? '' : String(value / units[limit]);
  };
  const keys: readonly (keyof Limits)[] = ['tokens', 'microUsd', 'steps', 'activeMs'];
  const limit = await desk.asker.pick({
    title: say.settingsTitle(),
    placeholder: say.whichLimit(),
    items: keys.map((key) => ({
      label: say.limitName(key),
      description: written(key) || say.noLimit(),
      value: key,
    })),
  });
  if (limit === undefined) return null;
  const text = await desk.asker.input({
    title: say.settingsTitle(),
    prompt: say.limitPrompt(say.limitName(limit)),
    value: written(limit),
    check: (value) => (readLimit(value, units[limit]) === undefined ? error(say.limitProblem()) : null),
  });
  const value = text === undefined ? undefined : readLimit(text, units[limit]);
  return value === undefined ? null : { limits: { [limit]: value } };
}

/** null: no limit; undefined: it is none. */
export function readLimit(text: string, unit: number): number | null | undefined {
  const written = text.trim();
  if (written === '') return null;
  if (!(unit === 1 ? /^\d{1,12}$/ : /^\d{1,9}(\.\d{1,6})?$/).test(written)) return undefined;
  const value = Math.round(Number(written) * unit);
  return value > 0 ? value : undefined;
}
