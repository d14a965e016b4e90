import { join } from 'node:path';
import type { Database, SqlJsStatic } from 'sql.js';
import type { BlobId } from '../shared/ids';
import { Blobs } from './blobs';
import { type MessageRow, rowsOf } from './eventRow';
import { asFailure, errorCode, type FilePort } from './files';
import type { EventRow, HistoryDamage, HistoryPlace, HistoryPort, MessageHit } from './historyPort';
import { StoreFailure } from './port';
import { generationsOf, readSealed, writeSealed } from './sealedFile';
import { chainOf, freeName, isReachable, type Position, readCommits, recover } from './segments';
import { wordsOf } from './words';

/** Raised when the tables change: an older database is built again from the journal. */
const TABLES_VERSION = 1;

const TABLES = `
  CREATE TABLE event (seq INTEGER PRIMARY KEY, agent TEXT, type TEXT NOT NULL, json TEXT NOT NULL);
  CREATE TABLE message (seq INTEGER PRIMARY KEY, id TEXT NOT NULL, n INTEGER, from_name TEXT NOT NULL,
    kind TEXT NOT NULL, thread TEXT);
  CREATE VIRTUAL TABLE search USING fts3(body, tokenize=unicode61);
  PRAGMA user_version = ${TABLES_VERSION};
`;

/**
 * The session's history in sql.js: rows for paging and full-text search. It reads the journal itself, so nothing is
 * handed to it on the commit path, and it is at home in a worker.
 */
export class History implements HistoryPort {
  readonly #sql: SqlJsStatic;
  readonly #files: FilePort;
  readonly #place: HistoryPlace;
  readonly #onDamage: (damage: HistoryDamage) => void;
  readonly #blobs: Blobs;
  #database: Database | null = null;
  /** Behind the newest record that the tables hold. */
  #position: Position | null = null;

  constructor(
    sql: SqlJsStatic,
    files: FilePort,
    place: HistoryPlace,
    onDamage: (damage: HistoryDamage) => void,
  ) {
    this.#sql = sql;
    this.#files = files;
    this.#place = place;
    this.#onDamage = onDamage;
    this.#blobs = new Blobs(files, place.folder, 0);
  }

  async pageEvents(fromSeq: number, limit: number, upTo: number): Promise<EventRow[]> {
    const database = await this.#ready(upTo);
    const rows = database.exec(
      'SELECT seq, agent, type, json FROM event WHERE seq >= ? ORDER BY seq LIMIT ?',
      [fromSeq, limit],
    );
    return (rows[0]?.values ?? []).map(([seq, agent, type, json]) => ({
      seq: Number(seq),
      agent: agent === null ? null : String(agent),
      type: String(type),
      json: String(json),
    }));
  }

  async searchMessages(text: string, limit: number, upTo: number): Promise<MessageHit[]> {
    const words = wordsOf(text);
    if (words.length === 0) return [];
    const database = await this.#ready(upTo);
    const rows = database.exec(
      `SELECT message.seq, message.id FROM search JOIN message ON message.seq = search.docid
       WHERE search MATCH ? ORDER BY message.seq DESC LIMIT ?`,
      [words.map((word) => `${word}*`).join(' '), limit],
    );
    return (rows[0]?.values ?? []).map(([seq, id]) => ({ seq: Number(seq), id: String(id) }));
  }

  async save(epoch: number, upTo: number): Promise<{ seq: number; bytes: number }> {
    const database = await this.#ready(upTo);
    const position = this.#position;
    const seq = position?.seq ?? 0;
    try {
      const { folder, schema } = this.#place;
      const head = { kind: 'history' as const, schema, seq, position };
      return { seq, bytes: await writeSealed(this.#files, folder, epoch, head, database.export()) };
    } catch (error) {
      throw asFailure(error);
    }
  }

  async close(): Promise<void> {
    this.#database?.close();
    this.#database = null;
    this.#position = null;
    await this.#blobs.close();
  }

  async #ready(upTo: number): Promise<Database> {
    try {
      this.#database ??= await this.#open();
      await this.#catchUp(this.#database, upTo);
      return this.#database;
    } catch (error) {
      throw asFailure(error);
    }
  }

  /** The newest generation that is whole and that the journal leads on from; else empty tables, to be filled again. */
  async #open(): Promise<Database> {
    const { folder, schema } = this.#place;
    const names = await this.#files.list(folder);
    const chain = chainOf(names);
    for (const { name } of generationsOf(names, 'history')) {
      const read = await this.#read(name);
      if (read === null) continue;
      if (read.type === 'newer')
        throw new StoreFailure(
          'newer_schema',
          `${name} has format ${read.schema}, this version knows ${schema}`,
        );
      if (read.type === 'unusable') await this.#putAside(name, read.reason);
      if (read.type === 'unusable' || read.head.position === null) continue;
      if (!(await isReachable(this.#files, folder, chain, read.head.position))) continue;
      const database = new this.#sql.Database(read.body);
      if (Number(database.exec('PRAGMA user_version')[0]?.values[0]?.[0]) === TABLES_VERSION) {
        this.#position = read.head.position;
        return database;
      }
      database.close();
    }
    const database = new this.#sql.Database();
    database.run(TABLES);
    return database;
  }

  async #putAside(name: string, reason: string): Promise<void> {
    const { folder, repair } = this.#place;
    if (repair) await this.#files.rename(join(folder, name), await freeName(this.#files, folder, name));
    this.#onDamage({ name, reason });
  }

  /** null: removed since it was listed, by the writer's next generation. */
  async #read(name: string): Promise<Awaited<ReturnType<typeof readSealed>> | null> {
    const { folder, schema } = this.#place;
    try {
      return await readSealed(this.#files, join(folder, name), 'history', schema);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      throw error;
    }
  }

  async #catchUp(database: Database, upTo: number): Promise<void> {
    const { folder } = this.#place;
    if ((this.#position?.seq ?? 0) >= upTo) return;
    const { spans } = await recover(this.#files, folder, { from: this.#position, seal: false });
    let end: Position | null = null;
    database.run('BEGIN');
    try {
      const tables = new Inserts(database);
      try {
        for await (const commit of readCommits(this.#files, folder, spans, this.#position?.seq ?? 0)) {
          // Written but perhaps not flushed: such a record may yet be cut off.
          if (commit.end.seq > upTo) break;
          let seq = commit.seq;
          for (const json of commit.records) {
            const { event, message } = rowsOf(seq, json);
            tables.event(event);
            if (message !== null) tables.message(message, await this.#bodyOf(message));
            seq += 1;
          }
          end = commit.end;
        }
      } finally {
        tables.free();
      }
      database.run('COMMIT');
    } catch (error) {
      database.run('ROLLBACK');
      throw error;
    }
    this.#position = end ?? this.#position;
  }

  /** The whole body; of one that is missing or damaged its beginning, which is all that can be found any more. */
  async #bodyOf({ text }: MessageRow): Promise<string> {
    if ('inline' in text) return text.inline;
    try {
      return Buffer.from(await this.#blobs.get(text.blob as BlobId)).toString();
    } catch (error) {
      if (error instanceof StoreFailure && error.code !== 'io') return text.head;
      throw error;
    }
  }
}

/** Prepared inserts: unfreed statements leak (facts). */
class Inserts {
  readonly #event;
  readonly #message;
  readonly #search;

  constructor(database: Database) {
    this.#event = database.prepare('INSERT INTO event VALUES (?, ?, ?, ?)');
    this.#message = database.prepare('INSERT INTO message VALUES (?, ?, ?, ?, ?, ?)');
    this.#search = database.prepare('INSERT INTO search (docid, body) VALUES (?, ?)');
  }

  event({ seq, agent, type, json }: EventRow): void {
    this.#event.run([seq, agent, type, json]);
  }

  message({ seq, id, n, fromName, kind, thread }: MessageRow, body: string): void {
    this.#message.run([seq, id, n, fromName, kind, thread]);
    this.#search.run([seq, body]);
  }

  free(): void {
    for (const statement of [this.#event, this.#message, this.#search]) statement.free();
  }
}
