import { never } from '../base/never';
import type { UndoRefusal, UndoWhy } from '../runtime/engine';
import type { AddressProblem } from './models/address';
import type { PricesProblem } from './models/entries';
import type { SettingProblem } from './settings';

type Arg = string | number;
type Translate = (message: string, ...args: Arg[]) => string;

/** Fills `{0}`, `{1}` …, as the editor's own translator does where it has no translation. */
const fill: Translate = (message, ...args) =>
  message.replace(/\{(\d+)\}/g, (all, index: string) => String(args[Number(index)] ?? all));

let translate: Translate = fill;

/** The editor's translator is put in when the extension starts; without an editor the English words hold. */
export function translateWith(translator: Translate): void {
  translate = translator;
}

/** A sentence in the person's language, with `{0}`, `{1}` … filled. */
export const t: Translate = (message, ...args) => translate(message, ...args);

/** Every sentence that the editor's own surfaces show: inputs, lists, notifications. */
export const say = {
  // ---- adding a model ----
  addModelTitle: (step: number, steps: number) => t('Add Model ({0}/{1})', step, steps),
  addModel: () => t('Add Model'),
  whichServer: () => t('Where is the model served?'),
  otherServer: () => t('Another server…'),
  otherServerDetail: () => t('Any server that speaks the OpenAI chat completions protocol'),
  onThisMachine: () => t('on this machine'),
  rehearseChoice: () => t('Rehearse in a sample folder…'),
  rehearseDetail: () => t('Needs no model and no key; nothing leaves this machine'),
  baseUrl: () => t('Base URL, up to and including /v1'),
  addressProblem: (problem: AddressProblem) => addressProblems[problem](),
  exposed: () =>
    t('This is plain http to another machine: the key and all texts cross the network unencrypted.'),
  keyFor: (origin: string) => t('Key for {0}', origin),
  keyPrompt: (origin: string) =>
    t(
      'API key for {0}. It is kept in the secret storage, sent only there. Leave it empty if none is needed.',
      origin,
    ),
  keyKept: (origin: string) =>
    t('A key for {0} is already stored. Leave this empty to keep it, or type another.', origin),
  keyRefused: (status: number) =>
    t('The server refused this key (HTTP {0}). Type another, or leave it as it is.', status),
  keyHasSpace: () => t('A key has no spaces or line breaks in it.'),
  askingServer: () => t('Asking the server for its models…'),
  whichModel: () => t('Which model? Choose one, or type its name.'),
  modelName: (why: string) => t('Name of the model. The server gave no list ({0}).', why),
  typed: (name: string) => t('Use "{0}"', name),
  notEmpty: () => t("This can't be empty."),
  addNow: () => t('Add it now'),
  addNowDetail: (window: string) =>
    t('Context window {0} tokens, no bound on parallel requests, prices unknown', window),
  details: () => t('Set name, parallel requests, context window and prices…'),
  label: () => t('What should it be called here?'),
  parallel: () => t('How many requests does the server answer at once? Empty: no bound is known.'),
  parallelProblem: () => t('A whole number from 1, or nothing.'),
  window: () => t('How many tokens fit into one request? For example 128000 or 128k.'),
  windowProblem: (least: number) => t('A whole number from {0}, for example 128000 or 128k.', least),
  prices: () =>
    t(
      'Prices in USD per million tokens: input, cached input, output. Empty: unknown, then money is not counted.',
    ),
  pricesProblem: (problem: PricesProblem) =>
    problem === 'form'
      ? t('Two or three numbers: input output, or input cached output.')
      : t('Prices are numbers from 0, with a point for decimals.'),
  modelAdded: (label: string) => t('The model {0} was added.', label),
  useAsDefault: () => t('Use for New Tasks'),
  chooseModel: () => t('Choose the model for new tasks'),
  isDefault: () => t('used for new tasks'),
  rehearsalLabel: () => t('Rehearsal'),
  rehearsalInUse: () => t('This is a sample folder: the rehearsal model is used here.'),
  addAnother: () => t('Add Model…'),

  // ---- delegating ----
  delegateTitle: () => t('Delegate a Task'),
  delegatePrompt: (model: string) => t('What should the team do? Lead: {0}', model),
  delegateAboutPrompt: (what: string, model: string) =>
    t('What should the team do with {0}? It goes along with the task. Lead: {1}', what, model),
  delegatePlaceholder: () => t('For example: add CSV export to the report page and test it'),
  delegateAbout: (what: string) => t('About {0}:', what),
  newTeamTitle: (step: number, steps: number) => t('New Team ({0}/{1})', step, steps),
  howMany: (cap: number) =>
    t('How many agents, the lead included? A number, or least-most, for example 2-5. At most {0}.', cap),
  sizeProblem: (cap: number) => t('A number or a range within 1 and {0}, for example 2-5.', cap),
  whichMode: () => t('What may agents do without asking you?'),
  mode: (mode: 'ask' | 'edits' | 'auto') => modes[mode].label(),
  modeDetail: (mode: 'ask' | 'edits' | 'auto') => modes[mode].detail(),
  autoTitle: () => t('Let agents run everything without asking?'),
  autoDetail: () =>
    t(
      'Commands are not sandboxed: they run as you, with your files and your network. Your deny rules still refuse; protected paths and commands that cannot be parsed still ask.',
    ),
  autoOn: () =>
    t(
      'New teams now run everything without asking. Commands are not sandboxed: they run as you, with your files and your network.',
    ),
  autoYes: () => t('Use Auto'),
  whichLeadModel: () => t('Which model leads the team?'),

  // ---- agents ----
  messageTitle: () => t('Message an Agent'),
  whichAgentMessage: () => t('Who should get it?'),
  messageTo: (name: string) => t('Message to {0}', name),
  stopTitle: () => t('Stop Agent'),
  whichAgentStop: () => t('Who should stop? The agents under it stop too.'),
  stopLead: () => t('its turn; the team stays'),
  stopWithUnder: (count: number) =>
    count === 1 ? t('and 1 agent under it') : t('and {0} agents under it', count),
  stoppedAll: (agents: number, tasks: number) =>
    agents === 1
      ? t('Stopped 1 agent in {0} tasks.', tasks)
      : t('Stopped {0} agents in {1} tasks.', agents, tasks),
  nobodyWorks: () => t('No agent is working.'),
  nothingPaused: () => t('Nothing is paused.'),
  retryTitle: () => t('Retry'),
  whichAgentRetry: () => t('Whose turn should go on?'),
  nothingFailed: () => t('No turn has failed that could go on.'),
  retryModel: (name: string) => t('Which model should {0} go on with?', name),
  retrySame: () => t('as before'),
  nothingToTell: () => t('There is nothing that the lead has not been told.'),
  paused: () => t('paused'),
  noTeam: () => t('There is no team yet. Delegate a task first.'),

  // ---- sessions ----
  changeKey: () => t('Change Key'),
  whoseKey: () => t('The key of which server?'),
  noKeys: () => t('No model is set up whose server would want a key.'),
  keyChanged: (origin: string) => t('The key for {0} counts from the next request on.', origin),
  transcriptTitle: () => t('Show What an Agent Did'),
  whichAgentTranscript: () => t('Whose work?'),
  exactTitle: () => t('Show an Exact Request'),
  whichStep: (name: string) =>
    t('Which step of {0}? The request that it answered is shown as it was sent', name),
  noSteps: (name: string) => t('{0} has not asked its model yet.', name),
  stepLabel: (n: number, time: string) => t('Step {0} · {1}', n, time),
  stepTokens: (input: string, output: string) => t('{0} tokens in, {1} out', input, output),
  exportTitle: () => t('Export Transcript'),
  exportFormat: () => t('As what?'),
  exportMarkdown: () => t('The conversation and the room, to be read'),
  exportEvents: () => t('Every event, one a line, to be worked with'),
  exported: (path: string) => t('The transcript was written to {0}.', path),
  searchTitle: () => t('Search Messages'),
  searchWords: () => t('Beginnings of words that a message holds'),
  searchNone: () => t('No message holds words that begin so'),
  you: () => t('You'),
  deleteTitle: () => t('Delete Session'),
  whichDelete: () => t('Which session should be deleted?'),
  deleteQuestion: (title: string) => t('Delete "{0}"?', title),
  deleteStops: () => t('Its agents and their commands are stopped.'),
  deleteDetail: () =>
    t(
      'Its messages and all that is needed to undo its changes are deleted for good. Files in the workspace stay as they are now.',
    ),
  deleteYes: () => t('Delete'),
  deleting: () => t('Deleting the session…'),
  renameTitle: () => t('Rename Session'),
  whichRename: () => t('Which session should have another title?'),
  renamePrompt: () => t('The new title'),
  archiveTitle: () => t('Archive Session'),
  whichArchive: () => t('Which session should no longer be listed?'),
  showArchivedTitle: () => t('Show Archived Session'),
  whichShow: () => t('Which session should be listed again?'),
  noneArchived: () => t('No session is archived.'),

  // ---- settings of a session ----
  settingsTitle: () => t('Settings of a Task'),
  whichSettings: () => t('Which task?'),
  whichSetting: () => t('What should be changed?'),
  settingSize: () => t('Team size'),
  settingMode: () => t('Permissions'),
  settingLimits: () => t('Limits'),
  whichLimit: () => t('Which limit?'),
  noLimit: () => t('no limit'),
  limitName: (limit: 'steps' | 'activeMs' | 'tokens' | 'microUsd') => limitNames[limit](),
  limitPrompt: (name: string) => t('{0}: a number. Empty: no limit.', name),
  limitProblem: () => t('A number above 0, or nothing.'),

  // ---- undo ----
  undoTitle: () => t("Undo Member's Changes"),
  whichUndo: () => t('Whose changes should be undone?'),
  files: (count: number) => (count === 1 ? t('1 file') : t('{0} files', count)),
  undoQuestion: (name: string, count: number) =>
    count === 1
      ? t('Undo what {0} changed in 1 file?', name)
      : t('Undo what {0} changed in {1} files?', name, count),
  undoFileQuestion: (name: string, path: string) => t('Undo what {0} changed in {1}?', name, path),
  undoDetail: (paths: readonly string[], more: number) =>
    `${paths.join('\n')}${more > 0 ? `\n${t('and {0} more', more)}` : ''}\n\n${t('Later changes by others stay. A file where they overlap is left alone and named.')}`,
  undoYes: () => t('Undo'),
  nothingToUndo: () => t('No agent has changed a file.'),
  undone: (name: string, count: number) =>
    count === 1
      ? t('Undone: what {0} changed in 1 file.', name)
      : t('Undone: what {0} changed in {1} files.', name, count),
  undoneTask: (count: number) =>
    count === 1
      ? t('Undone: what the agents changed in 1 file.')
      : t('Undone: what the agents changed in {0} files.', count),
  undoneHunk: (name: string, path: string) => t('Undone: one place that {0} changed in {1}.', name, path),
  redone: (count: number) =>
    count === 1 ? t('The undo was undone in 1 file.') : t('The undo was undone in {0} files.', count),
  undoRefused: (refused: readonly UndoRefusal[]) => {
    const shown = refused.slice(0, MOST_REFUSED).map((file) => `${file.path} (${undoWhy(file.why)})`);
    const more = refused.length - shown.length;
    return t('Left as it is: {0}', [...shown, ...(more > 0 ? [t('and {0} more', more)] : [])].join('; '));
  },
  undoUndo: () => t('Undo This'),
  undoTaskQuestion: (title: string, count: number) =>
    count === 1
      ? t('Undo what the agents changed in 1 file for "{0}"?', title)
      : t('Undo what the agents changed in {1} files for "{0}"?', title, count),
  undoHunkTitle: () => t('Undo Hunk'),
  whichFile: () => t('In which file?'),
  whichHunk: () => t('Which place?'),
  line: (line: number) => t('Line {0}', line),
  noHunk: (path: string) => t('There is no single place in {0} that could be undone.', path),
  noRedo: () => t('There is no undo that could be undone.'),
  undoUnknown: (paths: readonly string[]) =>
    t(
      'A crash interrupted an undo. What these files hold now is neither what they held before nor what they should hold: {0}',
      list(paths),
    ),

  // ---- review ----
  reviewTitle: () => t('Review Deliverables'),
  whichReview: () => t('Whose work should be reviewed?'),
  nothingToReview: () =>
    t('Nothing is to review: no member has reported changed files that you have not accepted.'),
  acceptTitle: () => t('Accept a Deliverable'),
  whichAccept: () => t('Whose work is in order?'),
  accepted: (name: string) => t('Accepted: what {0} changed. It can still be undone.', name),
  requestTitle: () => t('Request Changes'),
  whichRequest: () => t('Whose work should be changed?'),
  requestPrompt: (name: string) => t('What should {0} change? It starts to work at once.', name),
  requested: (name: string) => t('{0} was told what to change.', name),
  reviewNow: (name: string, count: number) =>
    count === 1
      ? t('{0} reports, with 1 changed file.', name)
      : t('{0} reports, with {1} changed files.', name, count),
  accept: () => t('Accept'),
  requestChanges: () => t('Request Changes…'),
  toReview: () => t('to review'),
  changesRequested: () => t('changes requested'),
  changedBy: (names: readonly string[]) => t('Changed by {0}', list(names)),

  // ---- interrupted work ----
  interrupted: (names: readonly string[]) =>
    t('A restart interrupted {0}. Nothing goes on until you say so.', list(names)),
  goOn: () => t('Go On'),
  endIt: () => t('End It'),
  show: () => t('Show'),
  nothingInterrupted: () => t('Nothing is interrupted.'),
  resumeTitle: () => t('Resume'),
  resumeGo: (names: readonly string[]) => t('Go on: {0}', list(names)),
  resumeEnd: () => t('End it, and report it to those who wait'),
  survivorsEnded: (commands: readonly string[]) =>
    t('Commands that had outlived the last window were ended: {0}', commands.join('; ')),

  // ---- rehearsal ----
  rehearseTitle: () => t('Rehearse in a Sample Folder'),
  rehearseWhere: () => t('Where should the sample folder be made?'),
  rehearseDefault: () => t("In Teamroom's own storage"),
  rehearsePick: () => t('Choose a folder…'),
  rehearseHere: () => t('Make It Here'),
  rehearseFailed: (why: string) => t('The sample folder could not be made: {0}', why),

  // ---- what waits for the person ----
  asksCommand: (name: string, command: string) => t('{0} asks to run a command: {1}', name, command),
  asksChange: (name: string, path: string) => t('{0} asks to change {1}', name, path),
  asksTool: (name: string, tool: string) => t('{0} asks to use {1}', name, tool),
  asksQuestion: (name: string, question: string) => t('{0} asks you: {1}', name, question),
  asksLimit: (name: string, limit: 'tokens' | 'money') =>
    limit === 'tokens'
      ? t('{0} has reached the token limit and waits.', name)
      : t('{0} has reached the money limit and waits.', name),
  alsoWaiting: (count: number) => (count === 1 ? t('1 other waits too.') : t('{0} others wait too.', count)),
  finished: (title: string) => t('The team has finished: {0}', title),
  failed: (title: string, why: string) => t('The team could not go on with "{0}": {1}', title, why),
  status: (working: number, waiting: number) => t('{0} working, {1} waiting for you', working, waiting),
  statusWorking: (working: number) => t('{0} working', working),
  statusTooltip: () => t('Teamroom: show the Room'),
  statusWaiting: (waiting: number) => t('{0} waiting for you', waiting),
  badge: (count: number) => (count === 1 ? t('1 answer is needed') : t('{0} answers are needed', count)),

  // ---- the Agents view ----
  tooltipRole: () => t('Role'),
  tooltipManager: () => t('Manager'),
  tooltipModel: () => t('Model'),
  tooltipTokens: () => t('Tokens'),
  tooltipCost: () => t('Cost'),
  tooltipTime: () => t('Active'),
  tooltipSteps: () => t('Steps'),
  person: () => t('you'),
  noPrice: () => t('not known: the model has no prices'),
  undoableHint: () => t('Open the diff'),
  newFile: () => t('new'),
  deletedFile: () => t('deleted'),
  undoneFile: () => t('undone'),

  // ---- diffs ----
  diffNow: (path: string, name: string) => t('{0}: what {1} changed', path, name),
  diffThen: (path: string, name: string) => t('{0}: what {1} changed (changed again since)', path, name),
  diffAllTitle: () => t('Open All Changes of a Member'),
  diffAll: (name: string) => t('What {0} changed', name),
  noDiff: (path: string) => t('There is no content of {0} from before to compare with.', path),

  // ---- limits, access, problems ----
  untrusted: () => t('This folder is not trusted: the history can be read, but no agent runs.'),
  manageTrust: () => t('Manage Workspace Trust'),
  noFolder: () => t('Agents work in a folder. Open one first.'),
  openFolder: () => t('Open Folder'),
  elsewhere: () => t('Another window works on this folder. This one can only read.'),
  takeOver: () => t('Take Over Here'),
  takenOver: () => t('This window works on the folder now; the other one can only read.'),
  takeOverQuestion: () => t('Take this folder over from the other window?'),
  takeOverDetail: () => t('What its agents are doing is interrupted there and can go on here.'),
  openLog: () => t('Open Log'),
  openSettings: () => t('Open Settings'),
  settingProblem: (problem: SettingProblem) => settingProblem(problem),
  badLink: (url: string) => t('This is no web address: {0}', url),
  failure: (message: string) => t('Teamroom: {0}', message),
  startFailed: (why: string) => t('Teamroom could not start: {0}', why),
  windows: () =>
    t(
      'Teamroom has not been run on native Windows yet; use WSL or a remote folder. It goes on at your own risk.',
    ),
} as const;

/** Files that a sentence names. */
const MOST_REFUSED = 5;

/** Why a file's changes were not undone. */
export function undoWhy(why: UndoWhy): string {
  switch (why.code) {
    case 'overlap':
      return since(why, t('changed since'), (who) => t('changed since by {0}', who));
    case 'no_merge':
      return since(why, t('no text, and changed since'), (who) =>
        t('no text, and changed since by {0}', who),
      );
    case 'no_before':
      return t("can't be undone: what it held before was not kept");
    case 'hunk_gone':
      return t('this place is not there any more as it was shown');
    case 'place_taken':
      return t('another file lies at {0} now', why.place);
    case 'half_done':
      return t('was written only in part: look at it');
    case 'unsaved':
      return t('has unsaved text in the editor');
    case 'stale':
    case 'unread':
    case 'missing':
      return t('was changed at this very moment');
    case 'leased':
      return t('an agent is writing it');
    case 'outside':
    case 'denied':
    case 'invalid':
      return t('may not be written');
    case 'no_folder':
      return t('its folder is not open');
    case 'not_a_file':
    case 'not_a_folder':
    case 'exists':
    case 'workspace_folder':
    case 'into_itself':
      return t('something else lies there now');
    case 'binary':
    case 'not_utf8':
      return t('is no text');
    case 'too_large':
    case 'too_many':
    case 'too_much':
      return t('is too large');
    case 'io':
      return t("can't be read or written now");
    default:
      return never(why);
  }
}

function since(
  { by, outside }: Extract<UndoWhy, { readonly outside: boolean }>,
  plain: string,
  named: (who: string) => string,
): string {
  const who = [...by, ...(outside ? [t('you or a program')] : [])];
  return who.length === 0 ? plain : named(list(who));
}

const list = (names: readonly string[]): string => names.join(', ');

const addressProblems: Readonly<Record<AddressProblem, () => string>> = {
  empty: () => t('A base URL is needed, for example https://api.openai.com/v1'),
  not_url: () => t('This is no URL. For example: http://localhost:11434/v1'),
  not_http: () => t('The URL must begin with https:// or http://'),
  userinfo: () => t('A user or password in the URL is not accepted; the key is asked for next.'),
  query: () => t('The base URL may have no "?" or "#" part.'),
};

const limitNames = {
  steps: () => t('Steps of a turn'),
  activeMs: () => t('Minutes of a turn'),
  tokens: () => t('Tokens of the task'),
  microUsd: () => t('USD of the task'),
};

const modes = {
  ask: {
    label: () => t('Ask'),
    detail: () => t('Every write and every command that does more than read asks you'),
  },
  edits: {
    label: () => t('Edits'),
    detail: () => t('Files in the workspace are written; commands that do more than read ask you'),
  },
  auto: {
    label: () => t('Auto'),
    detail: () => t('Everything runs, and commands are not sandboxed'),
  },
} as const;

function settingProblem(problem: SettingProblem): string {
  switch (problem.type) {
    case 'size':
      return t(
        'The settings teamroom.agents.min ({0}) and teamroom.agents.max ({1}) are not used: 1 ≤ min ≤ max ≤ {2} must hold.',
        problem.min,
        problem.max,
        problem.cap,
      );
    case 'value':
      return t("The setting {0} has a value that can't be used; the default holds instead.", problem.key);
    case 'models':
      return t(
        "The setting teamroom.models has entries that can't be used: {0}",
        problem.problems.join('; '),
      );
  }
}
