import type { TemplateResult } from 'lit';
import { textArea } from '../controls';
import type { Store } from '../store';

/** Words that are being written are kept by row, so that scrolling away does not lose them. */
export const written = new Map<string, string>();

/** Where the person writes inside a row: Enter sends, Shift+Enter breaks the line, Escape leaves it. */
export function words(
  store: Store,
  key: string,
  label: string,
  send: () => void,
  cancel: (() => void) | null,
): TemplateResult {
  return textArea({
    label,
    placeholder: label,
    rows: Math.min(6, (written.get(key) ?? '').split('\n').length),
    name: 'words',
    value: written.get(key) ?? '',
    input: (value) => {
      written.set(key, value);
      store.changed();
    },
    keydown: (event) => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        event.stopPropagation();
        send();
      } else if (event.key === 'Escape' && cancel !== null) {
        event.stopPropagation();
        cancel();
      }
    },
  });
}
