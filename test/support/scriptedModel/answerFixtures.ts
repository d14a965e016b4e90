import { DONE, delta, type Fixture, finish, fn, frame } from './fixture';

/** Faults in everything but tool calls: ends, errors, usage, reasoning, the form of the body. */
export const answerFixtures: readonly Fixture[] = [
  {
    title: '13 finish_reason tool_calls without any call is a plain stop',
    body: delta({ content: 'hm' }) + finish() + DONE,
    expect: { reason: 'stop', text: 'hm', calls: [] },
  },
  {
    title: '15 empty finish reasons in between',
    body: delta({ content: 'a' }, '') + delta({ content: 'b' }, '') + finish('stop') + DONE,
    expect: { reason: 'stop', text: 'ab' },
  },
  {
    title: '16 neither finish reason nor [DONE]',
    body: delta({ content: 'half of' }),
    expect: { reason: 'error', text: 'half of', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '16 [DONE] without a finish reason is complete',
    body: delta({ content: 'all' }) + DONE,
    expect: { reason: 'stop', text: 'all' },
  },
  {
    title: '16 a finish reason without [DONE] is complete',
    body: delta({ content: 'all' }) + finish('stop'),
    expect: { reason: 'stop', text: 'all' },
  },
  {
    title: '16 [DONE] alone is no answer',
    body: DONE,
    expect: { reason: 'error', text: '', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '17 cut inside JSON',
    body: `${delta({ content: 'half' })}data: {"choices":[{"delta":{"cont`,
    expect: { reason: 'error', text: 'half', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '17 reset after the finish reason takes nothing away',
    body: delta({ content: 'all' }) + finish('stop'),
    reset: true,
    expect: { reason: 'stop', text: 'all' },
  },
  {
    title: '18 an error inside the stream, with a code',
    body: delta({ content: 'half' }) + frame({ error: { message: 'Rate limit reached', code: 429 } }),
    expect: {
      reason: 'error',
      text: 'half',
      fault: { kind: 'rate_limit', retryable: true, says: /Rate limit reached/ },
    },
  },
  {
    title: '18 an error inside the stream is a word',
    body: frame({ error: 'model runner crashed' }),
    expect: { reason: 'error', fault: { kind: 'server', retryable: true, says: /model runner crashed/ } },
  },
  {
    title: '19 an error event without an error key',
    body: `event: error\ndata: {"message":"context length exceeded"}\n\n`,
    expect: { reason: 'error', fault: { kind: 'too_long', retryable: false } },
  },
  {
    title: '20 comments and keepalives are no answer',
    body: `: ping\n\n: ping\n\nevent: ping\ndata: {}\n\n`,
    expect: { reason: 'error', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '20 comments between pieces',
    body: `: OPENROUTER PROCESSING\n\n${delta({ content: 'a' })}: x\n\n${delta({ content: 'b' })}${finish('stop')}${DONE}`,
    expect: { reason: 'stop', text: 'ab' },
  },
  {
    title: '22 usage without choices, running totals, and the last one wins',
    body:
      frame({
        choices: [{ delta: { content: 'a' } }],
        usage: { prompt_tokens: 9, completion_tokens: 1 },
      }) +
      finish('stop') +
      frame({
        choices: null,
        usage: { prompt_tokens: 10, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } },
      }) +
      DONE,
    expect: { reason: 'stop', text: 'a', usage: [10, 4, 2] },
  },
  {
    title: "22 usage in the choice (Moonshot), DeepSeek's cache field",
    body:
      delta({ content: 'a' }) +
      frame({
        choices: [
          {
            delta: {},
            finish_reason: 'stop',
            usage: { prompt_tokens: 5, completion_tokens: 6, prompt_cache_hit_tokens: 3 },
          },
        ],
      }) +
      DONE,
    expect: { reason: 'stop', usage: [5, 3, 6] },
  },
  {
    title: '23 reasoning under two names at once is kept once',
    body:
      delta({ reasoning_content: 'th', reasoning: 'th' }) +
      delta({ reasoning: 'ink' }) +
      delta({ reasoning_details: [{ text: 'ing' }] }) +
      delta({ content: 'x' }) +
      finish('stop') +
      DONE,
    expect: { reason: 'stop', text: 'x', reasoning: 'thinking' },
  },
  {
    title: '25 content is a list of parts',
    body:
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }) +
      delta({
        content: [
          { type: 'text', text: 'so ' },
          { type: 'text', text: 'it is' },
        ],
      }) +
      finish('stop') +
      DONE,
    expect: { reason: 'stop', text: 'so it is', reasoning: 'hm' },
  },
  {
    title: '31 stream: true answered with one document',
    body: JSON.stringify(
      {
        choices: [
          {
            message: { content: 'hé', tool_calls: [{ id: 'a', ...fn('read', '{"p":1}') }] },
            finish_reason: 'tool_calls',
          },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4 },
      },
      null,
      2,
    ),
    expect: { reason: 'tool_calls', text: 'hé', calls: [['read', '{"p":1}']], usage: [3, 0, 4] },
  },
  {
    title: '31 one chunk a line without "data:"',
    body: `${JSON.stringify({ choices: [{ delta: { content: 'a' } }] })}\n${JSON.stringify({ choices: [{ delta: { content: 'b' }, finish_reason: 'stop' }] })}\n`,
    expect: { reason: 'stop', text: 'ab' },
  },
  {
    title: '31 a document that is cut',
    body: JSON.stringify({ choices: [{ message: { content: 'abc' } }] }, null, 1).slice(0, -20),
    expect: { reason: 'error', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '31 a web page',
    body: `\n<!DOCTYPE html><html><head><title>Log in</title></head></html>`,
    expect: { reason: 'error', fault: { kind: 'protocol', retryable: false, says: /web page/ } },
  },
  {
    title: '31 an empty body',
    body: '',
    expect: { reason: 'error', fault: { kind: 'incomplete', retryable: true } },
  },
  {
    title: '33 a bad line is skipped; lower-case done, CRLF, BOM, no space after the colon',
    body: `\uFEFF${delta({ content: 'a' }).replaceAll('\n', '\r\n').replace('data: ', 'data:')}data: {oops\r\n\r\n${delta({ content: 'b' }).replaceAll('\n', '\r\n')}data:[done]\r\n\r\n`,
    expect: { reason: 'stop', text: 'ab' },
  },
  {
    title: '33 more than three bad lines',
    body: `${delta({ content: 'a' })}${'data: oops\n\n'.repeat(4)}${delta({ content: 'b' })}${DONE}`,
    expect: { reason: 'error', text: 'a', fault: { kind: 'protocol', retryable: false } },
  },
  {
    title: 'events without blank lines between them',
    body: `${delta({ content: 'a' }).trimEnd()}\n${delta({ content: 'b' }, 'stop').trimEnd()}\ndata: [DONE]`,
    expect: { reason: 'stop', text: 'ab' },
  },
  {
    title: '34 an unknown finish reason is a stop',
    body: delta({ content: 'x' }) + finish('MALFORMED_FUNCTION_CALL') + DONE,
    expect: { reason: 'stop', text: 'x' },
  },
  {
    title: 'a content filter is told, its text kept',
    body: delta({ content: 'x' }) + finish('content_filter') + DONE,
    expect: { reason: 'error', text: 'x', fault: { kind: 'bad_request', retryable: false, says: /filter/ } },
  },
];
