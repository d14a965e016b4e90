import { type DeliveryId, localId } from '../ids';
import { agentOf } from '../lookup';
import type { Delivery, DeliveryPhase, State } from '../state';
import { add, change, closed, type Handlers, opened } from './handler';

function toPhase(
  state: State,
  id: DeliveryId,
  from: readonly DeliveryPhase['status'][],
  phase: DeliveryPhase,
): State | null {
  return change(state, 'deliveries', id, (delivery) =>
    from.includes(delivery.phase.status) ? { ...delivery, phase } : null,
  );
}

/** Nothing more happens to it: it leaves the open index. */
const done = (state: State | null, id: DeliveryId): State | null =>
  state === null ? null : closed(state, 'deliveries', id);

export const roomHandlers: Handlers<
  'message.posted' | 'delivery.delivered' | 'delivery.processed' | 'delivery.dropped' | 'delivery.returned'
> = {
  'message.posted': (state, event) => {
    const { message, recipients, at } = event;
    if (state.session === null) return null;
    // Room messages are numbered from 1 without a gap (L-10).
    if (message.n !== null && message.n !== state.session.lastRoomNumber + 1) return null;
    if (recipients.some((id) => agentOf(state, id) === undefined)) return null;
    const deliveries = recipients.map((_, i) => localId<DeliveryId>('d', state.deliveries.size + i));
    let next = add(state, 'messages', { ...message, at, deliveries });
    for (const [i, to] of recipients.entries()) {
      const id = deliveries[i];
      if (next === null || id === undefined) return null;
      const delivery: Delivery = {
        id,
        messageId: message.id,
        to,
        sentAt: at,
        phase: { status: 'pending' },
        attempt: 1,
        rollbacks: [],
      };
      const added: State | null = add(next, 'deliveries', delivery);
      next = added && opened(added, 'deliveries', id);
    }
    if (next === null || message.n === null) return next;
    return { ...next, session: { ...state.session, lastRoomNumber: message.n } };
  },
  'delivery.delivered': (state, event) => {
    const { deliveryId, runId, at } = event;
    return toPhase(state, deliveryId, ['pending'], { status: 'delivered', at, runId });
  },
  // Never from pending: processed without a pickup would be a lie (fault 2).
  'delivery.processed': (state, event) => {
    const { deliveryId, runId, at } = event;
    return done(toPhase(state, deliveryId, ['delivered'], { status: 'processed', at, runId }), deliveryId);
  },
  'delivery.dropped': (state, event) => {
    const { deliveryId, reason, at } = event;
    return done(
      toPhase(state, deliveryId, ['pending', 'delivered'], { status: 'dropped', at, reason }),
      deliveryId,
    );
  },
  'delivery.returned': (state, event) =>
    change(state, 'deliveries', event.deliveryId, (delivery): Delivery | null =>
      delivery.phase.status === 'pending' || delivery.phase.status === 'delivered'
        ? {
            ...delivery,
            phase: { status: 'pending' },
            attempt: delivery.attempt + 1,
            rollbacks: [...delivery.rollbacks, { at: event.at, reason: event.reason }],
          }
        : null,
    ),
};
