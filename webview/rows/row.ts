import { nothing, type TemplateResult } from 'lit';
import type { Row } from '../../src/shared/protocol';
import type { Store } from '../store';
import { askRow } from './ask';
import { fileRow, groupRow } from './changed';
import { compactedRow, haltedRow, interruptedRow, joinedRow, leftRow } from './happening';
import { messageRow } from './message';
import { saidRow } from './said';

/** What stands in a row of the timeline or of the changes; the tree draws its own. */
export function renderRow(store: Store, row: Row): TemplateResult | typeof nothing {
  switch (row.type) {
    case 'message':
      return messageRow(store, row);
    case 'said':
      return saidRow(store, row);
    case 'ask':
      return askRow(store, row);
    case 'joined':
      return joinedRow(store, row);
    case 'left':
      return leftRow(store, row);
    case 'halted':
      return haltedRow(store, row);
    case 'compacted':
      return compactedRow(row);
    case 'interrupted':
      return interruptedRow(store, row);
    case 'group':
      return groupRow(row);
    case 'file':
      return fileRow(store, row);
    case 'agent':
      return nothing;
  }
}
