import type * as vscode from 'vscode';
import type { UndoWhy } from '../runtime/engine';
import type { TeamEvent } from '../shared/events';
import type { AskAnswer, Limits, PermissionMode, SessionSettings, SizeSetting, State } from '../shared/state';

/**
 * What `activate()` returns, for other extensions and for tests. Version 1: fields may be added, none will change
 * its meaning. Calls load the engine if it is not loaded yet. All of them reject with an error whose `name` is
 * `TeamroomError`, whose `code` says what kind of problem it was, and whose message is a sentence for a person.
 */
export interface TeamroomApi {
  readonly version: 1;
  /** Milliseconds that `activate()` took. */
  readonly activationMs: number;
  /** True once the engine's own bundle has been loaded. */
  readonly engineLoaded: () => boolean;

  /** Creates a session, gives its lead the task, and answers the session's id once both are on the disk. */
  delegate(options: ApiDelegateOptions): Promise<string>;
  /** Says something to an agent; `to` left out or null: to the lead. */
  send(session: string, text: string, to?: string | null): Promise<void>;
  /** Stops a member with all agents under it, the lead's turn (`lead`), or everything (`all`); answers who was stopped. */
  stop(session: string, name: string): Promise<readonly string[]>;
  /** What a restart interrupted goes on (`true`) or is ended and reported (`false`). */
  resume(session: string, go: boolean): Promise<void>;
  /** Paused, no agent begins another step (what goes on ends first); not paused, all goes on. */
  pause(session: string, paused: boolean): Promise<void>;
  /** The last turn of an agent goes on that failed, was stopped or met a limit; `model`: the id of another model. */
  retry(session: string, agent: string, model?: string | null): Promise<void>;
  /** The lead is told at once of stops and settings, of which it would hear with the person's next words. */
  tellLead(session: string): Promise<void>;
  /**
   * Undoes what an agent changed, in one file (`path`), in one place of it (`hunk`, its id) or in all; `agent` null: what
   * all of the task's agents changed. What can't be undone without losing a later change is refused, with why.
   */
  undo(
    session: string,
    agent: string | null,
    path?: string | null,
    hunk?: string | null,
  ): Promise<ApiUndoReport>;
  /** Undoes an undo, by the `id` of its report. */
  redo(session: string, undo: string): Promise<ApiUndoReport>;
  /** What a member has reported is in order: it is not to review any more, can be undone as before, and no agent is told. */
  accept(session: string, member: string): Promise<void>;
  /** Sends what a member has reported back to it with these words, which start its next turn. */
  requestChanges(session: string, member: string, text: string): Promise<void>;
  /**
   * Answers an approval, a question or a limit. A permission's answer counts only with the `argsHash` that stands in
   * the ask itself, so that it can't be given to other arguments than those that were shown.
   */
  answer(session: string, ask: string, answer: AskAnswer, argsHash?: string | null): Promise<void>;
  /** Changes a session's settings and answers what holds now. */
  settings(session: string, patch: ApiSettingsPatch): Promise<SessionSettings>;
  /**
   * Stops all agents of a session and deletes everything that was kept of it, for good; files in the workspace stay as
   * they are. Nobody is asked.
   */
  delete(session: string): Promise<void>;
  /** Ids of the workspace's sessions, newest first. */
  sessions(): Promise<readonly string[]>;
  /** The reduced state of a session, as plain JSON. */
  state(session: string): Promise<State>;
  /** After each flush. Listening loads nothing. */
  readonly onDidChange: vscode.Event<ApiChange>;
}

export interface ApiDelegateOptions {
  readonly task: string;
  readonly title?: string;
  /** Id of a model of the settings; left out: the default model. */
  readonly model?: string;
  readonly mode?: PermissionMode;
  readonly size?: SizeSetting;
  readonly limits?: Partial<Limits>;
}

export interface ApiSettingsPatch {
  readonly size?: SizeSetting;
  readonly mode?: PermissionMode;
  readonly limits?: Partial<Limits>;
}

export interface ApiUndoReport {
  /** For `redo`; null: nothing was done. */
  readonly id: string | null;
  readonly undone: readonly string[];
  /** `why` in words, `reason` as data. */
  readonly refused: readonly { readonly path: string; readonly why: string; readonly reason: UndoWhy }[];
}

export interface ApiChange {
  readonly session: string;
  readonly state: State;
  /** What happened, in order; all of it is on the disk. */
  readonly events: readonly TeamEvent[];
}

/** The part of the API that the engine's bundle carries out. */
export type HostApi = Omit<TeamroomApi, 'version' | 'activationMs' | 'engineLoaded' | 'onDidChange'>;
