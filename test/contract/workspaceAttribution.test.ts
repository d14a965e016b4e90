import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock';
import { Attribution } from '../../src/workspace/attribution/attribution';
import type { FoundChange } from '../../src/workspace/attributionPort';
import type { Actor } from '../../src/workspace/port';
import { hashOf } from '../../src/workspace/text';
import { alice, bob, type TempWorkspace, tempWorkspace } from '../support/tempWorkspace';

const script = join(__dirname, 'attributionWorker.js');

const text = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : Buffer.from(bytes).toString('latin1');

/** `kind path: before > after`, null for no file or no content, with what else there is to say. */
function told(change: FoundChange): string {
  const { kind, path, from, mode, sharedWith, undoable } = change;
  // Of a deleted file they are told to be had back.
  const bits =
    mode === undefined || mode.before === mode.after
      ? ''
      : ` mode ${mode.before.toString(8)}>${mode.after.toString(8)}`;
  const shared = sharedWith === undefined ? '' : ` shared with ${sharedWith.join(',')}`;
  const named = from === undefined ? path : `${from}>${path}`;
  return `${kind} ${named}: ${text(change.before)} > ${text(change.after)}${bits}${shared}${undoable ? '' : " can't be undone"}`;
}

describe('what commands change, found on real files', function () {
  this.timeout(30_000);
  let workspace: TempWorkspace;
  let attribution: Attribution;
  let problems: string[] = [];

  async function open(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
    problems = [];
    workspace = await tempWorkspace(files);
    attribution = made(script);
  }

  const made = (worker: string): Attribution =>
    new Attribution({
      script: worker,
      folders: workspace.gateway.folders,
      clock: systemClock,
      log: {
        debug: () => undefined,
        info: () => undefined,
        warn: (message) => problems.push(message),
        error: (message, error) => problems.push(`${message} ${String(error)}`),
      },
    });

  const sh = (command: string): void => {
    execFileSync('sh', ['-c', command], { cwd: workspace.root, stdio: 'pipe' });
  };

  /** A command of an agent's that is running. */
  async function start(actor: Actor) {
    const found: string[] = [];
    const watch = await attribution.begin(actor, async (changes) => {
      found.push(...changes.map(told));
    });
    return {
      found,
      end: async () => {
        assert.ok(await watch.end());
        return found.sort();
      },
    };
  }

  async function changesOf(command: string, actor = alice): Promise<readonly string[]> {
    const running = await start(actor);
    sh(command);
    return running.end();
  }

  afterEach(async () => {
    await attribution.dispose();
    await workspace.dispose();
    assert.deepEqual(problems, []);
  });

  it('tells every kind of change, with the contents before and after, binary ones too', async () => {
    await open({
      'changed.txt': 'old\n',
      'gone.txt': 'bye\n',
      'moved.txt': 'move me\n',
      'run.sh': 'echo\n',
      'data.bin': new Uint8Array([0, 1, 255]),
      'sub/deep/inner.txt': 'inner\n',
      'same.txt': 'same\n',
    });
    const found = await changesOf(`
      echo new > created.txt
      echo more >> changed.txt
      rm gone.txt
      mv moved.txt there.txt
      chmod 755 run.sh
      printf '\\000\\002' > data.bin
      mv sub/deep sub/renamed
      mkdir -p made/deep && echo in > made/deep/in.txt
      touch same.txt
    `);
    assert.deepEqual(found, [
      'create created.txt: null > new\n',
      'create made/deep/in.txt: null > in\n',
      'delete gone.txt: bye\n > null',
      'modify changed.txt: old\n > old\nmore\n',
      'modify data.bin: \0\x01\xff > \0\x02',
      'modify run.sh: echo\n > echo\n mode 644>755',
      'rename moved.txt>there.txt: move me\n > move me\n',
      'rename sub/deep/inner.txt>sub/renamed/inner.txt: inner\n > inner\n',
    ]);
  });

  it('tells each command what it did itself, also of files that earlier ones made, changed or removed', async () => {
    await open({ 'a.txt': '1\n' });
    assert.deepEqual(await changesOf('echo 2 > a.txt; echo b > b.txt'), [
      'create b.txt: null > b\n',
      'modify a.txt: 1\n > 2\n',
    ]);
    assert.deepEqual(await changesOf('echo 3 > a.txt; rm b.txt'), [
      'delete b.txt: b\n > null',
      'modify a.txt: 2\n > 3\n',
    ]);
    assert.deepEqual(await changesOf('true'), []);
    assert.deepEqual(await changesOf('mkdir d; echo c > d/c.txt'), ['create d/c.txt: null > c\n']);
    assert.deepEqual(await changesOf('rm -r d'), ['delete d/c.txt: c\n > null']);
    assert.deepEqual(await changesOf('echo d > d'), ['create d: null > d\n']);
    assert.deepEqual(await changesOf('rm d; mkdir d; echo e > d/e.txt'), [
      'create d/e.txt: null > e\n',
      'delete d: d\n > null',
    ]);
  });

  it("what the person does between two commands is nobody's, and is what the next command found", async () => {
    await open({ 'a.txt': '1\n' });
    await changesOf('true');
    await workspace.put('a.txt', 'the person\n');
    await workspace.put('p.txt', 'p\n');
    assert.deepEqual(await changesOf('echo agent >> a.txt'), [
      'modify a.txt: the person\n > the person\nagent\n',
    ]);
  });

  it("what the person saves in the editor while a command runs is not the command's", async () => {
    await open({ 'a.txt': '1\n', 'b.txt': '1\n', 'c.txt': '1\n' });
    const running = await start(alice);
    sh('echo 2 > a.txt');
    await workspace.put('b.txt', 'the person\n');
    attribution.saved(join(workspace.root, 'b.txt'));
    await workspace.put('c.txt', 'the person\n');
    attribution.saved(join(workspace.root, 'c.txt'));
    sh('sleep 0.05; echo 2 >> c.txt');
    assert.deepEqual(await running.end(), [
      'modify a.txt: 1\n > 2\n',
      // Both wrote to it: an undo would take the person's words out too.
      "modify c.txt: null > the person\n2\n can't be undone",
    ]);
  });

  it('what a command did to a file before and after the person saved it is told, and the person’s words are not', async () => {
    await open({ 'a.txt': '1\n', 'b.txt': '1\n', 'c.txt': '1\n' });
    const running = await start(alice);
    const save = async (path: string, content: string) => {
      attribution.saving(join(workspace.root, path));
      await workspace.put(path, content);
      attribution.saved(join(workspace.root, path));
    };
    sh('echo command >> a.txt');
    await save('a.txt', 'person\n1\ncommand\n');
    await save('b.txt', 'person\n1\n');
    sh('echo command >> b.txt');
    await save('c.txt', 'person\n');
    await save('new.txt', 'person\n');
    assert.deepEqual(await running.end(), [
      'modify a.txt: 1\n > 1\ncommand\n',
      'modify b.txt: person\n1\n > person\n1\ncommand\n',
    ]);
  });

  it("a write by a tool while a command runs stays that agent's; what the command does before or after it is told", async () => {
    await open({ 'a.txt': '1\n', 'b.txt': '1\n', 'c.txt': '1\n' });
    const running = await start(alice);
    const bytes = (value: string) => Buffer.from(value);
    const write = async (path: string, before: string | null, after: string) => {
      const settle = attribution.writing([
        {
          real: join(workspace.root, path),
          before: before === null ? null : bytes(before),
          beforeHash: before === null ? null : hashOf(bytes(before)),
          after: bytes(after),
        },
      ]);
      await workspace.put(path, after);
      settle(true);
    };
    await write('a.txt', '1\n', 'tool\n');
    await write('new.txt', null, 'tool\n');
    sh('echo command >> b.txt');
    await write('b.txt', '1\ncommand\n', 'tool over command\n');
    await write('c.txt', '1\n', 'tool\n');
    sh('echo command >> c.txt');
    assert.deepEqual(await running.end(), [
      'modify b.txt: 1\n > 1\ncommand\n',
      'modify c.txt: tool\n > tool\ncommand\n',
    ]);
    assert.deepEqual(await changesOf('echo x > a.txt', bob), ['modify a.txt: tool\n > x\n']);
  });

  it('commands of two agents that overlap: alone what only one can have done, shared what was done meanwhile', async () => {
    await open({ 'a.txt': '1\n' });
    const first = await start(alice);
    sh('echo alice > only-alice.txt');
    const second = await start(bob);
    sh('echo both > both.txt; echo 2 > a.txt');
    assert.deepEqual(await first.end(), [
      'create both.txt: null > both\n shared with bob',
      'create only-alice.txt: null > alice\n',
      'modify a.txt: 1\n > 2\n shared with bob',
    ]);
    sh('echo 3 > a.txt');
    assert.deepEqual(await second.end(), ['modify a.txt: 2\n > 3\n']);
  });

  it("two commands of one agent share nothing: what one of them did is the agent's", async () => {
    await open({});
    const job = await start(alice);
    assert.deepEqual(await changesOf('echo x > x.txt'), ['create x.txt: null > x\n']);
    sh('echo y > y.txt');
    assert.deepEqual(await job.end(), ['create y.txt: null > y\n']);
  });

  it('what git ignores is not told, nor what comes into view or goes out of it when the rules change', async () => {
    await open({
      '.gitignore': 'build/\n',
      'build/old.txt': 'old\n',
      'log.txt': 'log\n',
      'node_modules/p/index.js': '1\n',
      'sub/log.txt': 'log\n',
    });
    await changesOf('true');
    assert.deepEqual(
      await changesOf(
        'echo new > build/new.txt; echo 2 > node_modules/p/index.js; mkdir .git; echo x > .git/x',
      ),
      [],
    );
    await new Promise((done) => setTimeout(done, 50));
    assert.deepEqual(await changesOf("echo 'log.txt' > .gitignore"), [
      'modify .gitignore: build/\n > log.txt\n',
    ]);
    assert.deepEqual(await changesOf('echo 2 > log.txt; echo 2 > build/old.txt; rm .gitignore'), [
      'delete .gitignore: log.txt\n > null',
      'modify build/old.txt: old\n > 2\n',
      // It was there, out of view: nobody knows what it held.
      "modify log.txt: null > 2\n can't be undone",
    ]);
  });

  /** A file of its own size that only git can have kept, since no copy of it is made. */
  const big = 'x'.repeat(2_000_000);
  /** Commits everything, in a pack; the files are older than the index by more than a tick of the clock. */
  const commitAll = () =>
    sh(`git init -q . && git config user.name n && git config user.email e@x && touch -d '2 minutes ago' *.txt &&
      git add -A && git commit -qm m && git gc -q`);

  it('takes the content before from git where its index vouches for the file', async () => {
    await open({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'big.txt': big });
    commitAll();
    const found = await changesOf('echo 2 > a.txt; rm b.txt; echo 2 > big.txt; git commit -qam x');
    assert.deepEqual(
      found.map((line) => line.replace(big, 'BIG')),
      ['delete b.txt: two\n > null', 'modify a.txt: one\n > 2\n', 'modify big.txt: BIG > 2\n'],
    );
  });

  it('does not take it from git where git changes contents on their way out', async () => {
    const files = { 'a.txt': 'x\r\n', 'big.txt': big };
    await open({ ...files, 'sub/.gitattributes': '*.txt filter=secret\n' });
    commitAll();
    assert.deepEqual(await changesOf('echo 2 > a.txt; echo 2 > big.txt'), [
      'modify a.txt: x\r\n > 2\n',
      "modify big.txt: null > 2\n can't be undone",
    ]);
  });

  it('what has no content from before is told as that: too large, or a link', async () => {
    await open({ 'big.bin': new Uint8Array(2_000_000), 'a.txt': 'a\n' });
    assert.deepEqual(await changesOf('echo small > big.bin; ln -s a.txt link; rm a.txt'), [
      "create link: null > null can't be undone",
      'delete a.txt: a\n > null',
      "modify big.bin: null > small\n can't be undone",
    ]);
  });

  it('a command runs and ends though its changes can’t be found out, and the log says so', async () => {
    await open({ 'a.txt': 'a\n' });
    await attribution.dispose();
    attribution = made('/there/is/no/worker.js');
    const watch = await attribution.begin(alice, () => assert.fail('nothing is known'));
    sh('echo b > a.txt');
    assert.equal(await watch.end(), false);
    assert.match(problems.join('\n'), /no\/worker\.js/);
    assert.match(problems.join('\n'), /what a command of alice's changed is not known/);
    problems = [];
  });

  it('a change within a tick of the clock, to a content of the same length, is found', async () => {
    await open({ 'a.txt': '1\n' });
    await changesOf('true');
    for (let n = 2; n < 9; n++) {
      const running = await start(alice);
      sh(`echo ${n} > a.txt; touch -d @1700000000 a.txt`);
      const found = await running.end();
      assert.deepEqual(found, [`modify a.txt: ${n - 1}\n > ${n}\n`]);
    }
  });
});
