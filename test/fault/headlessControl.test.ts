import assert from 'node:assert/strict';
import { type HeadlessPlace, headless, headlessPlace } from '../support/headless';
import { say, status } from '../support/scriptedModel';

describe('the headless host on who works', function () {
  this.timeout(60_000);
  let place: HeadlessPlace;
  afterEach(() => place.close());

  it('a failed turn goes on; paused, words start nothing until it is continued, each as a process of its own', async () => {
    place = await headlessPlace({
      lead: [
        status(400, { raw: '{"error":{"message":"bad luck"}}' }),
        say('Done after all.'),
        say('More is done.'),
      ],
    });
    const args = place.args.filter((arg) => arg !== '--events');
    const ran = async (...words: readonly string[]) => {
      const process = headless([...words, ...args]);
      return { code: await process.exit, out: process.out, err: process.err };
    };
    assert.equal((await ran('run', '--task', 'Do it.')).code, 1);
    assert.equal((await ran('retry')).code, 2);
    assert.deepEqual(await ran('retry', '--name', 'lead'), { code: 0, out: ['Done after all.'], err: [] });
    assert.equal((await ran('retry', '--name', 'lead')).code, 1, 'it has not failed any more');
    assert.deepEqual(await ran('pause'), { code: 0, out: ['paused; continue goes on'], err: [] });
    const waits = await ran('send', '--text', 'More.');
    assert.deepEqual([waits.code, waits.err[0]], [3, 'the session is paused: continue']);
    assert.equal(place.server.requestsOf('lead').length, 2);
    assert.deepEqual(await ran('continue'), { code: 0, out: ['More is done.'], err: [] });
    assert.equal((await ran('tell-lead')).code, 1, 'there is nothing to tell');
  });
});
