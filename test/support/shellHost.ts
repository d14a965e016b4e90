import { systemClock } from '../../src/base/clock';
import type { PlacedPath } from '../../src/workspace/port';
import { Shell } from '../../src/workspace/shell/run';

/**
 * A host that is killed while a command of its own waits or runs: `WHEN FOLDER COMMAND`. `before`: the intent never
 * resolves; `after`: it does. The process group is printed as JSON as soon as it is known.
 */
const [when, folder, command] = process.argv.slice(2);
const cwd: PlacedPath = { shown: '.', real: folder ?? '.', folder: 'ws' };
const shell = new Shell({ clock: systemClock, onLateFailure: (error) => console.error(error) });

void shell.run(
  { command: command ?? '', cwd, timeoutMs: 60_000, maxOutputBytes: 10_000 },
  (group) => {
    console.log(JSON.stringify(group));
    return when === 'before' ? new Promise(() => undefined) : Promise.resolve();
  },
  () => undefined,
  new AbortController().signal,
);
