import { estimateTokens } from '../base/tokens';
import type { ModelMessage, ModelPrice, ModelRequest, ModelTool, ModelUsage } from './port';

/**
 * What an answer cost, in whole millionths of a US dollar, rounded up. Prices are in USD per million tokens, so
 * tokens × price is that number already. Cached input is part of the input and has its own price.
 */
export function costOf(usage: ModelUsage, price: ModelPrice): number {
  const cached = Math.min(usage.cachedTokens, usage.inputTokens);
  const exact =
    (usage.inputTokens - cached) * price.input +
    cached * price.cachedInput +
    usage.outputTokens * price.output;
  return roundUp(exact);
}

/** Sums of decimal prices are off by tiny fractions, which must not become a whole unit; nothing costs 0, not -0. */
const roundUp = (micros: number): number => Math.max(0, Math.ceil(micros - 1e-6));

export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    estimated: a.estimated || b.estimated,
  };
}

export const noUsage: ModelUsage = { inputTokens: 0, cachedTokens: 0, outputTokens: 0, estimated: false };

/** What every message costs beside its text: role, separators, call names. */
const PER_MESSAGE = 4;

const known = new WeakMap<ModelMessage | ModelTool, number>();

/** Tokens of a whole request. Each message and tool is counted once and remembered, since transcripts only grow. */
export function estimateRequest(request: ModelRequest): number {
  let sum = 0;
  for (const message of request.messages) sum += remembered(message, messageText);
  for (const tool of request.tools) sum += remembered(tool, toolText);
  return sum;
}

function remembered<T extends ModelMessage | ModelTool>(item: T, textOf: (item: T) => string): number {
  const before = known.get(item);
  if (before !== undefined) return before;
  const tokens = estimateTokens(textOf(item)) + PER_MESSAGE;
  known.set(item, tokens);
  return tokens;
}

function messageText(message: ModelMessage): string {
  if (message.role !== 'assistant') return message.text;
  return message.text + message.calls.map((call) => call.tool + call.args).join('');
}

const toolText = (tool: ModelTool): string => tool.name + tool.description + JSON.stringify(tool.parameters);
