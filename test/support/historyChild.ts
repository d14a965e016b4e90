import { workerHistory } from '../../src/store/workerHistory';
import { heldClock, listeningLog } from './storeFixture';

/** A process that asks a history once and then has nothing more to do, but never closes it. */
async function main(): Promise<void> {
  const [folder = '', script = '', wasm = ''] = process.argv.slice(2);
  const options = { script, wasm, clock: heldClock(), log: listeningLog() };
  const history = workerHistory(options)({ folder, schema: 1, repair: false }, () => undefined);
  console.log(`answered ${(await history.pageEvents(1, 1, 0)).length}`);
}

void main();
