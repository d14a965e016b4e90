import assert from 'node:assert/strict';
import type { AgentId, RunId } from '../../src/shared/ids';
import { LiveBuffer, MOST_OUTPUTS, OUTPUT_CHARS } from '../../src/shared/project/live';

const agent = 'a1' as AgentId;
const before = 'r1' as RunId;
const now = 'r2' as RunId;

/** Events are told after their flush, streams at once: what is told late must not take away what streams by then. */
describe('what streams', () => {
  const streaming = () => {
    const live = new LiveBuffer();
    live.take({ agent, run: now, type: 'text', delta: 'I write' }, false, 0);
    return live;
  };
  const text = { agent, type: 'text', append: 'I write', whole: true };

  it('outlives the end of the run before', () => {
    const live = streaming();
    live.end(agent, before);
    assert.deepEqual(live.drain(), [text]);
    live.end(agent, now);
    assert.deepEqual(live.drain(), [{ agent, type: 'end' }]);
  });

  it('of a command in the background takes nothing from a later run, and ends with the command', () => {
    const live = streaming();
    live.drain();
    live.take({ agent, run: before, type: 'output', call: 'c1', chunk: 'served' }, false, 0);
    const output = { agent, type: 'output', call: 'c1', append: 'served', whole: true };
    assert.deepEqual(live.drain(), [output]);
    live.end(agent, before);
    assert.deepEqual(live.drain(), [], 'the earlier run has long ended');
    live.endOutput(agent, 'c1');
    assert.deepEqual(live.drain(), [{ agent, type: 'end' }, text]);
    live.end(agent, now);
    live.take({ agent, run: before, type: 'output', call: 'c1', chunk: 'more' }, false, 0);
    assert.deepEqual(live.drain(), [
      { agent, type: 'end' },
      { ...output, append: 'more' },
    ]);
  });

  it('of several commands at once is kept by command, of each its end, and of the newest ones', () => {
    const live = new LiveBuffer();
    const write = (call: string, chunk: string) =>
      live.take({ agent, run: now, type: 'output', call, chunk }, false, 0);
    const posted = () =>
      live.drain().map((patch) => (patch.type === 'output' ? `${patch.call} ${patch.append}` : patch.type));
    for (const call of ['c1', 'c2', 'c1']) write(call, call);
    assert.deepEqual(posted(), ['c1 c1c1', 'c2 c2']);
    for (let n = 3; n < 3 + MOST_OUTPUTS - 1; n++) write(`c${n}`, 'x');
    assert.deepEqual(posted(), ['end', 'c2 c2', 'c3 x', 'c4 x', 'c5 x']);
    write('c5', 'y'.repeat(10 * OUTPUT_CHARS));
    const [last] = live.drain();
    assert.ok(last?.type === 'output' && last.whole);
    assert.equal(last.append.length, OUTPUT_CHARS);
  });

  it('of a command in the background outlives the answer and the turn that began it, not its agent', () => {
    const live = new LiveBuffer();
    live.take({ agent, run: now, type: 'output', call: 'c1', chunk: 'served' }, false, 0);
    const output = { agent, type: 'output', call: 'c1', append: 'served', whole: true };
    live.take({ agent, run: now, type: 'text_end' }, false, 0);
    assert.deepEqual(live.drain(), [{ agent, type: 'end' }, output]);
    live.end(agent, now);
    assert.deepEqual(live.drain(), [{ agent, type: 'end' }, output]);
    live.end(agent, null);
    assert.deepEqual(live.drain(), [{ agent, type: 'end' }]);
  });

  it('outlives the result of a call, whose output alone goes', () => {
    const live = streaming();
    live.take({ agent, run: now, type: 'output', call: 'c1', chunk: 'ran' }, false, 0);
    assert.equal(live.drain().length, 2);
    live.endOutput(agent, 'c1');
    assert.deepEqual(live.drain(), [{ agent, type: 'end' }, text]);
    live.endOutput(agent, 'c0');
    assert.deepEqual(live.drain(), []);
  });
});
