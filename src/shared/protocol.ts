import type { AgentId, AskId, CallId, OutcomeId, RunId, SessionId, UndoId } from './ids';
import type { Activity } from './project/activity';
import type { AskAnswer, Ended, MessageKind, SessionSettings } from './state';

/**
 * What the host and the Room webview say to each other. The host projects rows and posts them: a `reset` with the
 * small head and one page, pages on request, then patches whose size is the size of the change. The state itself is
 * never posted. Rows are data, worded where they are shown (`texts`), because the person's clock may be in another
 * time zone than the host's.
 */

/** Rows of one page that the view asks for. */
export const PAGE_ROWS = 200;
/** Most posts per second from the host. */
export const POSTS_PER_SECOND = 30;

export type ListName = 'room' | 'tree' | 'changes';

// ---- host to view ----

export type HostToView =
  | ResetPost
  | PatchPost
  | PagePost
  | { readonly type: 'body'; readonly key: string; readonly text: string }
  | { readonly type: 'diff'; readonly of: DiffOf; readonly diff: DiffView | null; readonly problem: string }
  | {
      readonly type: 'reveal';
      readonly list: ListName;
      readonly key: string | null;
      readonly composer: boolean;
    }
  /** What became of an act: `words` is empty, or says why not, or what else the person should know. */
  | { readonly type: 'acted'; readonly act: number; readonly ok: boolean; readonly words: string };

/** The answer to `ready`, `resync`, a filter or another session. What the view had before is void. */
export interface ResetPost {
  readonly type: 'reset';
  readonly seq: number;
  /** The host's clock, ms: the view counts elapsed times by it. */
  readonly now: number;
  readonly head: Head;
  /** The table of words in the person's language; null: the view has it. */
  readonly strings: Readonly<Record<string, string>> | null;
  readonly filter: AgentId | null;
  readonly totals: Readonly<Record<ListName, number>>;
  /** The page that is seen first: the newest rows of the tab that the view named. */
  readonly page: Page;
  readonly live: readonly LivePatch[];
}

export interface PagePost {
  readonly type: 'page';
  readonly seq: number;
  readonly page: Page;
}

export interface Page {
  readonly list: ListName;
  /** Index of the first row. */
  readonly from: number;
  readonly total: number;
  readonly rows: readonly Row[];
}

/** What has changed since the post with the sequence number before. Operations are applied in order. */
export interface PatchPost {
  readonly type: 'patch';
  readonly seq: number;
  readonly now: number;
  /** Only the sections that changed. */
  readonly head: Partial<Head> | null;
  readonly ops: readonly ListOp[];
  readonly live: readonly LivePatch[];
}

export type ListOp =
  /** A row has changed; the view ignores it if it has not loaded that row. */
  | { readonly op: 'set'; readonly list: ListName; readonly row: Row }
  /** row null: it is gone again later in this patch. */
  | { readonly op: 'insert'; readonly list: ListName; readonly index: number; readonly row: Row | null }
  | { readonly op: 'remove'; readonly list: ListName; readonly index: number; readonly key: string };

/** What is streaming: forgotten when the lasting row arrives. */
export type LivePatch = {
  readonly agent: AgentId;
} /** `whole`: what was shown before is replaced (the middle was skipped, or a new text began). */ & (
  | { readonly type: 'text'; readonly append: string; readonly whole: boolean }
  | { readonly type: 'output'; readonly call: string; readonly append: string; readonly whole: boolean }
  | { readonly type: 'doing'; readonly what: LiveDoing }
  | { readonly type: 'end' }
);

export type LiveDoing =
  | { readonly type: 'thinking' }
  | { readonly type: 'summarising' }
  | { readonly type: 'silent'; readonly minutes: number }
  | { readonly type: 'writing_call'; readonly tool: string }
  | { readonly type: 'retry'; readonly attempt: number; readonly until: number; readonly reason: string };

export interface Head {
  /** null: no session yet, the empty state is shown. */
  readonly session: HeadSession | null;
  readonly sessions: readonly HeadSession[];
  readonly tabs: { readonly room: number; readonly changes: number };
  /** Everybody who was ever in the team, in the order they came. */
  readonly agents: readonly HeadAgent[];
  readonly banner: Banner | null;
  /** `others`: there are more of them to choose from. */
  readonly model: { readonly label: string; readonly rehearsal: boolean; readonly others: boolean } | null;
  /** Of this session; its size only where a team is offered. */
  readonly settings:
    | (Omit<SessionSettings, 'size'> & { readonly size: SessionSettings['size'] | null })
    | null;
  /** Whether a task could be delegated: a model is set up. */
  readonly hasModel: boolean;
  readonly counts: { readonly working: number; readonly waiting: number };
  /** Rows of the room that wait for the person, oldest first. */
  readonly waiting: readonly string[];
  readonly interrupted: readonly RunId[];
  readonly cost: { readonly microUsd: number | null; readonly limit: number | null; readonly tokens: number };
  readonly limits: readonly LimitBar[];
}

export interface HeadSession {
  readonly id: SessionId;
  readonly title: string;
  readonly at: number;
  readonly open: boolean;
}

export interface HeadAgent {
  readonly id: AgentId;
  readonly name: string;
  readonly kind: 'lead' | 'member' | 'helper';
  readonly dot: number;
  readonly left: boolean;
}

export type Banner =
  | {
      readonly type: 'read_only';
      readonly why: 'elsewhere' | 'untrusted' | 'disk' | 'no_folder';
      readonly detail: string;
    }
  | { readonly type: 'no_model' }
  /** The person has paused this session. */
  | { readonly type: 'paused' };

export interface LimitBar {
  readonly what: 'money' | 'tokens' | 'agents';
  readonly used: number;
  /** null: no limit, set so by the person. */
  readonly max: number | null;
  /** 0 to 1; 0 without a limit. */
  readonly share: number;
  readonly near: boolean;
}

// ---- rows ----

export type Row = RoomRow | TreeRow | ChangeRow;

export type RoomRow =
  | SaidRow
  | MessageRow
  | JoinedRow
  | AskRow
  | InterruptedRow
  | HaltedRow
  | LeftRow
  | CompactedRow;

/** An agent as rows name it; the dot is 0 to 7 and the same everywhere. */
export interface Who {
  readonly id: AgentId;
  readonly name: string;
  readonly dot: number;
}

/** `person`: the one who reads this. `host`: Teamroom itself. */
export type Speaker = Who | 'person' | 'host';

/** A text of any length: its beginning, and the size of the whole where that is more. */
export interface Body {
  readonly text: string;
  /** Bytes of the whole text; null: `text` is the whole. */
  readonly bytes: number | null;
}

export interface MessageRow {
  readonly type: 'message';
  readonly key: string;
  /** Number in the room; null for what the person and the lead say to each other. */
  readonly n: number | null;
  readonly kind: MessageKind;
  readonly from: Speaker;
  readonly to: readonly Who[];
  readonly all: boolean;
  readonly at: number;
  readonly body: Body;
  readonly receipts: readonly Receipt[];
  /** Of a report: what its run changed. */
  readonly files: readonly FileCount[];
  /** Of a report: what the person said to it, or still has to. */
  readonly review: ReportReview | null;
  /** Of a report or an answer: the turn ended otherwise than by itself. */
  readonly ended: Ended | null;
  /** Of a failed turn that can go on. */
  readonly retry: RetryOffer | null;
  readonly flagged: boolean;
}

/** What the lead says beside its calls. */
export interface SaidRow {
  readonly type: 'said';
  readonly key: string;
  readonly agent: Who;
  readonly at: number;
  readonly body: Body;
}

export interface ReportReview {
  readonly outcome: OutcomeId;
  readonly state: ReviewMark['state'] | 'accepted';
}

export interface RetryOffer {
  readonly run: RunId;
  /** What the button says. */
  readonly words: string;
}

export interface Receipt {
  readonly to: Who;
  readonly state: 'sent' | 'read' | 'answered' | 'dropped';
  readonly at: number;
  readonly attempt: number;
}

export interface FileCount {
  readonly path: string;
  readonly status: 'new' | 'changed' | 'deleted';
  readonly added: number;
  readonly removed: number;
}

export interface JoinedRow {
  readonly type: 'joined';
  readonly key: string;
  readonly agent: Who;
  readonly by: Speaker;
  readonly role: string;
  readonly brief: Body | null;
  readonly at: number;
}

export interface AskRow {
  readonly type: 'ask';
  readonly key: string;
  readonly ask: AskId;
  readonly agent: Who;
  readonly at: number;
  readonly about: AskRowAbout;
  readonly phase:
    | { readonly status: 'open' }
    | { readonly status: 'answered'; readonly at: number; readonly answer: AskAnswer }
    | { readonly status: 'withdrawn'; readonly at: number };
}

export type AskRowAbout =
  | {
      readonly type: 'permission';
      readonly tool: string;
      readonly why: string;
      readonly argsHash: string;
      readonly preview:
        | { readonly type: 'command'; readonly command: string; readonly cwd: string }
        | { readonly type: 'diff'; readonly path: string; readonly kind: 'new' | 'changed' | 'deleted' }
        | { readonly type: 'paths'; readonly paths: readonly string[] }
        | { readonly type: 'none' };
    }
  | { readonly type: 'question'; readonly body: Body; readonly choices: readonly string[] }
  | {
      readonly type: 'limit';
      readonly limit: 'tokens' | 'money';
      readonly used: number;
      readonly allowed: number;
      /** What "Raise" offers. */
      readonly next: number;
    };

export interface InterruptedRow {
  readonly type: 'interrupted';
  readonly key: string;
  readonly run: RunId;
  readonly agent: Who;
  readonly at: number;
  /** Calls that had begun and whose outcome nobody knows, as short words. */
  readonly unknown: readonly string[];
}

/** A turn that the person stopped, of an agent that stays. Every other end is told by an answer or a report. */
export interface HaltedRow {
  readonly type: 'halted';
  readonly key: string;
  readonly run: RunId;
  readonly agent: Who;
  readonly at: number;
  readonly retry: RetryOffer | null;
}

/** What an agent had done in a turn did not fit its model's window any more: from then on it goes by a summary. */
export interface CompactedRow {
  readonly type: 'compacted';
  readonly key: string;
  readonly agent: Who;
  readonly at: number;
  readonly words: string;
}

export interface LeftRow {
  readonly type: 'left';
  readonly key: string;
  readonly agents: readonly Who[];
  readonly by: Speaker;
  readonly reason: 'stopped' | 'dissolved' | 'ended';
  readonly at: number;
  /** The lead has not been told yet. */
  readonly leadWaits: boolean;
}

export type AgentState =
  | 'working'
  | 'asks'
  | 'waits'
  | 'interrupted'
  | 'finished'
  | 'failed'
  | 'stopped'
  | 'idle';

export interface TreeRow {
  readonly type: 'agent';
  readonly key: string;
  readonly agent: Who;
  readonly kind: 'lead' | 'member' | 'helper';
  readonly depth: number;
  readonly members: number;
  readonly role: string;
  readonly model: string;
  readonly state: AgentState;
  readonly activity: Activity;
  /** How far it is with its own list; null: it has none. */
  readonly todo: TodoProgress | null;
  /** Its commands in the background that have not ended, oldest first. */
  readonly jobs: readonly TreeJob[];
  /** The row of the room that waits for the person. */
  readonly waitingRow: string | null;
  /** Active time so far in ms, and since when it is active now (host's clock). */
  readonly activeMs: number;
  readonly activeSince: number | null;
  readonly tokens: number;
  readonly microUsd: number | null;
  readonly left: boolean;
  readonly review: ReviewMark | null;
}

export interface TreeJob {
  /** By which its output streams. */
  readonly call: CallId;
  readonly command: string;
  readonly at: number;
}

/** A member's report with its changed files, which waits for Accept or was sent back. */
export interface ReviewMark {
  readonly outcome: OutcomeId;
  readonly state: 'to_review' | 'changes_requested';
}

export interface TodoProgress {
  readonly done: number;
  readonly total: number;
  /** What it is at; null: nothing at the moment. */
  readonly now: string | null;
}

export type ChangeRow = ChangeGroupRow | FileRow;

export interface ChangeGroupRow {
  readonly type: 'group';
  readonly key: string;
  readonly agent: Who;
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  readonly working: boolean;
  readonly undoable: number;
  readonly review: ReviewMark | null;
  /** The agent has left: nobody is there who could change it again. */
  readonly left: boolean;
}

export interface FileRow {
  readonly type: 'file';
  readonly key: string;
  readonly agent: Who;
  readonly path: string;
  readonly status: 'new' | 'changed' | 'deleted';
  /** Its name before it was renamed. */
  readonly from: string | null;
  /** Permission bits, where they are others now. */
  readonly mode: { readonly before: number; readonly after: number } | null;
  /** No text: there are no lines to count. */
  readonly binary: boolean;
  /** Of one change exact; of several the sum of them. */
  readonly added: number;
  readonly removed: number;
  readonly edits: number;
  readonly alsoBy: readonly Who[];
  /** Names of agents whose commands ran at the same time: it may be theirs as well. */
  readonly sharedWith: readonly string[];
  /** The command that made the last change, and the step it belongs to. */
  readonly via: { readonly call: CallId; readonly command: string; readonly step: number } | null;
  readonly undone: { readonly at: number; readonly by: Speaker } | null;
  /** False: there is no content from before. */
  readonly undoable: boolean;
  /** The newest undo of this file that can itself be undone. */
  readonly redo: UndoId | null;
  readonly last: boolean;
}

// ---- diffs ----

export type DiffOf =
  | { readonly type: 'ask'; readonly ask: AskId }
  | { readonly type: 'file'; readonly agent: AgentId; readonly path: string };

/** A text diff, cut where it is too long to be looked at in a sidebar. */
export interface DiffView {
  readonly hunks: readonly {
    /** By which it can be undone alone; null: it can't. */
    readonly id: string | null;
    /** It was undone: the file has not got it any more. */
    readonly undone: boolean;
    readonly oldStart: number;
    readonly newStart: number;
    readonly lines: readonly { readonly mark: ' ' | '+' | '-'; readonly text: string }[];
  }[];
  readonly added: number;
  readonly removed: number;
  /** Lines that were left out. */
  readonly cut: number;
}

// ---- view to host ----

export type ViewToHost =
  /** The view is there and has nothing; answered by `reset`. */
  | { readonly type: 'ready'; readonly tab: ListName; readonly filter: AgentId | null }
  /** A sequence number was missed; answered by `reset`. */
  | { readonly type: 'resync'; readonly tab: ListName; readonly lastSeq: number }
  | { readonly type: 'filter'; readonly tab: ListName; readonly agent: AgentId | null }
  | { readonly type: 'page'; readonly list: ListName; readonly from: number }
  /** The whole text of a row; answered by `body`. */
  | { readonly type: 'expand'; readonly key: string }
  | { readonly type: 'diff'; readonly of: DiffOf }
  | { readonly type: 'act'; readonly act: number; readonly what: Act };

/** Every act is a command of the palette too. */
export type Act =
  /** `to` null: the lead; else a member's name. */
  | { readonly type: 'send'; readonly to: string | null; readonly text: string }
  | {
      readonly type: 'answerAsk';
      readonly ask: AskId;
      /** The hash of what was shown: an answer counts for exactly that (A22, A23). null where nothing is allowed. */
      readonly argsHash: string | null;
      readonly answer: AskAnswer;
    }
  /** A member's name, `lead`, or `all`. */
  | { readonly type: 'stop'; readonly name: string }
  | { readonly type: 'resume'; readonly go: boolean; readonly runs: readonly RunId[] | null }
  /** All of the session: no further step, or on again. */
  | { readonly type: 'pause'; readonly paused: boolean }
  /** A failed turn goes on. */
  | { readonly type: 'retry'; readonly run: RunId }
  /** The lead is told of a stop at once. */
  | { readonly type: 'tellLead' }
  | { readonly type: 'openDiff'; readonly agent: AgentId; readonly path: string }
  | { readonly type: 'openAskDiff'; readonly ask: AskId }
  | { readonly type: 'openAllDiffs'; readonly agent: AgentId }
  | { readonly type: 'openFile'; readonly path: string }
  | { readonly type: 'openOutput'; readonly call: CallId }
  | { readonly type: 'undoFile'; readonly agent: AgentId; readonly path: string }
  | { readonly type: 'undoMember'; readonly agent: AgentId }
  | { readonly type: 'undoHunk'; readonly agent: AgentId; readonly path: string; readonly hunk: string }
  /** Everything of this task. */
  | { readonly type: 'undoTask' }
  /** Undoes an undo. */
  | { readonly type: 'redo'; readonly undo: UndoId }
  | { readonly type: 'accept'; readonly outcome: OutcomeId }
  | { readonly type: 'requestChanges'; readonly outcome: OutcomeId; readonly text: string }
  | { readonly type: 'setSize'; readonly min: number; readonly max: number }
  /** Asks for the session's mode or limits. */
  | { readonly type: 'settings'; readonly what: 'mode' | 'limits' }
  /** A failed turn goes on, on a model that is asked for. */
  | { readonly type: 'retryOn'; readonly agent: AgentId }
  | { readonly type: 'switchSession'; readonly session: SessionId }
  | { readonly type: 'openLink'; readonly url: string }
  | { readonly type: 'copy'; readonly text: string }
  | {
      readonly type:
        | 'delegate'
        | 'addModel'
        | 'chooseModel'
        | 'rehearse'
        | 'takeOver'
        | 'manageTrust'
        | 'openLog';
    };
