import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diagnostics } from '../../src/tools/diagnostics';
import { Gateway } from '../../src/workspace/gateway';
import type { EditorProblem } from '../../src/workspace/port';
import { type TempWorkspace, tempWorkspace } from '../support/tempWorkspace';
import { ToolHost } from '../support/toolHost';

describe('diagnostics', () => {
  let ws: TempWorkspace;
  let problems: EditorProblem[];

  beforeEach(async () => {
    problems = [];
    ws = await tempWorkspace(
      { 'src/a.ts': 'x\n', 'b.ts': 'y\n', '.env': 'KEY=1\n', 'no.ts': '' },
      { editor: { isDirty: () => false, didWrite: () => undefined, problems: () => problems } },
    );
  });
  afterEach(() => ws.dispose());

  const found = (path: string, line: number, rest: Partial<EditorProblem> = {}): EditorProblem => ({
    real: join(ws.root, path),
    line,
    column: 1,
    severity: 'error',
    message: `wrong in ${path}`,
    source: 'ts 2304',
    ...rest,
  });
  const told = async (args: object = {}): Promise<string> => {
    const { status, text } = await new ToolHost(ws).call(diagnostics, args);
    return `${status}: ${text}`;
  };

  it('are told the worst first, then by place, those that are asked for', async () => {
    problems = [
      found('src/a.ts', 9, { severity: 'warning', message: 'unused\n  in two lines', source: '' }),
      found('src/a.ts', 3),
      found('b.ts', 7),
      found('b.ts', 2, { severity: 'hint' }),
    ];
    assert.equal(
      await told(),
      [
        'ok: 2 errors, 1 warning. 1 less severe one is not shown.',
        'b.ts:7:1 error: wrong in b.ts (ts 2304)',
        'src/a.ts:3:1 error: wrong in src/a.ts (ts 2304)',
        'src/a.ts:9:1 warning: unused / in two lines',
      ].join('\n'),
    );
    assert.match(await told({ path: 'src' }), /^ok: 1 error, 1 warning in src\.\nsrc\/a.ts:3:1/u);
    assert.match(await told({ path: 'b.ts', severity: 'hint' }), /^ok: 1 error, 1 hint in b.ts\./u);
    assert.match(await told({ severity: 'error' }), /^ok: 2 errors\. 2 less severe ones are not shown\./u);
    problems = [];
    assert.match(await told({ path: 'src' }), /^ok: The editor knows of no problems in src\./u);
  });

  it('of secret and denied files, and of files outside, are not told', async () => {
    await ws.put('.teamroomignore', 'no.ts\n');
    await mkdir(join(ws.around, 'ws-evil'));
    problems = [
      found('.env', 1),
      found('no.ts', 1),
      { ...found('a', 1), real: join(ws.around, 'ws-evil/a') },
    ];
    assert.match(await told({ severity: 'hint' }), /^ok: The editor knows of no problems\./u);
    assert.match(await told({ path: 'no.ts' }), /^refused: .*denied/u);
    assert.match(await told({ path: '../ws-evil' }), /^refused: .*outside/u);
    assert.match(await told({ path: 'src', severity: 'bad' }), /^error: .*not valid/u);
  });

  it('are bounded, and long messages are cut', async () => {
    problems = Array.from({ length: 130 }, (_, i) => found('b.ts', i + 1, { message: 'm'.repeat(600) }));
    const lines = (await told()).split('\n');
    assert.equal(lines.length, 102);
    assert.equal(lines.at(-1), '[30 more; name a path or a severity]');
    assert.ok((lines[1]?.length ?? 0) < 560);
  });

  it('without an editor it is said that there is none', async () => {
    const headless = await tempWorkspace({});
    try {
      const { status, text } = await new ToolHost(headless).call(diagnostics, {});
      assert.deepEqual([status, /^There is no editor here/u.test(text)], ['ok', true]);
    } finally {
      await headless.dispose();
    }
  });

  it('of several folders each path begins with its folder', async () => {
    problems = [found('src/a.ts', 1)];
    const gateway = await Gateway.open({
      folders: [
        { name: 'one', path: join(ws.root, 'src') },
        { name: 'two', path: ws.root },
      ],
      editor: { isDirty: () => false, didWrite: () => undefined, problems: () => problems },
      uniqueName: () => 'n',
    });
    const all = await gateway.problems(null);
    assert.deepEqual(
      all?.map((problem) => problem.path),
      ['one/a.ts'],
    );
  });
});
