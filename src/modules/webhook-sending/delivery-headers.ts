import { SECOND } from '../../common/clock';

/** Event headers of a delivery. They are the same on every attempt. */
export interface EventHeaders {
  eventId: string;
  /** W3C Trace Context of the request that caused the event. */
  traceparent: string | null;
}

/**
 * Builds the headers of a delivery request, except for the signature (docs/protocol/webhooks.md#request-format).
 * @param sentAt start of the attempt, in Unix ms
 */
export function buildDeliveryHeaders({ eventId, traceparent }: EventHeaders, sentAt: number) {
  return {
    'content-type': 'application/json',
    'user-agent': 'external-api-webhooks',
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(sentAt / SECOND)),
    ...(traceparent !== null && { traceparent }),
  };
}
