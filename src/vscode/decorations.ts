import * as vscode from 'vscode';
import type { Clock } from '../base/clock';
import type { Disposable } from '../base/disposable';
import type { State } from '../shared/state';
import { changedMarks, type Mark, marksOf } from './decorated';
import type { Sessions } from './sessions';
import { say } from './texts';

/** What changes together is marked together, ms. */
const GATHER_MS = 300;

/** Marks files that agents have changed, wherever the editor shows them, with who it was in the tooltip. */
export class Decorations implements vscode.FileDecorationProvider, vscode.Disposable {
  readonly #sessions: Pick<Sessions, 'open'>;
  readonly #place: (path: string) => string | null;
  readonly #clock: Clock;
  readonly #changed = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.#changed.event;
  /** The tables that the marks were made from: as long as they are the same, so are the marks. */
  #seen: readonly unknown[] = [];
  #marks: ReadonlyMap<string, Mark> = new Map();
  #timer: Disposable | null = null;

  constructor(sessions: Pick<Sessions, 'open'>, place: (path: string) => string | null, clock: Clock) {
    this.#sessions = sessions;
    this.#place = place;
    this.#clock = clock;
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    const mark = uri.scheme === 'file' ? this.#marks.get(uri.fsPath) : undefined;
    if (mark === undefined) return undefined;
    const words = [say.changedBy(mark.names), ...(mark.toReview ? [say.toReview()] : [])];
    return new vscode.FileDecoration('T', words.join(' · '));
  }

  /** Something changed: looks soon whether files are to be marked otherwise. */
  touch(): void {
    this.#timer ??= this.#clock.after(GATHER_MS, () => {
      this.#timer = null;
      this.#update();
    });
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#changed.dispose();
  }

  #update(): void {
    const states = this.#sessions.open().map(({ state }) => state);
    const seen = states.flatMap(tablesOf);
    if (seen.length === this.#seen.length && seen.every((table, index) => table === this.#seen[index]))
      return;
    this.#seen = seen;
    const marks = marksOf(states, this.#place);
    const changed = changedMarks(this.#marks, marks);
    this.#marks = marks;
    if (changed.length > 0) this.#changed.fire(changed.map((path) => vscode.Uri.file(path)));
  }
}

const tablesOf = (state: State): readonly unknown[] => [state.changes, state.outcomes];
