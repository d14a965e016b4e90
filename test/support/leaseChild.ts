import { createInterface } from 'node:readline';
import { systemClock } from '../../src/base/clock';
import { Lease } from '../../src/store/lease';
import { listeningLog } from './storeFixture';

/**
 * A window in a process of its own: `node leaseChild.cjs GLOBAL WORKSPACE`. Takes the lease when told to by a line
 * `acquire` and says its state; `take_over` and `release` likewise. `look`: says whether it is still current; `dead`:
 * its window answers no more.
 */
async function main(): Promise<void> {
  const [globalFolder = '', workspace = ''] = process.argv.slice(2);
  let answers = true;
  let lease: Lease | null = null;
  const say = (word: string, value: unknown) => process.stdout.write(`${JSON.stringify([word, value])}\n`);
  const acquire = () =>
    Lease.acquire({
      globalFolder,
      workspace,
      pid: process.pid,
      host: 'here',
      runtimeFolder: null,
      clock: systemClock,
      log: listeningLog(),
      probe: () => (answers ? Promise.resolve(true) : new Promise(() => undefined)),
      onLost: async () => {
        say('lost', null);
      },
    });
  say('ready', null);
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'acquire') {
      lease = await acquire();
      say('state', lease.state);
    } else if (line === 'take_over') say('state', await lease?.takeOver());
    else if (line === 'release') {
      await lease?.release();
      say('state', lease?.state);
    } else if (line === 'dead') {
      answers = false;
      say('dead', null);
    } else if (line === 'look') say('current', await lease?.isCurrent());
  }
}

void main();
