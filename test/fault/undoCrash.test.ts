import assert from 'node:assert/strict';
import type { UndoId } from '../../src/shared/ids';
import { undoOf } from '../../src/shared/lookup';
import { UndoRig } from '../support/undoRig';

const member = { type: 'member', agent: 'ui' } as const;

describe('a host that dies in an undo', () => {
  let rig: UndoRig;
  afterEach(() => rig.dispose());

  /** One file of its own, and two that a rename ties together. */
  const crashAfter = async (writes: number) => {
    rig = await UndoRig.start({ 'a.txt': 'a\n', 'old.txt': 'text\n' });
    await rig.change('ui', 'a.txt', 'b\n');
    await rig.move('ui', 'old.txt', 'new.txt');
    rig.crashAfter = writes;
    const done = await rig.undo(member);
    assert.equal(done.ok, false);
    rig.crashAfter = null;
  };
  const files = async () => [await rig.text('a.txt'), await rig.text('old.txt'), await rig.text('new.txt')];
  const phases = () => undoOf(rig.state, 'u0' as UndoId)?.units.map((unit) => unit.phase);

  it('before the first file: nothing was done, and it can be done again', async () => {
    await crashAfter(0);
    assert.deepEqual(phases(), ['open', 'open'], 'the intent is on the disk before the first write');
    assert.deepEqual(await rig.reopen(), []);
    assert.deepEqual(phases(), ['not_done', 'not_done']);
    assert.deepEqual(await files(), ['b\n', null, 'text\n']);
    assert.equal(await rig.report(member), 'u1 [a.txt new.txt]');
    assert.deepEqual(await files(), ['a\n', 'text\n', null]);
  });

  it('after the first file: it counts as undone, the others as they were', async () => {
    await crashAfter(1);
    assert.deepEqual(await rig.reopen(), []);
    assert.deepEqual(phases(), ['done', 'not_done']);
    assert.deepEqual(rig.standing, ['new.txt']);
    assert.deepEqual(await files(), ['a\n', null, 'text\n']);
    // What is settled is settled: another start looks at nothing again.
    await rig.put('a.txt', 'later\n');
    assert.deepEqual(await rig.reopen(), []);
    assert.deepEqual(await rig.text('a.txt'), 'later\n');
  });

  it('between two files that belong together: it is brought to its end, and nothing is lost', async () => {
    await crashAfter(2);
    assert.deepEqual(await files(), ['a\n', 'text\n', 'text\n']);
    assert.deepEqual(await rig.reopen(), []);
    assert.deepEqual(phases(), ['done', 'done']);
    assert.deepEqual(await files(), ['a\n', 'text\n', null]);
    assert.equal(await rig.report({ type: 'undo', undo: 'u0' as UndoId }), 'u1 [a.txt new.txt]');
    assert.deepEqual(await files(), ['b\n', null, 'text\n']);
  });

  it('and somebody wrote to the file before the next start: nobody can tell, it is left and told', async () => {
    await crashAfter(2);
    await rig.put('new.txt', 'mine\n');
    assert.deepEqual(await rig.reopen(), ['new.txt']);
    assert.deepEqual(phases(), ['done', 'unknown']);
    assert.deepEqual(await files(), ['a\n', 'text\n', 'mine\n']);
    assert.deepEqual(rig.standing, ['new.txt']);
  });

  it('that can not write its history writes no file either', async () => {
    rig = await UndoRig.start({ 'a.txt': 'a\n' });
    await rig.change('ui', 'a.txt', 'b\n');
    rig.breakDisk();
    const done = await rig.undo(member);
    assert.ok(!done.ok && done.error.code === 'store');
    assert.equal(await rig.text('a.txt'), 'b\n');
    assert.deepEqual(await rig.reopen(), []);
    assert.equal(await rig.report(member), 'u0 [a.txt]');
  });

  it('a file of several that can not be written any more: those before it are put back', async () => {
    let dirty: string | null = null;
    const editor = {
      isDirty: (path: string) => dirty !== null && path.endsWith(dirty),
      didWrite: () => undefined,
    };
    rig = await UndoRig.start({ 'old.txt': 'text\n' }, { editor });
    await rig.move('ui', 'old.txt', 'new.txt');
    dirty = 'new.txt';
    assert.equal(await rig.report(member), '- [] new.txt: {"code":"unsaved"}');
    assert.deepEqual([await rig.text('old.txt'), await rig.text('new.txt')], [null, 'text\n']);
    assert.deepEqual(phases(), ['not_done']);
  });
});
