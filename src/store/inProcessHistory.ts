import initSqlJs from 'sql.js';
import { SerialQueue } from '../base/queue';
import { nodeFiles } from './files';
import { History } from './history';
import type { HistoryFactory, HistoryPort } from './historyPort';

/**
 * The history in the caller's own thread: what the worker runs, and what tests use.
 * @param wasm path of sql-wasm.wasm; null: the package's own
 */
export function inProcessHistory(wasm: string | null): HistoryFactory {
  return (place, onDamage) => {
    const queue = new SerialQueue();
    let history: Promise<History> | null = null;
    const call = <T>(job: (history: HistoryPort) => Promise<T>): Promise<T> =>
      queue.run(async () => {
        history ??= initSqlJs(wasm === null ? {} : { locateFile: () => wasm }).then(
          (sql) => new History(sql, nodeFiles, place, onDamage),
        );
        return job(await history);
      });
    return {
      pageEvents: (fromSeq, limit, upTo) => call((h) => h.pageEvents(fromSeq, limit, upTo)),
      searchMessages: (text, limit, upTo) => call((h) => h.searchMessages(text, limit, upTo)),
      save: (epoch, upTo) => call((h) => h.save(epoch, upTo)),
      close: () => queue.run(async () => (await history)?.close()),
    };
  };
}
