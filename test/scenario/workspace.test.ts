import assert from 'node:assert/strict';
import { sameTranscript } from '../support/golden';
import { scenes } from '../support/scene';
import { call, calls, hold, say } from '../support/scriptedModel';

const member = (name: string) =>
  call('team_add', { name, role: name, task: `You are on part ${name}.`, goal: 'Parts.' });
const read = (path: string) => call('read', { path });
const edit = (path: string, old: string, to: string) => call('edit', { path, old, new: to });
const write = (path: string, content: string) => call('write', { path, content });

describe('the workspace', function () {
  const { start } = scenes(this);

  it('two members on one file: the lease and the stale answer name the other, then both changes stand', async () => {
    const rig = await start({ files: { 'a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n' } });
    rig.server.script({
      lead: [calls(member('a'), member('b')), say('Two.'), say('a is done.'), say('b is done.')],
      a: [hold('a', read('a.txt')), edit('a.txt', 'one', 'ONE'), hold('a ends', say('a: done.'))],
      b: [
        hold('b', calls(read('a.txt'), read('c.txt'))),
        hold('b edits', calls(edit('a.txt', 'seven', 'SEVEN'), write('a.txt', 'mine\n'))),
        hold('b again', edit('a.txt', 'seven', 'SEVEN')),
        calls(read('a.txt'), edit('a.txt', 'seven', 'SEVEN'), write('c.txt', 'new\n')),
        say('b: done.'),
      ],
    });
    const session = await rig.delegate('Two parts.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('b');
    await rig.server.held('b edits');
    rig.server.release('a');
    await rig.server.held('a ends');
    rig.server.release('b edits');
    await rig.server.held('b again');
    rig.server.release('a ends');
    await rig.turns(session, 'lead', 2);
    rig.server.release('b again');
    await rig.turns(session, 'lead', 3);
    assert.equal(await rig.read('a.txt'), 'ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');

    // Undo of one member's changes leaves the other's.
    assert.deepEqual(await rig.engine.undo(session, { type: 'member', agent: 'a' }), {
      ok: true,
      value: { id: 'u0', undone: ['a.txt'], refused: [] },
    });
    assert.equal(await rig.read('a.txt'), 'one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n');
    assert.deepEqual(await rig.engine.undo(session, { type: 'file', agent: 'b', path: 'a.txt' }), {
      ok: true,
      value: { id: 'u1', undone: ['a.txt'], refused: [] },
    });
    assert.equal(await rig.read('a.txt'), 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n');
    assert.equal(await rig.read('c.txt'), 'new\n');
    await sameTranscript(rig, 'workspace/one-file', session);
  });

  it('an undo that would have to guess is refused with the file and whose changes are in the way', async () => {
    const rig = await start({ files: { 'a.txt': 'alpha\n', 'b.txt': 'beta\n' } });
    rig.server.script({
      lead: [calls(member('a'), member('b')), say('Two.'), say('a is done.'), say('b is done.')],
      a: [
        hold('a', calls(read('a.txt'), read('b.txt'))),
        calls(edit('a.txt', 'alpha', 'by a'), edit('b.txt', 'beta', 'by a'), write('c.txt', 'by a\n')),
        say('a: done.'),
      ],
      b: [hold('b', calls(read('a.txt'), edit('a.txt', 'by a', 'by a and b'))), say('b: done.')],
    });
    const session = await rig.delegate('Two parts.');
    await rig.turns(session, 'lead', 1);
    rig.server.release('a');
    await rig.turns(session, 'lead', 2);
    rig.server.release('b');
    await rig.turns(session, 'lead', 3);
    await rig.write('c.txt', 'by the person\n');
    const byB = { code: 'overlap', by: ['b'], outside: false };
    assert.deepEqual(await rig.engine.undo(session, { type: 'file', agent: 'a', path: 'a.txt' }), {
      ok: false,
      error: { code: 'conflict', report: { id: null, undone: [], refused: [{ path: 'a.txt', why: byB }] } },
    });
    assert.deepEqual(await rig.engine.undo(session, { type: 'member', agent: 'a' }), {
      ok: true,
      value: {
        id: 'u0',
        undone: ['b.txt'],
        refused: [
          { path: 'a.txt', why: byB },
          { path: 'c.txt', why: { code: 'overlap', by: [], outside: true } },
        ],
      },
    });
    assert.deepEqual(
      [await rig.read('a.txt'), await rig.read('b.txt'), await rig.read('c.txt')],
      ['by a and b\n', 'beta\n', 'by the person\n'],
    );
    await sameTranscript(rig, 'workspace/undo-refused', session);
  });

  it('what can not be read, written or found gets an answer that says what to do', async () => {
    const rig = await start({
      files: {
        'twice.txt': 'same\nother\nsame\n',
        'latin.txt': Buffer.from([0x67, 0xfc, 0x6e, 0x0a]),
        'binary.bin': Buffer.from([1, 0, 2, 0, 3]),
        'deep/inside.txt': 'x\n',
        'crlf.txt': 'one\r\ntwo\r\n',
      },
    });
    rig.server.script({
      lead: [
        calls(
          read('twice.txt'),
          read('latin.txt'),
          read('binary.bin'),
          read('deep'),
          read('inside.txt'),
          read('crlf.txt'),
        ),
        calls(
          edit('twice.txt', 'same', 'changed'),
          edit('twice.txt', 'nothing like it', 'x'),
          edit('twice.txt', 'same', 'same'),
          edit('deep/inside.txt', 'x', 'y'),
          edit('crlf.txt', 'one\ntwo', 'eins\nzwei'),
          write('deep', 'x'),
          write('deep/inside.txt', 'y\n'),
        ),
        calls(
          call('bash', { command: 'exit 3' }),
          call('bash', { command: 'sleep 30', timeout_seconds: 1 }),
          call('bash', { command: 'echo out; echo err >&2; sleep 30 & echo $!' }),
          call('grep', { pattern: '(' }),
          call('glob', { pattern: '../*' }),
          call('list', { path: 'nowhere' }),
        ),
        say('All seen.'),
      ],
    });
    const session = await rig.delegate('Try things.', { mode: 'auto' });
    await rig.turns(session, 'lead', 1);
    assert.equal(await rig.read('crlf.txt'), 'eins\r\nzwei\r\n');
    await sameTranscript(rig, 'workspace/answers', session);
  });
});
