import assert from 'node:assert/strict';
import { mkdir, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Gateway, noEditor } from '../../src/workspace/gateway';
import {
  alice,
  bob,
  problem,
  type TempWorkspace,
  tempWorkspace,
  value,
  writeAs,
} from '../support/tempWorkspace';

/** Folders and files as such, past the tools: what happens between the plan and the act. */
describe('the gateway, on whole folders', () => {
  let ws: TempWorkspace;

  beforeEach(async () => {
    ws = await tempWorkspace({ 'src/a.txt': 'a\n', 'src/in/b.txt': 'b\n', 'c.txt': 'c\n' });
  });
  afterEach(() => ws.dispose());

  const planMove = async (from: string, to: string, actor = alice) =>
    ws.gateway.trees.planMove(await ws.place(from), await ws.place(to), actor);
  const isThere = (path: string): Promise<boolean> =>
    stat(join(ws.root, path)).then(
      () => true,
      () => false,
    );

  it('A8 a folder that becomes a link to outside between plan and move leads nowhere', async () => {
    await mkdir(join(ws.root, 'to'));
    const plan = value(await planMove('c.txt', 'to/c.txt'));
    await rm(join(ws.root, 'to'), { recursive: true });
    await symlink(ws.around, join(ws.root, 'to'));
    assert.match(problem(await ws.gateway.trees.move(plan, alice)).code, /^(?:outside|not_a_folder|io)$/u);
    assert.deepEqual(await readdir(ws.around), ['ws']);
    assert.equal(await ws.text('c.txt'), 'c\n');
  });

  it('A8 what is to be removed is not followed through a link that came up meanwhile', async () => {
    const plan = value(await ws.gateway.trees.planRemoval(await ws.place('src'), alice));
    const outside = join(ws.around, 'outside');
    await rename(join(ws.root, 'src'), outside);
    await symlink(outside, join(ws.root, 'src'));
    for (const change of plan.changes) problem(await ws.gateway.apply(change, alice));
    problem(await ws.gateway.trees.removeFolders(plan));
    assert.deepEqual(await readdir(outside), ['a.txt', 'in']);
  });

  it('A8 nor is a folder made through one', async () => {
    await mkdir(join(ws.root, 'x'));
    const path = await ws.place('x/y');
    await rm(join(ws.root, 'x'), { recursive: true });
    await symlink(ws.around, join(ws.root, 'x'));
    problem(await ws.gateway.trees.makeFolder(path));
    assert.deepEqual(await readdir(ws.around), ['ws']);
  });

  it('of two that move the same file one does, and the other is told', async () => {
    const plans = [
      value(await planMove('c.txt', 'd.txt')),
      value(await planMove('c.txt', 'e.txt', bob)),
    ] as const;
    const [one, two] = await Promise.all([
      ws.gateway.trees.move(plans[0], alice),
      ws.gateway.trees.move(plans[1], bob),
    ]);
    assert.deepEqual([one.ok, two.ok ? '' : two.error.code], [true, 'leased']);
    assert.deepEqual([await isThere('d.txt'), await isThere('e.txt')], [true, false]);
  });

  it('moves that want the same files in another order never wait for each other for ever', async () => {
    for (let round = 0; round < 20; round++) {
      const [there, back] = [
        value(await planMove('src', 'lib')),
        value(await planMove('c.txt', 'src/c.txt')),
      ];
      const done = await Promise.all([
        ws.gateway.trees.move(there, alice),
        ws.gateway.trees.move(back, alice),
        writeAs(ws, alice, `new${round}.txt`, 'x'),
      ]);
      assert.ok(done[2].ok);
      // Whichever came first: every file is still there, once.
      const names = (await readdir(ws.root, { recursive: true })).filter((name) => /[abc]\.txt$/u.test(name));
      assert.deepEqual(names.map((name) => name.slice(-5)).sort(), ['a.txt', 'b.txt', 'c.txt'], names.join());
      await ws.dispose();
      ws = await tempWorkspace({ 'src/a.txt': 'a\n', 'src/in/b.txt': 'b\n', 'c.txt': 'c\n' });
    }
  });

  it('a file that came into the folder after the plan stops the move and the removal', async () => {
    const move = value(await planMove('src', 'lib'));
    const removal = value(await ws.gateway.trees.planRemoval(await ws.place('src'), alice));
    await writeFile(join(ws.root, 'src/in/late.txt'), 'late\n');
    assert.deepEqual(problem(await ws.gateway.trees.move(move, alice)), {
      code: 'stale',
      path: 'src/in/late.txt',
      by: 'something outside',
    });
    for (const change of removal.changes) value(await ws.gateway.apply(change, alice));
    assert.deepEqual(problem(await ws.gateway.trees.removeFolders(removal)), {
      code: 'io',
      path: 'src/in',
      why: 'it is not empty: something came into it meanwhile',
    });
    assert.equal(await ws.text('src/in/late.txt'), 'late\n');
  });

  it('an open folder of the workspace, or one that holds it, is never moved or removed', async () => {
    const gateway = await Gateway.open({
      folders: [
        { name: 'all', path: ws.root },
        { name: 'in', path: join(ws.root, 'src/in') },
      ],
      editor: noEditor,
      uniqueName: () => 'n',
    });
    for (const path of ['all', 'all/src', 'in', 'all/src/in']) {
      const placed = value(await gateway.place(path));
      assert.equal(problem(await gateway.trees.planRemoval(placed, alice)).code, 'workspace_folder', path);
      const to = value(await gateway.place('all/elsewhere'));
      assert.match(
        problem(await gateway.trees.planMove(placed, to, alice)).code,
        /workspace_folder|into_itself/u,
      );
    }
    const file = value(await gateway.place('in/b.txt'));
    const to = value(await gateway.place('all/b.txt'));
    const plan = value(await gateway.trees.planMove(file, to, alice));
    value(await gateway.trees.move(plan, alice));
    assert.equal(await ws.text('b.txt'), 'b\n');
  });

  it('a link is named as a link, wherever it leads, and stays', async () => {
    await symlink('c.txt', join(ws.root, 'link'));
    await symlink('src', join(ws.root, 'folder'));
    for (const path of ['link', 'folder']) {
      const placed = await ws.place(path);
      assert.deepEqual(problem(await ws.gateway.trees.planRemoval(placed, alice)), {
        code: 'not_a_file',
        path: placed.shown,
        what: 'a link',
      });
    }
    // What is reached through a link is what it leads to.
    const inside = value(await ws.gateway.trees.planRemoval(await ws.place('folder/a.txt'), alice));
    assert.equal(inside.changes[0]?.path.real, join(ws.root, 'src/a.txt'));
  });
});
