import type { Log } from '../../base/log';
import type { Result } from '../../base/result';
import type { ModelEntry } from '../../model/port';
import type { Engine, EngineProblem, HostSettings } from '../../runtime/engine';
import type { AgentId, SessionId, StepId } from '../../shared/ids';
import type { Surroundings } from '../../shared/project/who';
import type { Asker } from '../asker';
import type { CommandId } from '../commandIds';
import type { ModelKeys } from '../models/keys';
import type { Sessions } from '../sessions';

/** What commands work with. */
export interface Desk {
  readonly asker: Asker;
  readonly engine: () => Engine;
  readonly sessions: Sessions;
  readonly models: ModelSettings;
  readonly keys: ModelKeys;
  readonly settings: HostSettings;
  readonly editor: EditorActs;
  /** What rows need to know beyond a session's state. */
  readonly around: () => Surroundings;
  readonly log: Log;
}

/** The models of the settings, and what may be changed there. */
export interface ModelSettings {
  entries(): readonly ModelEntry[];
  /** The model of new tasks; null: none is set up. */
  default(): ModelEntry | null;
  /** @param before what must be stored first */
  add(entry: ModelEntry, before: () => Promise<void>): Promise<void>;
  /** Resolves when what is being added now is there. */
  settled(): Promise<void>;
  setDefault(id: string): Promise<void>;
  /** The window's folder is one that Teamroom made for rehearsals. */
  readonly rehearses: boolean;
}

/** What commands want of the editor itself. */
export interface EditorActs {
  /** Shows the Room; `composer`: with the cursor in it. */
  showRoom(agent: AgentId | null, composer: boolean): Promise<void>;
  openDiff(session: SessionId, agent: AgentId, path: string): Promise<Result<null, string>>;
  openAllDiffs(session: SessionId, agent: AgentId): Promise<Result<null, string>>;
  /** Everything that an agent was sent, said and did, as a document. */
  openTranscript(session: SessionId, agent: AgentId, name: string): Promise<void>;
  /** The exact request of a step, as a document. */
  openRequest(session: SessionId, step: StepId): Promise<void>;
  /** Asks where a file is to lie and writes it; null: it was left. */
  saveFile(
    name: string,
    write: (append: (text: string) => Promise<void>) => Promise<void>,
  ): Promise<string | null>;
  copy(text: string): Promise<void>;
  /** Shows a row of the Room. */
  showRow(key: string): Promise<void>;
  openFolder(path: string): Promise<void>;
  chooseFolder(label: string): Promise<string | null>;
  run(command: CommandId | `workbench.${string}`, ...args: readonly unknown[]): Promise<unknown>;
  /** Selected text or file that a task may be about, from the editor or the Explorer. */
  subject(args: readonly unknown[]): string | null;
  /** Where sample folders lie unless the person picks a place. */
  readonly sampleHome: string;
}

export type CommandRun = (desk: Desk, args: readonly unknown[]) => Promise<unknown>;

/** What a command could not do: told to the person, and thrown to a caller from code. */
export class TeamroomError extends Error {
  readonly code: EngineProblem['code'] | 'bad_argument';

  constructor(code: TeamroomError['code'], message: string) {
    super(message);
    this.name = 'TeamroomError';
    this.code = code;
  }
}
