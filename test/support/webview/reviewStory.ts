import type { AgentId, BlobId, ChangeId, OutcomeId, RunId, UndoId } from '../../../src/shared/ids';
import { localId } from '../../../src/shared/ids';
import type { Principal } from '../../../src/shared/state';
import { inline } from '../../../src/shared/text';
import { Story } from './story';

const person: Principal = { type: 'person' };

/** A member's report, with what of it is kept for the person. */
export function report(story: Story, agentId: AgentId, runId: RunId, text: string): OutcomeId {
  const messageId = story.say(agentId, ['a0' as AgentId], text, 'report', runId);
  const id = localId<OutcomeId>('o', story.state.outcomes.size);
  story.push({
    type: 'outcome.recorded',
    outcome: {
      id,
      agentId,
      runId,
      taskId: null,
      messageId,
      kind: 'result',
      summary: inline(text),
      paths: [],
      cause: 'delivered',
    },
  });
  return id;
}

/** As the person's undo of a file does it, or of one hunk of it. */
export function undo(
  story: Story,
  agent: AgentId,
  path: string,
  change: ChangeId,
  hunk: string | null,
): UndoId {
  const id = localId<UndoId>('u', story.state.undos.size);
  const marks = hunk === null ? [change] : [];
  const unit = {
    path,
    agents: [agent],
    changes: [change],
    marks,
    to: 'undone',
    hunk,
    takesBack: null,
    writes: [],
  } as const;
  story.push({
    type: 'undo.begun',
    undo: { id, by: person, of: hunk === null ? 'file' : 'hunk', units: [unit] },
  });
  story.push({ type: 'undo.unit_ended', undoId: id, unit: 0, outcome: 'done' });
  for (const changeId of marks) story.push({ type: 'change.undone', changeId, by: person });
  return id;
}

/** Everything that a change can be: by hand and by command, shared, renamed, binary, undone; handed in, left, at work. */
export function reviewStory(start?: number): Story {
  const story = new Story(start);
  const lead = story.begin();
  story.say('person', [lead], 'Tidy the report page.', 'user');
  const parser = story.add('parser', lead, 'CSV writer');
  const formatter = story.add('formatter', lead, 'formats');
  const docs = story.add('docs', lead, 'release note');
  const first = story.start(parser);
  const write = story.step(first, 'write', { path: 'src/csv/write.ts' });
  story.change(write, first, parser, 'src/csv/write.ts', 84, 0, 'create');
  story.change(write, first, parser, 'src/csv/read.ts', 12, 4);
  const gone = story.change(write, first, parser, 'src/csv/old.ts', 0, 31, 'delete');
  story.finish(write);
  story.later(1);
  report(story, parser, first, 'Writer and reader for RFC 4180 with quoting.');
  story.end(first, 'delivered');
  const second = story.start(formatter);
  const format = story.step(second, 'bash', { command: 'npm run format' });
  const by = { by: 'command', sharedWith: ['parser'] } as const;
  story.change(format, second, formatter, 'src/report.tsx', 3, 1, 'modify', by);
  story.change(format, second, formatter, 'src/csv/read.ts', 1, 1, 'modify', { by: 'command' });
  story.change(format, second, formatter, 'public/logo.svg', 0, 0, 'rename', {
    by: 'command',
    from: 'public/icon.svg',
    afterHash: 'b'.repeat(64),
    after: 'b'.repeat(64) as BlobId,
  });
  story.change(format, second, formatter, 'public/icon.png', 0, 0, 'modify', { by: 'command' });
  story.change(format, second, formatter, 'bin/run.sh', 0, 0, 'modify', {
    by: 'command',
    afterHash: 'b'.repeat(64),
    mode: { before: 0o644, after: 0o755 },
  });
  story.change(format, second, formatter, 'data/cache.bin', 0, 0, 'modify', {
    by: 'command',
    before: null,
    undoable: false,
  });
  const third = story.start(docs);
  const note = story.step(third, 'write', { path: 'NOTES.md' });
  story.change(note, third, docs, 'NOTES.md', 7, 0, 'create');
  story.finish(note);
  report(story, docs, third, 'The release note.');
  story.end(third, 'delivered');
  story.push({ type: 'agent.left', agentId: docs, by: { type: 'agent', id: lead }, reason: 'dissolved' });
  story.later(1);
  undo(story, parser, 'src/csv/old.ts', gone, null);
  story.later(3);
  return story;
}
