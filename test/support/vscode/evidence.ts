import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock';
import type { TeamEvent } from '../../../src/shared/events';
import { initialState, reduce } from '../../../src/shared/reduce';
import { inProcessHistory } from '../../../src/store/inProcessHistory';
import { folderWorkspaceStore } from '../../../src/store/workspaceStore';
import { quietLog } from '../quietLog';
import type { ScriptedModel } from '../scriptedModel';
import { seenOf } from './observer';

const EXTENSION = 'teamroom.teamroom';
const MOST_EVENTS = 100_000;

/** The folders that VS Code has handed out for histories, those of later windows (`<id>-1`) included. */
function storageFolders(dataDir: string): readonly string[] {
  const top = join(dataDir, 'data/User/workspaceStorage');
  if (!existsSync(top)) return [];
  return readdirSync(top)
    .map((name) => join(top, name, EXTENSION))
    .filter((folder) => existsSync(folder));
}

/** The events of a session that are really on the disk, read beside whoever writes them. */
export async function eventsOnDisk(dataDir: string, session: string): Promise<readonly TeamEvent[]> {
  for (const storage of storageFolders(dataDir)) {
    const history = inProcessHistory(null);
    const store = folderWorkspaceStore({ storage, clock: systemClock, log: quietLog, history, right: null });
    try {
      const listings = await store.list();
      if (!listings.some(({ id }) => id === session)) continue;
      const opened = await store.open(session);
      const rows = await opened.store.pageEvents(1, MOST_EVENTS);
      await opened.store.close();
      return rows.map((row): TeamEvent => JSON.parse(row.json));
    } finally {
      await store.dispose();
    }
  }
  throw new Error(`no storage folder under ${dataDir} has the session ${session}`);
}

/** Everything that the observer of a folder was told, by session, over all extension hosts. */
export async function eventsSeen(folder: string): Promise<ReadonlyMap<string, readonly TeamEvent[]>> {
  const bySession = new Map<string, TeamEvent[]>();
  for (const line of await seenOf(folder)) {
    const events = bySession.get(line.session) ?? [];
    bySession.set(line.session, events);
    if (line.type === 'events') events.push(...line.events);
  }
  return bySession;
}

/**
 * Every event that a client had seen is on the disk, in its place, and every state that a window found when it opened
 * is what a beginning of those events comes to, one that has all that had been seen before.
 * @returns how many windows had found the session
 */
export async function assertNothingLost(dataDir: string, folder: string, session: string): Promise<number> {
  const disk = await eventsOnDisk(dataDir, session);
  let told = 0;
  let openings = 0;
  for (const line of await seenOf(folder)) {
    if (line.session !== session) continue;
    if (line.type === 'events') {
      // What a dying host wrote without telling anybody lies between what two hosts have told.
      const from = indexOfEvent(disk, line.events, told);
      assert.ok(from >= told, `an event that was seen is not on the disk: ${JSON.stringify(line.events[0])}`);
      told = from + line.events.length;
    } else {
      openings += 1;
      const { seq } = line.state;
      assert.ok(seq >= told, `a window found ${seq} events where ${told} had been seen`);
      assert.deepEqual(plain(disk.slice(0, seq).reduce(reduce, initialState)), line.state);
    }
  }
  return openings;
}

function indexOfEvent(disk: readonly TeamEvent[], events: readonly TeamEvent[], from: number): number {
  const wanted = events.map((event) => JSON.stringify(event));
  for (let start = from; start + wanted.length <= disk.length; start++) {
    if (wanted.every((json, i) => JSON.stringify(disk[start + i]) === json)) return start;
  }
  return -1;
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** In all that the model's server was ever sent no call has two different results, and in no request has one none. */
export function assertOneResultEach(model: ScriptedModel): void {
  const results = new Map<string, string>();
  for (const { agent, n, messages } of model.log) {
    const asked = messages.flatMap((message) => (message.tool_calls ?? []).map(({ id }) => id));
    const answered = messages.filter(({ role }) => role === 'tool');
    assert.deepEqual(
      answered.map((message) => message.tool_call_id).sort(),
      asked.sort(),
      `request ${n} of ${agent}`,
    );
    for (const { tool_call_id = '', content } of answered) {
      // A later agent may bear the name of an earlier one, and ids are counted in each conversation.
      const key = `${tool_call_id} of ${agent}, whose first message is ${messages[1]?.content ?? ''}`;
      assert.equal(content, results.get(key) ?? content, `the call ${key} has two results`);
      results.set(key, content);
    }
  }
}

/** The results of an agent's calls as the server saw them, in order. */
export function resultsOf(model: ScriptedModel, agent: string): readonly string[] {
  const results = new Map<string, string>();
  for (const { messages } of model.requestsOf(agent)) {
    for (const message of messages) {
      if (message.role === 'tool') results.set(message.tool_call_id ?? '', message.content);
    }
  }
  return [...results.values()];
}
