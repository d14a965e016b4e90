import assert from 'node:assert/strict';
import { LazyHost } from '../../src/vscode/lazyHost';
import type { Surfaces } from '../../src/vscode/surfaces';

describe('the engine that is loaded when it is needed', () => {
  // Outside of the editor its bundle can't be loaded: the very failure that is looked at here.
  const notThere = /vscode/;

  const hostOf = () => {
    const told: unknown[] = [];
    const surfaces = () => ({}) as Surfaces;
    return { told, host: new LazyHost(surfaces, (error) => told.push(error)) };
  };

  it('is not loaded by being made, nor by being disposed', async () => {
    const { host, told } = hostOf();
    assert.equal(host.ready, null);
    await host.dispose();
    assert.deepEqual(told, []);
    await assert.rejects(host.get(), /shutting down/);
  });

  it('a start that fails is told once, whoever waits for it, and the next call tries again', async () => {
    const { host, told } = hostOf();
    const both = await Promise.allSettled([host.get(), host.get()]);
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(told.length, 1);
    assert.match(String(told[0]), notThere);
    await assert.rejects(host.get(), notThere);
    assert.equal(told.length, 2);
    assert.equal(host.ready, null);
  });
});
