import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import { never } from '../../base/never';
import type { Engine, SessionChange } from '../../runtime/engine';
import type { AgentId, SessionId } from '../../shared/ids';
import { Feed, isFeedRequest } from '../../shared/project/feed';
import type { DiffSource } from '../../shared/project/projection';
import type { Surroundings } from '../../shared/project/who';
import type { Act, DiffOf, DiffView, HostToView, ListName, ViewToHost } from '../../shared/protocol';
import { hasBoth } from '../../shared/spans';
import { say as words } from '../../shared/texts';
import { parseViewMessage } from '../../shared/viewSchema';
import { diffView, spansView } from '../diffView';
import type { EngineBox } from '../engineBox';
import type { Sessions } from '../sessions';
import { roomPage } from './roomPage';

export interface RoomViewOptions {
  readonly extensionUri: vscode.Uri;
  readonly box: EngineBox;
  readonly sessions: Sessions;
  readonly around: () => Surroundings;
  /** Does what the person asked for there; answers what they should read about it. */
  readonly act: (
    session: SessionId | null,
    act: Act,
  ) => Promise<{ readonly ok: boolean; readonly words: string }>;
  readonly strings: Readonly<Record<string, string>> | null;
  readonly clock: Clock;
  readonly log: Log;
}

type Reveal = Extract<HostToView, { type: 'reveal' }>;

/**
 * The Room: a webview that holds no state. It is fed rows and patches of the session that is looked at; what it sends
 * is checked before anything is done with it (A22).
 */
export class RoomView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #options: RoomViewOptions;
  readonly #feed: Feed;
  readonly #subscriptions: readonly { dispose(): void }[];
  #view: vscode.WebviewView | null = null;
  #shown: SessionId | null = null;
  /** Waits until the view says that it is there. */
  #reveal: Reveal | null = null;

  constructor(options: RoomViewOptions) {
    const { box, sessions, clock, strings } = options;
    this.#options = options;
    this.#feed = new Feed((message) => this.#post(message), clock, strings);
    this.#subscriptions = [
      box.onDidChange((change) => this.#change(change)),
      box.onLive((update) => this.#feed.live(update, update.session)),
      box.onDidChangeAccess(() => {
        this.#feed.silence();
        this.refresh();
      }),
      sessions.onDidChange(() => this.refresh()),
      this.#feed,
    ];
  }

  get isVisible(): boolean {
    return this.#view?.visible === true;
  }

  get shown(): SessionId | null {
    return this.#shown;
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const dist = vscode.Uri.joinPath(this.#options.extensionUri, 'dist');
    view.webview.options = { enableScripts: true, enableCommandUris: false, localResourceRoots: [dist] };
    view.webview.onDidReceiveMessage((message: unknown) => this.#receive(message));
    // Hidden, the page is thrown away; it says `ready` when it is made anew.
    view.onDidChangeVisibility(() => {
      if (!view.visible) this.#feed.disconnect();
    });
    view.onDidDispose(() => {
      this.#feed.disconnect();
      if (this.#view === view) this.#view = null;
    });
    this.refresh();
    view.webview.html = roomPage(view.webview, dist, randomBytes(18).toString('base64'));
  }

  /** Models, access, or the sessions changed. */
  refresh(): void {
    const { sessions, around } = this.#options;
    this.#feed.surroundings(around());
    const current = sessions.current;
    this.#feed.keep(new Set(sessions.open().map(({ id }) => id)));
    const state = current === null ? null : sessions.state(current);
    // After a takeover the same session is there with another past: only the events of one engine follow on another.
    const known = this.#feed.projection.state;
    const older = isOlder(state?.seq, known?.seq);
    if (current === this.#shown && (state === null) === (known === null) && !older) return;
    this.#shown = state === null ? null : current;
    this.#feed.open(state);
  }

  /** Shows an agent's newest row, or what waits for the person; with `composer` the cursor is put there. */
  reveal(agent: AgentId | null, composer: boolean): void {
    const list: ListName = 'room';
    this.#reveal = { type: 'reveal', list, key: agent === null ? null : this.#keyOf(agent), composer };
    if (this.isVisible) this.#flushReveal();
  }

  /** Shows a row of the Room. */
  revealRow(key: string): void {
    this.#reveal = { type: 'reveal', list: 'room', key, composer: false };
    if (this.isVisible) this.#flushReveal();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  #change({ session, state, events }: SessionChange): void {
    if (session === this.#shown) this.#feed.change(state, events);
    else this.#feed.behind(session, state, events);
  }

  #receive(message: unknown): void {
    const parsed = parseViewMessage(message);
    if (!parsed.ok) {
      this.#options.log.warn('the Room sent what it may not send', { problem: parsed.error });
      return;
    }
    this.#handle(parsed.value).catch((error: unknown) => {
      this.#options.log.error(`the Room's ${parsed.value.type} failed`, error);
    });
  }

  async #handle(message: ViewToHost): Promise<void> {
    if (isFeedRequest(message)) {
      this.#feed.receive(message);
      if (message.type === 'ready') this.#flushReveal();
      return;
    }
    switch (message.type) {
      case 'expand':
        return this.#expand(message.key);
      case 'diff':
        return this.#diff(message.of);
      case 'act': {
        const done = await this.#options.act(this.#shown, message.what);
        this.#post({ type: 'acted', act: message.act, ...done });
        return;
      }
      default:
        return never(message);
    }
  }

  async #expand(key: string): Promise<void> {
    const text = this.#feed.projection.textOf(key);
    if (text === null || this.#shown === null) return;
    this.#post({ type: 'body', key, text: await this.#engine.readText(this.#shown, text) });
  }

  async #diff(of: DiffOf): Promise<void> {
    const source = this.#feed.projection.diffSource(of);
    const diff = source === null || this.#shown === null ? null : await this.#compare(this.#shown, source);
    this.#post({ type: 'diff', of, diff, problem: diff === null ? words('diff.none') : '' });
  }

  /** null: no text to compare, or too much of it for a sidebar. */
  async #compare(session: SessionId, source: DiffSource): Promise<DiffView | null> {
    if (source.type === 'texts') {
      const read = (text: typeof source.before) =>
        text === null ? Promise.resolve('') : this.#engine.readText(session, text);
      return diffView(await read(source.before), await read(source.after));
    }
    if (!source.spans.every(hasBoth)) return null;
    const read = async (blob: string | null) =>
      blob === null ? null : await this.#engine.readBlob(session, blob);
    const pieces = source.spans.map(async (span) => ({
      before: await read(span.before),
      after: await read(span.after),
    }));
    return spansView(await Promise.all(pieces), source.undone);
  }

  get #engine(): Engine {
    return this.#options.box.engine;
  }

  /** The newest row that is about an agent, looked for from the end. */
  #keyOf(agent: AgentId): string | null {
    const { projection } = this.#feed;
    const row = projection.row('tree', agent);
    if (row?.type === 'agent' && row.waitingRow !== null) return row.waitingRow;
    const { rows } = projection.firstPage('room');
    const own = rows.findLast(
      (item) =>
        (item.type === 'message' && typeof item.from === 'object' && item.from.id === agent) ||
        (item.type === 'joined' && item.agent.id === agent),
    );
    return own?.key ?? null;
  }

  #flushReveal(): void {
    const reveal = this.#reveal;
    this.#reveal = null;
    if (reveal !== null) this.#post(reveal);
  }

  #post(message: HostToView): void {
    const view = this.#view;
    if (view === null) return;
    view.webview.postMessage(message).then(undefined, (error: unknown) => {
      this.#options.log.warn('the Room could not be posted to', { error: String(error) });
    });
  }
}

const isOlder = (state: number | undefined, known: number | undefined): boolean =>
  (state ?? 0) < (known ?? 0);
