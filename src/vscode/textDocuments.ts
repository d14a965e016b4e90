import * as vscode from 'vscode';

/** Texts of the session that are no files: previews of asks, outputs of calls. */
export const TEXT_SCHEME = 'teamroom-text';

/** A small text of an ask's preview; the path's last part is the file's own, for its language. */
export const textUri = (session: string, ask: string, which: 'before' | 'after', path: string): vscode.Uri =>
  vscode.Uri.from({ scheme: TEXT_SCHEME, path: `/${session}/ask/${ask}/${which}/${path}` });

/** The whole result of a call. */
export const outputUri = (session: string, call: string): vscode.Uri =>
  vscode.Uri.from({ scheme: TEXT_SCHEME, path: `/${session}/call/${call}/output.txt` });

export interface TextAddress {
  readonly session: string;
  readonly kind: 'ask' | 'call';
  readonly id: string;
  readonly which: string;
}

export function parseTextUri(uri: vscode.Uri): TextAddress | null {
  const [, session, kind, id, which] = uri.path.split('/');
  if (session === undefined || id === undefined || which === undefined) return null;
  return kind === 'ask' || kind === 'call' ? { session, kind, id, which } : null;
}
