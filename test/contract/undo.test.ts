import assert from 'node:assert/strict';
import type { UndoId } from '../../src/shared/ids';
import { lastUndo } from '../../src/shared/undos';
import { UndoRig } from '../support/undoRig';

const lines = (...texts: readonly string[]) => texts.map((text) => `${text}\n`).join('');
const TEN = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const ten = (changes: Readonly<Record<number, string>> = {}) =>
  lines(...TEN.map((word, index) => changes[index + 1] ?? word));
const back = (undo: string) => ({ type: 'undo', undo: undo as UndoId }) as const;
const member = (agent: string) => ({ type: 'member', agent }) as const;
const file = (agent: string, path: string) => ({ type: 'file', agent, path }) as const;

describe('undo on real files', () => {
  let rig: UndoRig;
  afterEach(() => rig.dispose());

  it("takes one member's changes out of files that others and the person changed too, and nothing else", async () => {
    rig = await UndoRig.start({ 'a.txt': ten(), 'b.txt': 'b\n' });
    await rig.change('ui', 'a.txt', ten({ 1: 'ONE' }));
    await rig.change('api', 'a.txt', ten({ 1: 'ONE', 5: 'FIVE' }));
    await rig.change('ui', 'a.txt', ten({ 1: 'Eins', 5: 'FIVE' }));
    await rig.change('ui', 'new.txt', 'made by ui\n');
    await rig.change('api', 'b.txt', 'by api\n');
    await rig.put('a.txt', ten({ 1: 'Eins', 5: 'FIVE', 10: 'mine' }));
    assert.equal(await rig.report(member('ui')), 'u0 [a.txt new.txt]');
    assert.equal(await rig.text('a.txt'), ten({ 5: 'FIVE', 10: 'mine' }));
    assert.equal(await rig.text('new.txt'), null);
    assert.equal(await rig.text('b.txt'), 'by api\n');
    assert.deepEqual(rig.standing, ['a.txt', 'b.txt']);
    assert.equal(await rig.report(member('ui')), '- []');

    // Undo of the undo, by the same code, and once more.
    assert.equal(await rig.report(back('u0')), 'u1 [a.txt new.txt]');
    assert.equal(await rig.text('a.txt'), ten({ 1: 'Eins', 5: 'FIVE', 10: 'mine' }));
    assert.equal(await rig.text('new.txt'), 'made by ui\n');
    assert.equal(rig.standing.length, 5);
    assert.match(await rig.report(back('u0')), /"code":"gone"/);
    assert.equal(await rig.report(back('u1')), 'u2 [a.txt new.txt]');
    assert.equal(await rig.text('a.txt'), ten({ 5: 'FIVE', 10: 'mine' }));
    assert.equal(lastUndo(rig.state)?.id, 'u2');
  });

  it('everything of the task goes back to what it was, with what the person wrote meanwhile', async () => {
    rig = await UndoRig.start({ 'a.txt': ten(), 'gone.txt': 'was here\n' });
    await rig.change('ui', 'a.txt', ten({ 2: 'TWO' }));
    await rig.change('api', 'a.txt', ten({ 2: 'ZWEI' }));
    await rig.change('api', 'gone.txt', null);
    await rig.put('a.txt', ten({ 2: 'ZWEI', 9: 'mine' }));
    assert.equal(await rig.report({ type: 'task' }), 'u0 [a.txt gone.txt]');
    assert.equal(await rig.text('a.txt'), ten({ 9: 'mine' }));
    assert.equal(await rig.text('gone.txt'), 'was here\n');
    assert.deepEqual(rig.standing, []);
  });

  it('refuses with who is in the way, and leaves such a file to the byte as it is', async () => {
    rig = await UndoRig.start({ 'a.txt': ten(), 'b.txt': ten(), 'ok.txt': 'x\n' });
    await rig.change('ui', 'a.txt', ten({ 2: 'TWO' }));
    await rig.change('ui', 'b.txt', ten({ 2: 'TWO' }));
    await rig.change('ui', 'c.txt', 'made\n');
    await rig.change('ui', 'ok.txt', 'y\n');
    await rig.change('api', 'a.txt', ten({ 2: 'TWO, or so' }));
    await rig.put('b.txt', ten({ 2: 'mine' }));
    await rig.put('c.txt', 'made\nand mine\n');
    assert.equal(
      await rig.report(member('ui')),
      'u0 [ok.txt] a.txt: {"code":"overlap","by":["api"],"outside":false}' +
        ' b.txt: {"code":"overlap","by":[],"outside":true}' +
        ' c.txt: {"code":"overlap","by":[],"outside":true}',
    );
    assert.equal(await rig.text('a.txt'), ten({ 2: 'TWO, or so' }));
    assert.equal(await rig.text('b.txt'), ten({ 2: 'mine' }));
    assert.equal(await rig.text('c.txt'), 'made\nand mine\n');
    assert.deepEqual(rig.standing, ['a.txt', 'b.txt', 'c.txt', 'a.txt']);
  });

  it('an undo that is undone keeps what came after it, and refuses where that overlaps', async () => {
    rig = await UndoRig.start({ 'a.txt': ten(), 'b.txt': ten() });
    await rig.change('ui', 'a.txt', ten({ 2: 'TWO' }));
    await rig.change('ui', 'b.txt', ten({ 2: 'TWO' }));
    await rig.undo(member('ui'));
    await rig.put('a.txt', ten({ 8: 'mine' }));
    await rig.change('api', 'b.txt', ten({ 2: 'by api' }));
    assert.equal(
      await rig.report(back('u0')),
      'u1 [a.txt] b.txt: {"code":"overlap","by":["api"],"outside":false}',
    );
    assert.equal(await rig.text('a.txt'), ten({ 2: 'TWO', 8: 'mine' }));
    assert.equal(await rig.text('b.txt'), ten({ 2: 'by api' }));
    // What was refused can be undone later, when nothing is in the way any more.
    await rig.undo(member('api'));
    assert.equal(await rig.report(back('u0')), 'u3 [b.txt]');
    assert.equal(await rig.text('b.txt'), ten({ 2: 'TWO' }));
  });

  it('never writes over unsaved text', async () => {
    let dirty = true;
    rig = await UndoRig.start(
      { 'a.txt': 'a\n' },
      { editor: { isDirty: () => dirty, didWrite: () => undefined } },
    );
    await rig.change('ui', 'a.txt', 'b\n');
    assert.equal(await rig.report(member('ui')), '- [] a.txt: {"code":"unsaved"}');
    assert.equal(await rig.text('a.txt'), 'b\n');
    assert.deepEqual(rig.standing, ['a.txt']);
    dirty = false;
    assert.equal(await rig.report(member('ui')), 'u1 [a.txt]');
  });

  it('one hunk alone goes, comes back, and with the last one all of it is out', async () => {
    rig = await UndoRig.start({ 'a.txt': ten() });
    await rig.change('ui', 'a.txt', ten({ 1: 'ONE', 10: 'TEN' }));
    await rig.put('a.txt', ten({ 1: 'ONE', 5: 'mine', 10: 'TEN' }));
    const [first, second] = await rig.hunks('ui', 'a.txt');
    assert.ok(first !== undefined && second !== undefined);
    const hunk = (id: string) => ({ type: 'hunk', agent: 'ui', path: 'a.txt', hunk: id }) as const;
    assert.equal(await rig.report(hunk(second)), 'u0 [a.txt]');
    assert.equal(await rig.text('a.txt'), ten({ 1: 'ONE', 5: 'mine' }));
    assert.deepEqual(rig.standing, ['a.txt']);
    assert.equal(await rig.report(hunk(second)), '- [] a.txt: {"code":"hunk_gone"}');
    assert.equal(await rig.report(back('u0')), 'u1 [a.txt]');
    assert.equal(await rig.text('a.txt'), ten({ 1: 'ONE', 5: 'mine', 10: 'TEN' }));
    assert.equal(await rig.report(hunk(second)), 'u2 [a.txt]');
    assert.equal(await rig.report(hunk(first)), 'u3 [a.txt]');
    assert.equal(await rig.text('a.txt'), ten({ 5: 'mine' }));
    assert.deepEqual(rig.standing, []);
    assert.equal(await rig.report(back('u3')), 'u4 [a.txt]');
    assert.deepEqual(rig.standing, ['a.txt']);
    // The rest of the file's changes goes as a whole, also what is left of them.
    assert.equal(await rig.report(file('ui', 'a.txt')), 'u5 [a.txt]');
    assert.equal(await rig.text('a.txt'), ten({ 5: 'mine' }));
  });

  it('a rename goes with what was changed before and after it, both ways, and not over another file', async () => {
    rig = await UndoRig.start({ 'old.txt': ten() });
    await rig.change('ui', 'old.txt', ten({ 1: 'ONE' }));
    await rig.move('ui', 'old.txt', 'sub/new.txt');
    await rig.change('ui', 'sub/new.txt', ten({ 1: 'ONE', 3: 'THREE' }));
    await rig.put('sub/new.txt', ten({ 1: 'ONE', 3: 'THREE', 9: 'mine' }));
    await rig.put('old.txt', 'another\n');
    assert.equal(
      await rig.report(file('ui', 'sub/new.txt')),
      '- [] sub/new.txt: {"code":"place_taken","place":"old.txt"}',
    );
    await rig.put('old.txt', null);
    assert.equal(await rig.report(file('ui', 'old.txt')), 'u0 [sub/new.txt]');
    assert.equal(await rig.text('old.txt'), ten({ 9: 'mine' }));
    assert.equal(await rig.text('sub/new.txt'), null);
    assert.deepEqual(rig.standing, []);
    assert.equal(await rig.report(back('u0')), 'u1 [sub/new.txt]');
    assert.equal(await rig.text('old.txt'), null);
    assert.equal(await rig.text('sub/new.txt'), ten({ 1: 'ONE', 3: 'THREE', 9: 'mine' }));
  });

  it('permission bits go back and come again, also alone, and a later change of them is kept by refusing', async () => {
    rig = await UndoRig.start({ 'run.sh': '#!/bin/sh\n' });
    await rig.chmod('ui', 'run.sh', 0o755);
    assert.equal(await rig.report(member('ui')), 'u0 [run.sh]');
    assert.equal(await rig.mode('run.sh'), 0o644);
    assert.equal(await rig.report(back('u0')), 'u1 [run.sh]');
    assert.equal(await rig.mode('run.sh'), 0o755);
    await rig.change('ui', 'made.sh', 'x\n');
    await rig.chmod('ui', 'made.sh', 0o700);
    await rig.undo(file('ui', 'made.sh'));
    assert.equal(await rig.text('made.sh'), null);
    await rig.undo(back('u2'));
    assert.equal(await rig.mode('made.sh'), 0o700);
    await rig.chmod('api', 'run.sh', 0o600);
    assert.equal(
      await rig.report(member('ui')),
      'u4 [made.sh] run.sh: {"code":"overlap","by":["api"],"outside":false}',
    );
    assert.equal(await rig.mode('run.sh'), 0o600);
  });

  it('a file that was removed comes back with the bits it had', async () => {
    rig = await UndoRig.start({ 'tool.sh': 'x\n' });
    const mode = { before: 0o750, after: 0o750 };
    await rig.change('ui', 'tool.sh', null, { mode });
    assert.equal(await rig.report(member('ui')), 'u0 [tool.sh]');
    assert.equal(await rig.mode('tool.sh'), 0o750);
    await rig.undo(back('u0'));
    assert.equal(await rig.text('tool.sh'), null);
    await rig.undo(back('u1'));
    assert.equal(await rig.mode('tool.sh'), 0o750);
  });

  it('bytes that are no text go back if nothing came since, and what has no content from before is left', async () => {
    const old = new Uint8Array([0, 1, 255]);
    rig = await UndoRig.start({ 'a.bin': old, 'big.bin': 'big' });
    await rig.change('ui', 'a.bin', new Uint8Array([0, 2]));
    await rig.change('ui', 'big.bin', 'other', { before: null, undoable: false });
    await rig.change('ui', 'early.bin', 'x', { before: null, beforeHash: 'f'.repeat(64), kind: 'modify' });
    assert.equal(
      await rig.report(member('ui')),
      'u0 [a.bin] big.bin: {"code":"no_before"} early.bin: {"code":"no_before"}',
    );
    assert.deepEqual(new Uint8Array((await rig.bytes('a.bin')) ?? []), old);
    assert.equal(await rig.text('early.bin'), 'x');
    await rig.undo(back('u0'));
    await rig.put('a.bin', new Uint8Array([0, 3]));
    assert.equal(
      await rig.report(file('ui', 'a.bin')),
      '- [] a.bin: {"code":"no_merge","by":[],"outside":true}',
    );
  });

  it('two at once are one after the other: the second finds nothing left', async () => {
    rig = await UndoRig.start({ 'a.txt': 'a\n' });
    await rig.change('ui', 'a.txt', 'b\n');
    const both = await Promise.all([rig.report(member('ui')), rig.report({ type: 'task' })]);
    assert.deepEqual(both, ['u0 [a.txt]', '- []']);
  });
});
