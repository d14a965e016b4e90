import { html, nothing, type TemplateResult } from 'lit';
import { money, shortCount } from '../../src/shared/project/words';
import type { AskRow, AskRowAbout } from '../../src/shared/protocol';
import type { AskAnswer } from '../../src/shared/state';
import { say } from '../../src/shared/texts';
import { button, iconButton } from '../controls';
import { diffBlock } from '../diff';
import { copyIcon } from '../icons';
import { clock } from '../moments';
import type { Store } from '../store';
import { foldedBody, moment, named, path, roughLines, type Shown, unspoofed, waitingSince } from './parts';
import { words, written } from './words';

/** Something that waits for the person: what exactly, since when, and the answers. */
export function askRow(store: Store, row: AskRow): TemplateResult {
  const open = row.phase.status === 'open';
  return html`<div class="line">
      <span class="head"
        >${named(row.agent)}
        <span class="dim together">${say(open ? 'row.asksYou' : 'row.askedYou')}${open ? html` · ${waitingSince(store, row.at)}` : nothing}</span></span
      >
      <span class="aside">${moment(row.at)}</span>
    </div>
    <div class=${open ? 'frame asking' : 'settled'}>
      ${open ? html`${subject(store, row)} ${answers(store, row)}` : settled(store, row)}
    </div>`;
}

function subject(store: Store, row: AskRow): TemplateResult {
  const { about } = row;
  if (about.type === 'question') return html`${foldedBody(store, row.key, about.body)}`;
  if (about.type === 'limit') return html`<p>${limitWords(about)}</p>`;
  return permissionSubject(store, row, about);
}

const amount = (limit: 'tokens' | 'money', n: number): string =>
  limit === 'money' ? money(n) : shortCount(n);

function limitWords(about: Extract<AskRowAbout, { type: 'limit' }>): string {
  const values = { used: amount(about.limit, about.used), allowed: amount(about.limit, about.allowed) };
  return about.limit === 'money' ? say('ask.limitMoney', values) : say('ask.limitTokens', values);
}

function permissionSubject(
  store: Store,
  row: AskRow,
  about: Extract<AskRowAbout, { type: 'permission' }>,
): TemplateResult {
  const { preview } = about;
  const why = about.why === '' ? nothing : html`<p class="dim why">${unspoofed(about.why)}</p>`;
  switch (preview.type) {
    case 'command':
      return html`<p class="what">
          ${say('ask.command')}
          ${preview.cwd === '' || preview.cwd === '.' ? nothing : html`<span class="dim">${say('ask.in', { folder: preview.cwd })}</span>`}
        </p>
        ${command(store, row.key, preview.command)}${why}`;
    case 'diff': {
      const key =
        preview.kind === 'new' ? 'ask.create' : preview.kind === 'deleted' ? 'ask.delete' : 'ask.write';
      const [before, after] = say(key, { path: '\u0000' }).split('\u0000');
      return html`<p class="what">${before}${path(preview.path)}${after}</p>
        ${why}${row.phase.status === 'open' ? diffBlock(preview.path, store.diff({ type: 'ask', ask: row.ask })) : nothing}`;
    }
    case 'paths':
      return html`<p class="what">${unspoofed(say('ask.read', { paths: preview.paths.join(', ') }))}</p>
        ${why}`;
    case 'none':
      return html`<p class="what">${unspoofed(say('ask.tool', { tool: about.tool }))}</p>
        ${why}`;
  }
}

/** The whole command is always there to be read; a very long one folds. */
function command(store: Store, key: string, text: string): TemplateResult {
  const fold = `command:${key}`;
  const long = roughLines(text) > 12;
  const open = store.open.has(fold);
  return html`<div class="copied">
      <pre class="command ${long && !open ? 'folded' : ''}" tabindex="0">${unspoofed(text)}</pre>
      ${iconButton(copyIcon, say('row.copyCommand'), () => void store.act({ type: 'copy', text }))}
    </div>
    ${
      long
        ? html`<button class="link fold" aria-expanded=${open} @click=${() => store.toggle(fold)}>
          ${open ? say('row.less') : say('row.moreLines')}
        </button>`
        : nothing
    }`;
}

function answers(store: Store, row: AskRow): TemplateResult {
  if (store.readOnly) return html`<p class="dim">${say('composer.readOnly')}</p>`;
  const { about } = row;
  if (about.type === 'permission') return permissionAnswers(store, row, about.argsHash);
  if (about.type === 'question') return questionAnswers(store, row, about.choices);
  return limitAnswers(store, row, about);
}

const answer = (store: Store, row: AskRow, what: AskAnswer, argsHash: string | null = null): void =>
  void store.act({ type: 'answerAsk', ask: row.ask, argsHash, answer: what });

function permissionAnswers(store: Store, row: AskRow, argsHash: string): TemplateResult {
  const denying = `deny:${row.key}`;
  if (store.open.has(denying)) return denial(store, row, argsHash, denying);
  const { preview } = row.about.type === 'permission' ? row.about : { preview: null };
  return html`<div class="buttons">
    ${button(say('ask.allowOnce'), () => answer(store, row, { type: 'allow', scope: 'once' }, argsHash), {
      primary: true,
      name: 'allow',
    })}
    ${button(say('ask.allowRun'), () => answer(store, row, { type: 'allow', scope: 'run' }, argsHash))}
    ${button(say('ask.deny'), () => store.toggle(denying), { name: 'deny' })}
    ${
      preview?.type === 'diff'
        ? button(say('ask.openDiff'), () => void store.act({ type: 'openAskDiff', ask: row.ask }))
        : nothing
    }
  </div>`;
}

function denial(store: Store, row: AskRow, argsHash: string, denying: string): TemplateResult {
  const send = () => {
    answer(store, row, { type: 'deny', words: written.get(denying) ?? '' }, argsHash);
    written.delete(denying);
    store.open.delete(denying);
  };
  return html`${words(store, denying, say('ask.denyWords'), send, () => store.toggle(denying))}
    <div class="buttons">
      ${button(say('ask.denySend'), send, { primary: true })}
      ${button(say('ask.cancel'), () => store.toggle(denying))}
    </div>`;
}

function questionAnswers(store: Store, row: AskRow, choices: readonly string[]): TemplateResult {
  const key = `reply:${row.key}`;
  const send = () => {
    const text = (written.get(key) ?? '').trim();
    if (text === '') return;
    written.delete(key);
    answer(store, row, { type: 'reply', text });
  };
  // No choice is the one that is meant to be taken.
  return html`${
    choices.length === 0
      ? nothing
      : html`<div class="buttons">
          ${choices.map((choice) => button(choice, () => answer(store, row, { type: 'reply', text: choice })))}
        </div>`
  }
    ${words(store, key, say('ask.reply'), send, null)}
    <div class="buttons">
      ${button(say('ask.send'), send, {
        primary: choices.length === 0,
        disabled: (written.get(key) ?? '').trim() === '',
      })}
    </div>`;
}

function limitAnswers(
  store: Store,
  row: AskRow,
  about: Extract<AskRowAbout, { type: 'limit' }>,
): TemplateResult {
  const next = amount(about.limit, about.next);
  return html`<div class="buttons">
    ${button(say('ask.raise', { next }), () => answer(store, row, { type: 'raise', to: about.next }), { primary: true })}
    ${button(say('ask.end'), () => answer(store, row, { type: 'end' }))}
  </div>`;
}

/** What has been decided needs no card any more: what it was about, and what was said. */
function settled(store: Store, row: AskRow): TemplateResult {
  const { about } = row;
  const preview = about.type === 'permission' ? about.preview : null;
  return html`${preview?.type === 'command' ? command(store, row.key, preview.command) : subject(store, row)}
    <p class="dim">${answered(row)}</p>`;
}

function answered(row: AskRow): Shown | string | (string | TemplateResult)[] {
  const { phase } = row;
  if (phase.status === 'open') return nothing;
  const time = clock(phase.at);
  if (phase.status === 'withdrawn') return say('ask.wasWithdrawn', { time });
  const { answer: given } = phase;
  switch (given.type) {
    case 'allow':
      return say(given.scope === 'once' ? 'ask.wasAllowedOnce' : 'ask.wasAllowedRun', { time });
    case 'deny':
      return given.words === ''
        ? say('ask.wasDenied', { time })
        : unspoofed(say('ask.wasDeniedWords', { time, words: given.words }));
    case 'reply':
      return unspoofed(say('ask.wasReplied', { time, text: given.text }));
    case 'raise':
      return say(given.to === null ? 'ask.wasUnlimited' : 'ask.wasRaised', { time });
    case 'end':
      return say('ask.wasEnded', { time });
  }
}
