import assert from 'node:assert/strict';
import type { AskedRequest } from './scriptedModel';

/** A call whose command was let go, of which nobody has recorded how it ended. */
export interface LostCommand {
  /** Name of the agent that made it: each agent's calls have names of their own. */
  readonly agent: string;
  readonly wireId: string;
  readonly command: string;
}

/** What the model was sent as the result of a call, over all requests; the same text once. */
const resultsSent = (log: readonly AskedRequest[], { agent, wireId }: LostCommand): readonly string[] => [
  ...new Set(
    log
      .filter((request) => request.agent === agent)
      .flatMap(({ messages }) => messages)
      .filter((message) => message.role === 'tool' && message.tool_call_id === wireId)
      .map(({ content }) => content),
  ),
];

/**
 * By what really went to the model: of each of these commands it was told after the restart, and nothing else ever, that
 * nobody knows how far it got and that it was not run again.
 * @param log all requests that the model's server has had
 * @param before how many of them came before the host ended
 */
export function assertToldAsUnknown(
  log: readonly AskedRequest[],
  before: number,
  lost: readonly LostCommand[],
): void {
  for (const each of lost) {
    const { command } = each;
    assert.deepEqual(resultsSent(log.slice(0, before), each), [], `${command}: told before the end`);
    const [told = 'nothing', ...others] = resultsSent(log, each);
    assert.deepEqual(others, [], `${command}: told differently`);
    assert.ok(told.includes(command), told);
    assert.match(told, /^The host ended while this command was running/u);
    assert.match(told, /Nobody knows how far it got.*It was not run again/u);
  }
}

/** Each id of a call that the model made has exactly one result in every later request. */
export function assertOneResultEach(log: readonly AskedRequest[]): void {
  for (const { messages } of log) {
    const asked = messages.flatMap((message) => (message.tool_calls ?? []).map(({ id }) => id));
    const answered = messages.flatMap((message) =>
      message.role === 'tool' ? [message.tool_call_id ?? 'none'] : [],
    );
    assert.deepEqual([...answered].sort(), [...asked].sort());
    assert.equal(new Set(asked).size, asked.length, 'ids are unique');
  }
}
