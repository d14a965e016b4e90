import assert from 'node:assert/strict';
import fc from 'fast-check';
import { append, at, emptyTable, replaceAt, type Table, values, valuesFrom } from '../../src/base/table';

const tableOf = (items: readonly number[]): Table<number> =>
  items.reduce<Table<number>>((table, item) => append(table, item), emptyTable());

describe('table', () => {
  it('holds what was appended, in order and by position, over several pages', () => {
    const items = Array.from({ length: 300 }, (_, i) => i * 7);
    const table = tableOf(items);
    assert.equal(table.size, 300);
    assert.deepEqual([...values(table)], items);
    assert.deepEqual(
      [0, 127, 128, 299].map((i) => at(table, i)),
      [0, 889, 896, 2093],
    );
    assert.deepEqual(
      [-1, 300, 1.5, Number.NaN].map((i) => at(table, i)),
      [undefined, undefined, undefined, undefined],
    );
  });

  it('never changes a table that was there before', () => {
    const operation = fc.oneof(
      fc.record({ type: fc.constant('append' as const), value: fc.integer() }),
      fc.record({ type: fc.constant('replace' as const), index: fc.nat(400), value: fc.integer() }),
    );
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), fc.nat(300), (operations, length) => {
        let model = Array.from({ length }, (_, i) => i);
        let table = tableOf(model);
        for (const op of operations) {
          const before = table;
          const frozen = [...values(before)];
          if (op.type === 'append') {
            model = [...model, op.value];
            table = append(table, op.value);
          } else {
            model = op.index < model.length ? model.with(op.index, op.value) : model;
            table = replaceAt(table, op.index, op.value);
          }
          assert.deepEqual([...values(before)], frozen);
          assert.deepEqual([...values(table)], model);
          assert.equal(table.size, model.length);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('walks from a position on without what lies before', () => {
    const table = tableOf(Array.from({ length: 300 }, (_, i) => i));
    for (const from of [-5, 0, 1, 127, 128, 129, 256, 299, 300, 999]) {
      assert.deepEqual(
        [...valuesFrom(table, from)],
        [...values(table)].slice(Math.max(0, from)),
        `from ${from}`,
      );
    }
  });
});
