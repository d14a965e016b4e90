import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { roomRules } from './room';

interface Rule {
  readonly id: string;
  readonly tag: string;
  readonly says: string;
}

interface Owed {
  /** Owed as a whole, with what they wait for. */
  readonly rules: Readonly<Record<string, string>>;
  /** What is still owed of rules that have tests. */
  readonly halves: Readonly<Record<string, string>>;
}

const read = <T>(file: string): T => JSON.parse(readFileSync(`test/rules/${file}`, 'utf8')) as T;

describe('rules: each has its test, or is owed by name', () => {
  const rules = read<readonly Rule[]>('ids.json');
  const owed = read<Owed>('owed.json');
  const isOwed = ({ id }: Rule) => id in owed.rules;
  const idOf = (title: string) => /^([CLAO]-\d+) /.exec(title)?.[1];

  it('the list holds all 275 rules, each once and said in a line', () => {
    const count = (prefix: string) => rules.filter(({ id }) => id.startsWith(prefix)).length;
    assert.deepEqual(['C-', 'L-', 'A-', 'O-'].map(count), [96, 102, 35, 42]);
    assert.equal(new Set(rules.map(({ id }) => id)).size, 275);
    assert.deepEqual(
      rules.filter(({ says }) => says.trim() === '' || says.includes('\n')),
      [],
    );
  });

  it('every rule that can be tested and is not owed has a test whose title begins with its id', () => {
    const tested = new Set(roomRules.map(({ title }) => idOf(title)));
    const missing = rules.filter((rule) => /T|P/.test(rule.tag) && !isOwed(rule) && !tested.has(rule.id));
    assert.deepEqual(
      missing.map(({ id }) => id),
      [],
    );
  });

  it('every title begins with the id of a rule, and nothing that is owed as a whole has a test already', () => {
    const known = new Map(rules.map((rule) => [rule.id, rule]));
    for (const { title } of roomRules) {
      const rule = known.get(idOf(title) ?? '');
      assert.ok(rule !== undefined, title);
      assert.ok(!isOwed(rule), `${title} is in owed.json`);
    }
    const named = [...Object.keys(owed.rules), ...Object.keys(owed.halves)];
    assert.deepEqual(
      named.filter((id) => !known.has(id)),
      [],
    );
  });
});
