import type { ListOp, Row } from '../src/shared/protocol';
import { say } from '../src/shared/texts';

/** What a screen reader is told of a patch: who delivered, who asks. Never what streams. */
export function newsOf(ops: readonly ListOp[]): string {
  const news: string[] = [];
  for (const op of ops) {
    if (op.op !== 'insert' || op.list !== 'room' || op.row === null) continue;
    const one = newsOfRow(op.row);
    if (one !== null) news.push(one);
  }
  return news.join('. ');
}

function newsOfRow(row: Row): string | null {
  switch (row.type) {
    case 'message': {
      const name = typeof row.from === 'object' ? row.from.name : '';
      if (row.kind !== 'report' && row.kind !== 'answer') return null;
      if (row.ended !== null) return say('live.failed', { name });
      return row.kind === 'report' ? say('live.delivered', { name }) : say('live.answered');
    }
    case 'ask':
      return askNews(row);
    case 'interrupted':
      return say('live.interrupted', { name: row.agent.name });
    case 'left':
      return row.reason === 'stopped'
        ? say('live.stopped', { name: row.agents.map((agent) => agent.name).join(', ') })
        : null;
    case 'halted':
      return say('live.stopped', { name: row.agent.name });
    case 'said':
    case 'joined':
    case 'compacted':
    case 'agent':
    case 'group':
    case 'file':
      return null;
  }
}

function askNews(row: Extract<Row, { type: 'ask' }>): string | null {
  const { name } = row.agent;
  if (row.phase.status !== 'open') return null;
  if (row.about.type === 'question') return say('live.asksQuestion', { name });
  if (row.about.type === 'limit') return say('live.limit');
  return row.about.preview.type === 'command'
    ? say('live.asksCommand', { name })
    : say('live.asksTool', { name });
}
