import * as vscode from 'vscode';
import type { EngineAccess } from '../../runtime/engine';
import { waitingRows, workingCount } from '../../shared/project/head';
import { interruptedNames } from '../commands/resume';
import type { OpenSession } from '../sessions';
import { say } from '../texts';
import { statusWords } from './agentRow';

/** What the window shows of the teams while their views are closed: badge, status bar, and the menus' context keys. */
export class WindowSigns implements vscode.Disposable {
  readonly #view: vscode.TreeView<unknown>;
  readonly #status: vscode.StatusBarItem;
  readonly #keys = new Map<string, boolean>();

  constructor(view: vscode.TreeView<unknown>) {
    this.#view = view;
    this.#status = vscode.window.createStatusBarItem('status', vscode.StatusBarAlignment.Left, 10);
    this.#status.name = 'Teamroom';
    this.#status.command = 'teamroom.tree.open';
  }

  update(open: readonly OpenSession[], access: EngineAccess, hasModel: boolean): void {
    const working = sum(open, ({ state }) => workingCount(state));
    const waiting = sum(open, ({ state }) => waitingRows(state).length);
    this.#badge(waiting);
    const paused = open.some(({ state }) => state.session?.paused === true);
    this.#statusBar(working, waiting, paused);
    this.#key('teamroom.paused', paused);
    this.#key('teamroom.hasModel', hasModel);
    const stoppable =
      working > 0 ||
      waiting > 0 ||
      open.some(({ state }) => state.session?.paused === true && state.open.runs.length > 0) ||
      open.some(({ state }) => state.open.jobs.length > 0);
    this.#key('teamroom.working', stoppable);
    this.#key(
      'teamroom.interrupted',
      open.some(({ state }) => interruptedNames(state).length > 0),
    );
    this.#key('teamroom.readOnly', access.type === 'read_only' && access.why === 'elsewhere');
  }

  dispose(): void {
    this.#status.dispose();
  }

  #badge(waiting: number): void {
    if ((this.#view.badge?.value ?? 0) === waiting) return;
    this.#view.badge = waiting === 0 ? undefined : { value: waiting, tooltip: say.badge(waiting) };
  }

  #statusBar(working: number, waiting: number, paused: boolean): void {
    if (working === 0 && waiting === 0 && !paused) {
      this.#status.hide();
      return;
    }
    const counts = working > 0 || waiting > 0 ? statusWords(working, waiting) : '';
    const words = [paused ? say.paused() : '', counts].filter((part) => part !== '').join(', ');
    const icon = waiting > 0 ? 'bell-dot' : paused ? 'debug-pause' : 'organization';
    this.#status.text = `$(${icon}) ${words}`;
    this.#status.tooltip = say.statusTooltip();
    this.#status.accessibilityInformation = { label: `Teamroom: ${words}` };
    this.#status.backgroundColor =
      waiting > 0 ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#status.show();
  }

  #key(name: string, value: boolean): void {
    if (this.#keys.get(name) === value) return;
    this.#keys.set(name, value);
    void vscode.commands.executeCommand('setContext', name, value);
  }
}

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);
