import assert from 'node:assert/strict';
import type { Asker, FindQuestion, InputQuestion, PickQuestion, TypeQuestion } from '../../src/vscode/asker';

/** What the person would do at each question, in order. */
export type Reaction =
  /** Types a text; what the input complains of stops the test unless `complaint` expects it. */
  | { readonly type: string; readonly complaint?: RegExp }
  | { readonly pick: string | RegExp }
  | { readonly confirm: boolean }
  /** Chooses an action of a notification, or closes it. */
  | { readonly choose: string | null }
  | 'escape';

/** Answers questions from a script and keeps what was asked; a question too many fails. */
export class ScriptedAsker implements Asker {
  readonly asked: string[] = [];
  readonly told: string[] = [];
  readonly #script: Reaction[];

  constructor(...script: readonly Reaction[]) {
    this.#script = [...script];
  }

  /** What is left of the script; empty when everything was asked. */
  get left(): readonly Reaction[] {
    return this.#script;
  }

  async input(question: InputQuestion): Promise<string | undefined> {
    this.asked.push(question.prompt);
    for (;;) {
      const reaction = this.#next(question.prompt);
      if (reaction === 'escape') return undefined;
      assert.ok(typeof reaction === 'object' && 'type' in reaction, `"${question.prompt}" wants a text`);
      const complaint = question.check?.(reaction.type) ?? null;
      if (reaction.complaint !== undefined) {
        assert.match(complaint?.message ?? 'no complaint', reaction.complaint);
        if (complaint?.severity === 'error') continue;
      } else assert.equal(complaint?.message, undefined, `"${reaction.type}" is taken`);
      return reaction.type;
    }
  }

  async pick<T>(question: PickQuestion<T>): Promise<T | undefined> {
    this.asked.push(question.placeholder);
    const reaction = this.#next(question.placeholder);
    if (reaction === 'escape') return undefined;
    assert.ok(typeof reaction === 'object' && 'pick' in reaction, `"${question.placeholder}" wants a choice`);
    const item = question.items.find(({ label }) => matches(label, reaction.pick));
    assert.ok(item, `${reaction.pick} is among ${question.items.map(({ label }) => label).join(', ')}`);
    return item.value;
  }

  async pickOrType(question: TypeQuestion): Promise<string | undefined> {
    this.asked.push(question.placeholder);
    const reaction = this.#next(question.placeholder);
    if (reaction === 'escape') return undefined;
    assert.ok(typeof reaction === 'object');
    if ('type' in reaction) return reaction.type;
    assert.ok('pick' in reaction);
    return question.items.find((item) => matches(item, reaction.pick));
  }

  async find<T>(question: FindQuestion<T>): Promise<T | undefined> {
    this.asked.push(question.placeholder);
    const typed = this.#next(question.placeholder);
    if (typed === 'escape') return undefined;
    assert.ok(typeof typed === 'object' && 'type' in typed, `"${question.placeholder}" wants words`);
    return this.pick({ ...question, items: await question.items(typed.type) });
  }

  async confirm(message: string, detail: string): Promise<boolean> {
    this.asked.push(`${message}\n${detail}`);
    const reaction = this.#next(message);
    assert.ok(typeof reaction === 'object' && 'confirm' in reaction, `"${message}" wants a yes or no`);
    return reaction.confirm;
  }

  /** Notifications don't take part in the script unless it says so next. */
  async tell(_kind: string, message: string, ...actions: readonly string[]): Promise<string | undefined> {
    this.told.push(message);
    const next = this.#script[0];
    if (actions.length === 0 || typeof next !== 'object' || !('choose' in next)) return undefined;
    this.#script.shift();
    return next.choose ?? undefined;
  }

  busy<T>(_message: string, work: Promise<T>): Promise<T> {
    return work;
  }

  #next(question: string): Reaction {
    const reaction = this.#script.shift();
    assert.ok(reaction !== undefined, `nothing was expected to be asked, but: ${question}`);
    return reaction;
  }
}

const matches = (label: string, wanted: string | RegExp): boolean =>
  typeof wanted === 'string' ? label === wanted : wanted.test(label);
