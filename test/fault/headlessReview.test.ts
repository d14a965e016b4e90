import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type HeadlessPlace, headless, headlessPlace } from '../support/headless';
import { call, calls, say } from '../support/scriptedModel';

describe('the headless host on what a member has changed', function () {
  this.timeout(60_000);
  let place: HeadlessPlace;
  afterEach(() => place.close());

  it('accepts it, asks for changes, undoes it and the undo, each as a process of its own', async () => {
    place = await headlessPlace({
      lead: [
        call('team_add', { name: 'ui', role: 'page', task: 'Write it.', goal: 'A page.' }),
        say('I wait.'),
        say('It is there.'),
        say('It is better now.'),
      ],
      ui: [
        calls(
          call('write', { path: 'a.txt', content: 'one\n' }),
          call('write', { path: 'b.txt', content: 'b\n' }),
        ),
        say('Written.'),
        calls(call('read', { path: 'a.txt' }), call('write', { path: 'a.txt', content: 'ONE\n' })),
        say('In capitals.'),
      ],
    });
    const args = place.args.filter((arg) => arg !== '--events');
    const ran = async (...words: readonly string[]) => {
      const process = headless([...words, ...args]);
      return { code: await process.exit, out: process.out, err: process.err };
    };
    const text = (path: string) => readFile(join(place.work, path), 'utf8').catch(() => null);
    assert.equal((await ran('run', '--task', 'A page.')).code, 0);
    assert.deepEqual(await ran('request-changes', '--name', 'ui', '--text', 'In capitals.'), {
      code: 0,
      out: ['It is better now.'],
      err: [],
    });
    assert.equal(await text('a.txt'), 'ONE\n');
    assert.deepEqual(await ran('accept', '--name', 'ui'), { code: 0, out: ['accepted: ui'], err: [] });
    const again = await ran('accept', '--name', 'ui');
    assert.deepEqual([again.code, again.err], [1, ['refused: {"refusal":{"code":"gone","what":"report"}}']]);

    await writeFile(join(place.work, 'b.txt'), 'mine\n');
    const undone = await ran('undo', '--name', 'ui');
    assert.deepEqual(undone, {
      code: 1,
      out: ['u0 undone: a.txt'],
      err: ['left: b.txt: overlap {"by":[],"outside":true}'],
    });
    assert.deepEqual([await text('a.txt'), await text('b.txt')], [null, 'mine\n']);
    assert.deepEqual(await ran('undo', '--undo', 'u0'), { code: 0, out: ['u1 undone: a.txt'], err: [] });
    assert.equal(await text('a.txt'), 'ONE\n');
    await writeFile(join(place.work, 'b.txt'), 'b\n');
    assert.equal((await ran('undo', '--all')).code, 0);
    assert.deepEqual([await text('a.txt'), await text('b.txt')], [null, null]);
    assert.equal((await ran('undo', '--all', '--name', 'ui')).code, 2);
  });
});
