import { storeIn } from './storeFixture';

/**
 * A process that appends until it is killed: `node storeChild.cjs STORAGE EPOCH`. Prints a line for each
 * acknowledged record: its number and the blob it refers to.
 */
async function main(): Promise<void> {
  const [storage = '', epoch = '1'] = process.argv.slice(2);
  const store = storeIn(storage, { epoch: Number(epoch) });
  const known = await store.list();
  const session = known.length === 0 ? await store.create('s1') : (await store.open('s1')).store;
  session.setCheckpointSource(() => ({ seq: session.seq, state: `"state at ${session.seq}"` }));
  process.stdout.write('ready\n');
  const agent = async (name: number) => {
    for (let n = 0; ; n++) {
      const body = session.keep(`${name}/${n} `.repeat(200));
      const record = JSON.stringify({ name, n, body });
      await session.append([record, record]);
      process.stdout.write(`${record}\n`);
      if (n % 50 === 0) await session.checkpoint();
    }
  };
  await Promise.all([1, 2, 3, 4].map(agent));
}

void main();
