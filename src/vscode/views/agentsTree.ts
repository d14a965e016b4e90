import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import type { Disposable } from '../../base/disposable';
import { values } from '../../base/table';
import type { AgentId, SessionId } from '../../shared/ids';
import { agentOf, noteOf, openRuns, runOf } from '../../shared/lookup';
import { waitingRows } from '../../shared/project/head';
import type { LiveInput } from '../../shared/project/live';
import { Streams } from '../../shared/project/streams';
import { treeRow } from '../../shared/project/treeList';
import type { Surroundings } from '../../shared/project/who';
import { mayRetry } from '../../shared/retry';
import type { State } from '../../shared/state';
import { type ChangedFile, changedFiles } from '../changedFiles';
import { type Sessions, titleOf } from '../sessions';
import { say } from '../texts';
import {
  type AgentRow,
  agentAria,
  agentDescription,
  agentIcon,
  agentTooltip,
  contextOf,
  sessionDescription,
} from './agentRow';
import { type AgentsNode, nodeId } from './agentsNodes';

/** A changed row is drawn again at most this often. */
const REDRAW_MS = 1000;
/** What happens together is drawn together. */
const GATHER_MS = 50;

export interface AgentsTreeOptions {
  readonly sessions: Pick<Sessions, 'open' | 'state'>;
  readonly around: () => Surroundings;
  /** Absolute folder that the agents' paths are relative to; null: none is open. */
  readonly root: (path: string) => string | null;
  readonly redraw: (nodes: readonly AgentsNode[] | undefined) => void;
  readonly clock: Clock;
}

type AgentNode = Extract<AgentsNode, { type: 'agent' }>;

/**
 * The Agents view: sessions in memory, under each its agents in tree order, under each agent those it leads and the
 * files it has changed. Only rows that look different from last time are drawn again.
 */
export class AgentsTree implements vscode.TreeDataProvider<AgentsNode>, vscode.Disposable {
  readonly #options: AgentsTreeOptions;
  readonly #nodes = new Map<string, AgentsNode>();
  /** How each row that the editor has asked for looked then. */
  readonly #shown = new Map<string, string>();
  readonly #streams = new Streams();
  #drawn = new Set<SessionId>();
  #timer: Disposable | null = null;
  #drawnAt = 0;

  constructor(options: AgentsTreeOptions) {
    this.#options = options;
  }

  /** Something streams. Who streams works, and the rows are looked at every second while somebody does. */
  live(session: SessionId, update: LiveInput): void {
    this.#streams.take(session, update, this.#options.clock.now());
  }

  /** Something changed: looks for the rows that did, at once if the last time is a second ago. */
  touch(): void {
    const { clock } = this.#options;
    const wait = Math.min(REDRAW_MS, Math.max(GATHER_MS, this.#drawnAt + REDRAW_MS - clock.now()));
    this.#timer ??= clock.after(wait, () => {
      this.#timer = null;
      this.#drawnAt = clock.now();
      this.#redrawChanged();
      // Elapsed times go on while somebody works; otherwise nothing ticks.
      if (this.#shown.size > 0 && this.#isAnybodyWorking()) this.touch();
    });
  }

  /** A session changed; one that was not there yet is drawn at once, before the list of all has been read. */
  changed(session: SessionId): void {
    if (this.#drawn.has(session)) this.touch();
    else this.reset();
    this.#drawn.add(session);
  }

  /** Rows came or went. */
  reset(): void {
    this.#shown.clear();
    this.#drawn = new Set(this.#options.sessions.open().map(({ id }) => id));
    this.#streams.keep(this.#drawn);
    this.#options.redraw(undefined);
  }

  getChildren(node?: AgentsNode): AgentsNode[] {
    if (node === undefined) {
      return this.#options.sessions.open().map(({ id }) => this.#node({ type: 'session', session: id }));
    }
    const state = this.#options.sessions.state(node.session);
    if (state === null || node.type === 'file') return [];
    const parent = node.type === 'agent' ? node.agent : null;
    const members = membersOf(state, parent).map((agent) =>
      this.#node({ type: 'agent', session: node.session, agent }),
    );
    const files = parent === null ? [] : changedFiles(state, parent);
    const shownFiles = files.map((file) =>
      this.#node({ type: 'file', session: node.session, agent: file.agent, path: file.path }),
    );
    return [...members, ...shownFiles];
  }

  getParent(node: AgentsNode): AgentsNode | undefined {
    if (node.type === 'session') return undefined;
    if (node.type === 'file') return this.#node({ type: 'agent', session: node.session, agent: node.agent });
    const state = this.#options.sessions.state(node.session);
    const manager = state === null ? undefined : agentOf(state, node.agent)?.managerId;
    if (manager == null) return this.#node({ type: 'session', session: node.session });
    return this.#node({ type: 'agent', session: node.session, agent: manager });
  }

  getTreeItem(node: AgentsNode): vscode.TreeItem {
    const state = this.#options.sessions.state(node.session);
    const item = state === null ? new vscode.TreeItem(node.session) : this.#item(node, state);
    item.id = this.#itemId(node);
    this.#shown.set(nodeId(node), this.#look(node, state));
    if (this.#isAnybodyWorking()) this.touch();
    return item;
  }

  /** The tooltip is made when it is wanted. */
  resolveTreeItem(item: vscode.TreeItem, node: AgentsNode): vscode.TreeItem {
    const state = this.#options.sessions.state(node.session);
    if (state === null || node.type !== 'agent') return item;
    const shown = this.#row(node, state);
    if (shown !== null) item.tooltip = agentTooltip(state, shown, this.#options.clock.now());
    return item;
  }

  /** How many answers the person owes, over all sessions in memory. */
  get waiting(): number {
    return this.#options.sessions.open().reduce((sum, { state }) => sum + waitingRows(state).length, 0);
  }

  dispose(): void {
    this.#timer?.dispose();
  }

  // ---- rows ----

  /** The editor tells rows apart by identity. */
  #node(node: AgentsNode): AgentsNode {
    const id = nodeId(node);
    const known = this.#nodes.get(id);
    if (known !== undefined) return known;
    this.#nodes.set(id, node);
    return node;
  }

  #row({ session, agent }: AgentNode, state: State): AgentRow | null {
    const row = treeRow(state, agent, 0, this.#options.around());
    return row === null ? null : { row, streaming: this.#streams.of(session, agent) };
  }

  #item(node: AgentsNode, state: State): vscode.TreeItem {
    switch (node.type) {
      case 'session':
        return this.#sessionItem(node.session, state);
      case 'agent': {
        const shown = this.#row(node, state);
        return shown === null ? new vscode.TreeItem(node.agent) : this.#agentItem(node.session, state, shown);
      }
      case 'file': {
        const file = changedFiles(state, node.agent).find((changed) => changed.path === node.path);
        return file === undefined ? new vscode.TreeItem(node.path) : this.#fileItem(node, file);
      }
    }
  }

  #sessionItem(session: SessionId, state: State): vscode.TreeItem {
    const item = new vscode.TreeItem(titleOf(state), vscode.TreeItemCollapsibleState.Expanded);
    const words = sessionDescription(state, this.#options.clock.now());
    item.description = words;
    item.iconPath = new vscode.ThemeIcon('organization');
    item.contextValue = sessionContext(state);
    item.tooltip = titleOf(state);
    item.accessibilityInformation = { label: `${titleOf(state)}, ${words}` };
    item.command = {
      command: 'teamroom.tree.open',
      title: say.show(),
      arguments: [{ type: 'session', session }],
    };
    return item;
  }

  #agentItem(session: SessionId, state: State, shown: AgentRow): vscode.TreeItem {
    const { row } = shown;
    const agent = row.agent.id;
    const leads = membersOf(state, agent).length > 0;
    const hasFiles = changedFiles(state, agent).length > 0;
    const { Expanded, Collapsed, None } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(row.agent.name, leads ? Expanded : hasFiles ? Collapsed : None);
    item.description = agentDescription(shown, this.#options.clock.now());
    item.iconPath = agentIcon(row);
    item.contextValue = contextOf(row, hasStanding(state, agent), canGoOn(state, agent));
    item.accessibilityInformation = { label: agentAria(shown, this.#options.clock.now()) };
    item.command = {
      command: 'teamroom.tree.open',
      title: say.show(),
      arguments: [{ type: 'agent', session, agent }],
    };
    return item;
  }

  #fileItem(node: Extract<AgentsNode, { type: 'file' }>, file: ChangedFile): vscode.TreeItem {
    const item = new vscode.TreeItem(basename(file.path), vscode.TreeItemCollapsibleState.None);
    const path = this.#options.root(file.path);
    if (path !== null) item.resourceUri = vscode.Uri.file(path);
    item.description = fileDescription(file);
    item.iconPath = vscode.ThemeIcon.File;
    item.contextValue = file.undone ? 'file.undone' : 'file';
    item.tooltip = `${file.path}\n${fileDescription(file)}`;
    item.accessibilityInformation = { label: `${file.path}, ${fileDescription(file)}` };
    item.command = { command: 'teamroom.openDiff', title: say.undoableHint(), arguments: [node] };
    return item;
  }

  /**
   * The editor remembers a row's folding by its id and takes no later wish: who gets its first member is another row
   * from then on, which begins unfolded.
   */
  #itemId(node: AgentsNode): string {
    if (node.type !== 'agent') return nodeId(node);
    const state = this.#options.sessions.state(node.session);
    const leads = state !== null && membersOf(state, node.agent).length > 0;
    return leads ? `${nodeId(node)}/` : nodeId(node);
  }

  // ---- what changed ----

  #redrawChanged(): void {
    const changed: AgentsNode[] = [];
    const { sessions } = this.#options;
    for (const [id, look] of this.#shown) {
      const node = this.#nodes.get(id);
      if (node !== undefined && this.#look(node, sessions.state(node.session)) !== look) changed.push(node);
    }
    if (changed.length > 0) this.#options.redraw(changed);
  }

  /** All that can be seen of a row, its children's names included: if two are equal nothing is drawn. */
  #look(node: AgentsNode, state: State | null): string {
    if (state === null) return '';
    const children = node.type === 'file' ? [] : this.getChildren(node).map((child) => this.#itemId(child));
    const now = this.#options.clock.now();
    switch (node.type) {
      case 'session':
        return JSON.stringify([
          titleOf(state),
          sessionDescription(state, now),
          sessionContext(state),
          children,
        ]);
      case 'agent': {
        const shown = this.#row(node, state);
        if (shown === null) return '';
        const { row } = shown;
        return JSON.stringify([
          row.agent.name,
          agentDescription(shown, now),
          row.state,
          contextOf(row, hasStanding(state, node.agent), canGoOn(state, node.agent)),
          children,
        ]);
      }
      case 'file':
        return JSON.stringify(
          changedFiles(state, node.agent).find((file) => file.path === node.path) ?? null,
        );
    }
  }

  #isAnybodyWorking(): boolean {
    return this.#options.sessions
      .open()
      .some(({ state }) => openRuns(state).some((run) => run.phase.status === 'running'));
  }
}

/** Something can be stopped: a turn, or a command in the background. */
const isAtWork = (state: State): boolean => openRuns(state).length > 0 || state.open.jobs.length > 0;

/** What the manifest's menus go by; `.untold`: the lead does not know yet of a stop. */
function sessionContext(state: State): string {
  const is = state.session?.paused === true ? 'paused' : isAtWork(state) ? 'running' : 'idle';
  return `session.${is}${isUntold(state) ? '.untold' : ''}`;
}

const isUntold = (state: State): boolean =>
  state.open.notes.some((id) => {
    const note = noteOf(state, id);
    return note?.about.type === 'stopped' && note.pressing !== true;
  });

/** Its last turn failed, and it has nothing else to do. */
function canGoOn(state: State, id: AgentId): boolean {
  const last = agentOf(state, id)?.runs.at(-1);
  const run = last === undefined ? undefined : runOf(state, last);
  return run !== undefined && mayRetry(state, run);
}

/** Agents under a manager, in the order they came; under null: the leads. Those who left stay, to be read about. */
function membersOf(state: State, manager: AgentId | null): readonly AgentId[] {
  const members: AgentId[] = [];
  for (const agent of values(state.agents)) if (agent.managerId === manager) members.push(agent.id);
  return members;
}

const hasStanding = (state: State, agent: AgentId): boolean =>
  changedFiles(state, agent).some((file) => !file.undone);

function fileDescription(file: ChangedFile): string {
  const folder = dirname(file.path);
  const words = [
    folder === '.' ? '' : folder,
    file.undone ? say.undoneFile() : '',
    file.status === 'new' ? say.newFile() : file.status === 'deleted' ? say.deletedFile() : '',
    file.undone ? '' : `+${file.added} −${file.removed}`,
  ];
  return words.filter((word) => word !== '').join(' · ');
}

/** Where a path as the agents write it lies on the disk: relative to the only folder, else `<folder name>/path`. */
export function placeIn(
  folders: readonly { readonly name: string; readonly path: string }[],
  path: string,
): string | null {
  const [only, ...others] = folders;
  if (only === undefined) return null;
  if (others.length === 0) return join(only.path, path);
  const slash = path.indexOf('/');
  const folder = folders.find(({ name }) => name === path.slice(0, slash));
  return folder === undefined ? null : join(folder.path, path.slice(slash + 1));
}
