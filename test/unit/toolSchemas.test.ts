import assert from 'node:assert/strict';
import { workspaceTools } from '../../src/tools';
import { describe as fill } from '../../src/tools/describe';
import { MOST_PARTS } from '../../src/workspace/shell/reading';

/** What every compatible server takes (fault 30). */
const ALLOWED = new Set([
  'type',
  'properties',
  'required',
  'description',
  'items',
  'minimum',
  'maximum',
  'minLength',
  'maxItems',
  'enum',
]);

function keywordsOf(schema: unknown, into = new Set<string>()): Set<string> {
  if (schema === null || typeof schema !== 'object') return into;
  for (const [key, part] of Object.entries(schema)) {
    into.add(key);
    if (key === 'properties') for (const each of Object.values(part as object)) keywordsOf(each, into);
    else if (key === 'items') keywordsOf(part, into);
  }
  return into;
}

/** Name, risk, and its parameters in short: "name: type", optional ones with "?". */
function shape(tool: (typeof workspaceTools)[number]): string {
  const { properties, required } = tool.parameters as {
    properties: Record<string, { type: string; minimum?: number; maximum?: number }>;
    required?: string[];
  };
  const fields = Object.entries(properties).map(([name, { type, minimum, maximum }]) => {
    const range = minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''}..${maximum ?? ''}`;
    return `${name}${required?.includes(name) === true ? '' : '?'}: ${type}${range}`;
  });
  return `${tool.name} (${tool.risk}) ${fields.join(', ')}`;
}

describe('what models are told of the tools', () => {
  it('names, classes and parameters', () => {
    assert.deepEqual(workspaceTools.map(shape), [
      'read (read) path: string, offset?: integer 1.., limit?: integer 1..2000',
      'list (read) path?: string, depth?: integer 1..5',
      'glob (read) pattern: string, path?: string',
      'grep (read) pattern: string, path?: string, glob?: string, ignore_case?: boolean, limit?: integer 1..500',
      'diagnostics (read) path?: string, severity?: string',
      'write (write) path: string, content: string',
      'edit (write) path: string, old: string, new: string, replace_all?: boolean',
      'multiedit (write) path: string, edits: array',
      'apply_patch (write) patch: string',
      'mkdir (write) path: string',
      'mv (write) from: string, to: string',
      'rm (write) path: string, recursive?: boolean',
      'bash (execute) command: string, timeout_seconds?: integer 1..600, cwd?: string, background?: boolean',
      'job_list (interact) ',
      'job_read (interact) job: string, since?: integer 0.., wait_seconds?: integer 0..300',
      'job_send (interact) job: string, text: string, newline?: boolean, close?: boolean',
      'job_stop (execute) job: string',
      'todo (interact) items: array',
      'ask_user (interact) question: string, choices?: array',
    ]);
  });

  it('schemas hold only keywords that every server takes', () => {
    for (const tool of workspaceTools) {
      const unknown = [...keywordsOf(tool.parameters)].filter((key) => !ALLOWED.has(key));
      assert.deepEqual(unknown, [], tool.name);
      assert.equal((tool.parameters as { type: string }).type, 'object');
      for (const [name, part] of Object.entries(tool.parameters['properties'] as Record<string, object>)) {
        assert.ok('description' in part, `${tool.name}.${name} has a description`);
      }
    }
  });

  it('B4 descriptions and schemas together stay small', () => {
    const bytes = workspaceTools
      .map((tool) =>
        JSON.stringify({ name: tool.name, description: tool.description, parameters: tool.parameters }),
      )
      .join('').length;
    assert.ok(bytes < 13_000, `${bytes} bytes`);
  });

  it('C-4 descriptions state the limits that the code enforces', () => {
    const bash = workspaceTools.find((tool) => tool.name === 'bash');
    assert.match(bash?.description ?? '', new RegExp(`more than ${MOST_PARTS} parts`, 'u'));
    for (const tool of workspaceTools) assert.doesNotMatch(tool.description, /\{\{|\}\}|undefined|NaN/u);
  });

  it('a placeholder without a value, or a value without a placeholder, is a mistake of ours', () => {
    assert.equal(fill('a {{x}} b\n', { x: 1 }), 'a 1 b');
    assert.throws(() => fill('{{x}}'), /no value for/u);
    assert.throws(() => fill('a', { x: 1 }), /no placeholder for x/u);
  });

  it('A30 unknown keys are errors that the model sees, also __proto__', () => {
    const bad: Record<string, string> = {
      read: '{"path":"a","__proto__":{"x":1}}',
      list: '{"paths":"a"}',
      glob: '{"pattern":"*","constructor":{}}',
      write: '{"path":"a","content":"x","mode":7}',
      multiedit: '{"path":"a","edits":[{"old":"a","new":"b","regex":true}]}',
      apply_patch: '{"patch":"x","strip":1}',
      mkdir: '{"path":"a","mode":7}',
      mv: '{"from":"a","to":"b","force":true}',
      rm: '{"path":"a","force":true}',
      todo: '{"items":[{"text":"a","status":"done","by":"x"}]}',
      diagnostics: '{"file":"a"}',
      bash: '{"command":"ls","env":{}}',
    };
    for (const tool of workspaceTools) {
      const raw = bad[tool.name];
      if (raw === undefined) continue;
      const opened = tool.open(raw);
      assert.equal(opened.ok, false, tool.name);
      assert.match(opened.ok ? '' : opened.error, /Unrecognized key/u, tool.name);
    }
    const missing = workspaceTools[0]?.open('{}');
    assert.ok(missing !== undefined && !missing.ok);
    assert.match(missing.error, /arguments of read are not valid[\s\S]*path/u);
    const cut = workspaceTools[0]?.open('{"path":"a');
    assert.ok(cut !== undefined && !cut.ok);
    assert.match(cut.error, /not valid JSON[\s\S]*Nothing was done/u);
  });
});
