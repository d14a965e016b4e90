import * as vscode from 'vscode';

/** Texts of the session that are no files: previews of asks, outputs of calls. */
export const TEXT_SCHEME = 'teamroom-text';

/** A small text of an ask's preview; the path's last part is the file's own, for its language. */
export const textUri = (session: string, ask: string, which: 'before' | 'after', path: string): vscode.Uri =>
  vscode.Uri.from({ scheme: TEXT_SCHEME, path: `/${session}/ask/${ask}/${which}/${path}` });

/** The whole result of a call. */
export const outputUri = (session: string, call: string): vscode.Uri =>
  vscode.Uri.from({ scheme: TEXT_SCHEME, path: `/${session}/call/${call}/output.txt` });

/** Everything that an agent was sent, said and did. */
export const transcriptUri = (session: string, agent: string, name: string): vscode.Uri =>
  vscode.Uri.from({ scheme: TEXT_SCHEME, path: `/${session}/agent/${agent}/${name}.md` });

/** The body of the request that a step answered. */
export const requestUri = (session: string, step: string): vscode.Uri =>
  vscode.Uri.from({ scheme: TEXT_SCHEME, path: `/${session}/step/${step}/request-${step}.json` });
