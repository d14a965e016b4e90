import assert from 'node:assert/strict';
import { steering } from '../../src/workspace/shell/steering';

describe('files that decide what a command does', () => {
  const decides = (command: string, path: string) => steering(command)(path);

  it('A15 are those that it names, in any folder and spelling, and those that build and test tools obey', () => {
    for (const [command, path] of [
      ['sh check.sh', 'check.sh'],
      ['cd scripts && ./check.sh', 'scripts/check.sh'],
      ['bash -c "node tools/run.mjs"', 'package.json'],
      ['npm test', 'package.json'],
      ['npm test', 'packages/a/package.json'],
      ['npm test', 'vitest.config.ts'],
      ['npm test', '.mocharc.yml'],
      ['make', 'Makefile'],
      ['make', 'rules.mk'],
      ['pytest', 'tests/conftest.py'],
      ['sh CHECK.sh', 'check.SH'],
      ['echo x > a.sh; sh a.sh', 'a.sh'],
      ['sh < a.sh > b.sh', 'a.sh'],
    ] as const) {
      assert.ok(decides(command, path), `${command}: ${path}`);
    }
  });

  it('are no others: what a test imports is not followed, and what a command only writes decides nothing', () => {
    for (const [command, path] of [
      ['npm test', 'src/a.ts'],
      ['sh check.sh', 'docs/check.md'],
      ['make', 'README.md'],
      ['echo x >> log.txt', 'log.txt'],
      ['make > out.txt 2>&1', 'out.txt'],
    ] as const) {
      assert.ok(!decides(command, path), `${command}: ${path}`);
    }
  });
});
