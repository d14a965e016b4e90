import assert from 'node:assert/strict';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { Tracker } from '../../src/workspace/attribution/tracker';
import type { FoundChange } from '../../src/workspace/attributionPort';

type Files = Map<string, { readonly text: string; readonly mode: number }>;

/** What lies in a folder, as somebody sees it who reads everything. */
function filesIn(root: string, folder = '', found: Files = new Map()): Files {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) filesIn(root, path, found);
    else
      found.set(path, {
        text: readFileSync(join(root, path), 'latin1'),
        mode: lstatSync(join(root, path)).mode & 0o777,
      });
  }
  return found;
}

const names = fc.constantFrom('a', 'b', 'c');
const paths = fc.oneof(
  names,
  fc.tuple(names, names).map((each) => each.join('/')),
  fc.tuple(names, names, names).map((each) => each.join('/')),
);
const act = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('write' as const),
      path: paths,
      text: fc.constantFrom('', 'x', 'y', 'xx\n'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('remove' as const), path: paths }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('move' as const), path: paths, to: paths }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('bits' as const),
      path: paths,
      mode: fc.constantFrom(0o644, 0o755),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('touch' as const), path: paths }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** Does it if it can be done as things are. */
function perform(root: string, each: Act): void {
  const at = join(root, each.path);
  try {
    switch (each.type) {
      case 'write':
        mkdirSync(dirname(at), { recursive: true });
        writeFileSync(at, each.text);
        break;
      case 'remove':
        rmSync(at, { recursive: true });
        break;
      case 'move':
        mkdirSync(dirname(join(root, each.to)), { recursive: true });
        renameSync(at, join(root, each.to));
        break;
      case 'bits':
        if (lstatSync(at).isFile()) chmodSync(at, each.mode);
        break;
      case 'touch':
        // A time that says nothing of when it was changed.
        utimesSync(at, 1_700_000_000, 1_700_000_000);
        break;
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    assert.match(code, /^(ENOENT|ENOTDIR|EISDIR|EEXIST|ENOTEMPTY|EINVAL)$/, String(error));
  }
}

/** The files after these changes, each of which must have found what it says. */
function applied(before: Files, changes: readonly FoundChange[]): Files {
  const files = new Map(before);
  const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('latin1'));
  for (const { path, from, before: old, after, mode, undoable } of changes) {
    assert.ok(undoable, `${path} is known`);
    const was = files.get(from ?? path);
    assert.equal(text(old), was?.text ?? null, `what ${from ?? path} held`);
    if (from !== undefined) files.delete(from);
    const now = text(after);
    if (now === null) files.delete(path);
    // The bits of a new file aren't told: they are those that it has.
    else files.set(path, { text: now, mode: mode?.after ?? was?.mode ?? -1 });
  }
  return files;
}

describe('what commands change, whatever they do', function () {
  this.timeout(120_000);

  it('leads from the files before to the files after; what others do in between is in it nowhere', async () => {
    const step = fc.record({
      others: fc.array(act, { maxLength: 4 }),
      command: fc.array(act, { maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const root = realpathSync(mkdtempSync(join(tmpdir(), 'teamroom-any-')));
        try {
          const tracker = new Tracker([{ name: 'ws', root }], (problem) => assert.fail(problem));
          for (const [watch, { others, command }] of steps.entries()) {
            for (const each of others) perform(root, each);
            assert.equal(await tracker.begin(watch), null);
            const before = filesIn(root);
            for (const each of command) perform(root, each);
            const found = await tracker.end(watch);
            const after = filesIn(root);
            const told = applied(before, found?.changes ?? []);
            assert.deepEqual([...told.keys()].sort(), [...after.keys()].sort());
            for (const [path, { text, mode }] of after) {
              assert.equal(told.get(path)?.text, text, path);
              if (told.get(path)?.mode !== -1) assert.equal(told.get(path)?.mode, mode, path);
            }
          }
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      }),
      { numRuns: 150 },
    );
  });
});
