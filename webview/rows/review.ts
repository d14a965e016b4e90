import { html, nothing } from 'lit';
import type { ReportReview } from '../../src/shared/protocol';
import { say } from '../../src/shared/texts';
import { button } from '../controls';
import type { Store } from '../store';
import type { Shown } from './parts';
import { words, written } from './words';

const openKey = (review: ReportReview): string => `request:${review.outcome}`;

/** What became of a member's report, in words. */
export const reviewState = (review: ReportReview | null): string => {
  switch (review?.state) {
    case undefined:
      return '';
    case 'to_review':
      return say('review.toReview');
    case 'changes_requested':
      return say('review.requested');
    case 'accepted':
      return say('review.accepted');
  }
};

/** Accept and Request Changes, as far as they can still be said. @param left nobody is there to change it again */
export function reviewButtons(store: Store, review: ReportReview | null, left: boolean): Shown {
  if (review === null || review.state === 'accepted' || store.readOnly) return nothing;
  const { outcome } = review;
  return html`${button(say('review.accept'), () => void store.act({ type: 'accept', outcome }), { name: 'accept' })}
    ${left ? nothing : button(say('review.request'), () => store.toggle(openKey(review)), { name: 'request', expanded: store.open.has(openKey(review)) })}`;
}

/** Where the person says what is to be changed; the member starts with it at once. */
export function requestWords(store: Store, review: ReportReview | null, name: string): Shown {
  if (review === null || store.readOnly || !store.open.has(openKey(review))) return nothing;
  const key = openKey(review);
  const cancel = () => store.toggle(key);
  const send = () => void request(store, review, key);
  const empty = (written.get(key) ?? '').trim() === '';
  return html`<div class="request">
    ${words(store, key, say('review.words', { name }), send, cancel)}
    <div class="buttons">
      ${button(say('review.send'), send, { primary: true, disabled: empty })} ${button(say('ask.cancel'), cancel)}
    </div>
  </div>`;
}

/** What was written stays until it was taken. */
async function request(store: Store, review: ReportReview, key: string): Promise<void> {
  const text = (written.get(key) ?? '').trim();
  if (text === '') return;
  if (!(await store.act({ type: 'requestChanges', outcome: review.outcome, text }))) return;
  written.delete(key);
  store.open.delete(key);
  store.changed();
}
