import * as vscode from 'vscode';
import type { BlobReader } from './surfaces';

export const BLOB_SCHEME = 'teamroom-blob';

/** Stands where a file did not exist: an empty document. */
const NOTHING = 'none';

/**
 * The address of a file's content before or after a change. The path's last part is the file's own, so that the
 * editor knows its language.
 * @param blob hash of the content; null: there was no file
 */
export const blobUri = (session: string, blob: string | null, path: string): vscode.Uri =>
  vscode.Uri.from({ scheme: BLOB_SCHEME, path: `/${session}/${blob ?? NOTHING}/${path}` });

export interface BlobAddress {
  readonly session: string;
  readonly blob: string | null;
}

export function parseBlobUri(uri: vscode.Uri): BlobAddress | null {
  const [, session, blob, ...rest] = uri.path.split('/');
  if (uri.scheme !== BLOB_SCHEME || session === undefined || rest.length === 0) return null;
  if (blob === NOTHING) return { session, blob: null };
  return blob !== undefined && /^[0-9a-f]{64}$/.test(blob) ? { session, blob } : null;
}

/** Read-only files that never change: contents are addressed by their hash. */
export class BlobFs implements vscode.FileSystemProvider {
  readonly #reader: () => Promise<BlobReader>;
  readonly #neverChanges = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#neverChanges.event;

  /** @param reader loads the engine when the first file is asked for, for instance by a diff left open */
  constructor(reader: () => Promise<BlobReader>) {
    this.#reader = reader;
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const bytes = await this.readFile(uri);
    return {
      type: vscode.FileType.File,
      ctime: 0,
      mtime: 0,
      size: bytes.byteLength,
      permissions: vscode.FilePermission.Readonly,
    };
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    if (parseBlobUri(uri)?.blob === null) return new Uint8Array();
    const reader = await this.#reader();
    return reader.read(uri);
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw readOnly(uri);
  }

  writeFile(uri: vscode.Uri): void {
    throw readOnly(uri);
  }

  delete(uri: vscode.Uri): void {
    throw readOnly(uri);
  }

  rename(uri: vscode.Uri): void {
    throw readOnly(uri);
  }

  dispose(): void {
    this.#neverChanges.dispose();
  }
}

const readOnly = (uri: vscode.Uri): vscode.FileSystemError => vscode.FileSystemError.NoPermissions(uri);
