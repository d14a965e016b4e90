import { type AskedRequest, type ScriptedAnswer, say, type WireMessage } from './script';

export type Reaction = readonly [when: RegExp, answer: ScriptedAnswer];

/**
 * A model that answers by what is new to it: the first reaction, each used once in a conversation, whose pattern stands
 * in what came since its last answer. It remembers nothing: the whole conversation is played anew for every request, so
 * that it goes on in the same way after its host was killed, and begins anew for another agent of the same name.
 */
export const reacting =
  (reactions: readonly Reaction[], otherwise: ScriptedAnswer = say('I wait.')) =>
  (request: AskedRequest): ScriptedAnswer => {
    const left = [...reactions];
    let answer = otherwise;
    for (const news of newsOf(request.messages)) {
      const index = left.findIndex(([when]) => when.test(news));
      answer = left[index]?.[1] ?? otherwise;
      if (index >= 0) left.splice(index, 1);
    }
    return answer;
  };

/** What came before each answer of the agent, the one that is wanted now included; without the system's prompt. */
function newsOf(messages: readonly WireMessage[]): readonly string[] {
  const stretches: string[] = [''];
  for (const { role, content } of messages) {
    if (role === 'assistant') stretches.push('');
    else if (role !== 'system') stretches[stretches.length - 1] += `${content}\n`;
  }
  return stretches;
}
