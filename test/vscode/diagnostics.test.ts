import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { TeamroomApi } from '../../src/vscode/api';
import { call, calls, type ScriptedModel, say, startScriptedModel } from '../support/scriptedModel';
import { isQuiet, teamroom, until, useModel, workspaceRoot } from '../support/teamroomApi';

describe('the problems that the editor knows of', () => {
  let server: ScriptedModel;
  let api: TeamroomApi;
  const known = vscode.languages.createDiagnosticCollection('teamroom-test');

  before(async () => {
    api = await teamroom();
    server = await startScriptedModel();
    await useModel(server);
  });
  after(async () => {
    known.dispose();
    await server.close();
  });

  it('an agent sees them by path and by severity, those of a secret file not at all', async () => {
    const problem = (line: number, message: string, severity: vscode.DiagnosticSeverity) => {
      const made = new vscode.Diagnostic(new vscode.Range(line, 2, line, 5), message, severity);
      made.source = 'checker';
      made.code = { value: 42, target: vscode.Uri.parse('https://example.invalid/42') };
      return made;
    };
    const { Error: Wrong, Warning, Hint } = vscode.DiagnosticSeverity;
    for (const [name, problems] of [
      [
        'checked.txt',
        [problem(4, 'rather not', Warning), problem(0, 'is wrong', Wrong), problem(1, 'hm', Hint)],
      ],
      ['.env', [problem(0, 'KEY=secret is wrong', Wrong)]],
    ] as const) {
      const path = join(workspaceRoot(), name);
      await writeFile(path, 'a\nb\nc\nd\ne\n');
      known.set(vscode.Uri.file(path), [...problems]);
    }
    server.script({
      lead: [
        calls(
          call('diagnostics', { path: 'checked.txt' }),
          call('diagnostics', { path: 'checked.txt', severity: 'hint' }),
          call('diagnostics', { severity: 'error' }),
        ),
        say('Seen.'),
      ],
    });
    const session = await api.delegate({ task: 'Look at the problems.' });
    await until(api, session, isQuiet);
    const results = (server.requestsOf('lead').at(-1)?.messages ?? []).flatMap((message) =>
      message.role === 'tool' ? [message.content ?? ''] : [],
    );
    assert.deepEqual(results.slice(0, 2), [
      '1 error, 1 warning in checked.txt. 1 less severe one is not shown.\nchecked.txt:1:3 error: is wrong (checker 42)\nchecked.txt:5:3 warning: rather not (checker 42)',
      '1 error, 1 warning, 1 hint in checked.txt.\nchecked.txt:1:3 error: is wrong (checker 42)\nchecked.txt:5:3 warning: rather not (checker 42)\nchecked.txt:2:3 hint: hm (checker 42)',
    ]);
    assert.match(results[2] ?? '', /checked\.txt:1:3 error: is wrong/u);
    assert.doesNotMatch(results.join('\n'), /secret/u);
  });
});
