import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { fail, ok, type Result } from '../base/result';
import type { AgentId, AskId, SessionId } from '../shared/ids';
import { agentOf, askOf } from '../shared/lookup';
import { blobUri } from './blobFs';
import { type ChangedFile, changedFiles } from './changedFiles';
import type { Sessions } from './sessions';
import { textUri } from './textDocuments';
import { say } from './texts';

/** Larger files are compared by what was kept, not by reading them again. */
const LARGEST_READ = 20_000_000;

/** Opens the editor's own diffs: what an agent did to a file, or is asking to do. */
export class Diffs {
  readonly #sessions: Sessions;
  readonly #place: (path: string) => string | null;

  constructor(sessions: Sessions, place: (path: string) => string | null) {
    this.#sessions = sessions;
    this.#place = place;
  }

  async openFile(session: SessionId, agent: AgentId, path: string): Promise<Result<null, string>> {
    const state = this.#sessions.state(session);
    const file = state === null ? undefined : changedFiles(state, agent).find((item) => item.path === path);
    if (state === null || file === undefined || !file.comparable) return fail(say.noDiff(path));
    const { before, after, isNow } = await this.#sides(session, file);
    const name = agentOf(state, agent)?.name ?? agent;
    const title = isNow ? say.diffNow(path, name) : say.diffThen(path, name);
    await vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: true });
    return ok(null);
  }

  /** One multi-file editor with everything an agent changed. */
  async openAll(session: SessionId, agent: AgentId): Promise<Result<null, string>> {
    const state = this.#sessions.state(session);
    const files = state === null ? [] : shownOf(changedFiles(state, agent));
    const [first] = files;
    if (state === null || first === undefined) return fail(say.nothingToUndo());
    const resources = await Promise.all(
      files.map(async (file) => {
        const { before, after } = await this.#sides(session, file);
        const label = this.#place(file.path);
        return [label === null ? after : vscode.Uri.file(label), before, after];
      }),
    );
    const title = say.diffAll(agentOf(state, agent)?.name ?? agent);
    await vscode.commands.executeCommand('vscode.changes', title, resources);
    return ok(null);
  }

  /** What a call that waits for permission would do. */
  async openAsk(session: SessionId, ask: AskId): Promise<Result<null, string>> {
    const state = this.#sessions.state(session);
    const found = state === null ? undefined : askOf(state, ask);
    const preview = found?.about.type === 'permission' ? found.about.preview : undefined;
    if (state === null || found === undefined || preview?.type !== 'diff') return fail(say.noDiff(ask));
    const name = agentOf(state, found.agentId)?.name ?? found.agentId;
    const side = (text: typeof preview.before, which: 'before' | 'after') =>
      text?.type === 'blob'
        ? blobUri(session, text.blob, preview.path)
        : textUri(session, ask, which, preview.path);
    await vscode.commands.executeCommand(
      'vscode.diff',
      preview.before === null ? blobUri(session, null, preview.path) : side(preview.before, 'before'),
      preview.after === null ? blobUri(session, null, preview.path) : side(preview.after, 'after'),
      say.asksChange(name, preview.path),
      { preview: true },
    );
    return ok(null);
  }

  /** The right side is the file itself as long as it is what the agent left, so that it can be edited there. */
  async #sides(
    session: SessionId,
    file: ChangedFile,
  ): Promise<{ readonly before: vscode.Uri; readonly after: vscode.Uri; readonly isNow: boolean }> {
    const before = blobUri(session, file.before, file.path);
    const path = this.#place(file.path);
    const isNow = path !== null && file.afterHash !== null && (await hashOf(path)) === file.afterHash;
    if (path !== null && isNow) return { before, after: vscode.Uri.file(path), isNow };
    return { before, after: blobUri(session, file.after, file.path), isNow: file.status === 'deleted' };
  }
}

/** What still stands; where nothing does, what was undone. */
function shownOf(files: readonly ChangedFile[]): readonly ChangedFile[] {
  const comparable = files.filter((file) => file.comparable);
  const standing = comparable.filter((file) => !file.undone);
  return standing.length > 0 ? standing : comparable;
}

/** SHA-256 of a file, hexadecimal; null where it can't be read, or is too large to be read for this. */
async function hashOf(path: string): Promise<string | null> {
  try {
    const bytes = await readFile(path);
    if (bytes.byteLength > LARGEST_READ) return null;
    return createHash('sha256').update(bytes).digest('hex');
  } catch {
    return null;
  }
}
