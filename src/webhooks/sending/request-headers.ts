import { SECOND } from '../../common/clock';

/** Of one delivery, the same on every try. */
export interface Told {
  eventId: string;
  /** W3C Trace Context: of the request in which the event happened. */
  traceparent: string | null;
}

/**
 * What a delivery's request says of itself, but for its signature (webhooks.md, Wire).
 * @param sentAt Unix ms at which the try began
 */
export function requestHeaders({ eventId, traceparent }: Told, sentAt: number) {
  return {
    'content-type': 'application/json',
    'user-agent': 'external-api-webhooks',
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(sentAt / SECOND)),
    ...(traceparent !== null && { traceparent }),
  };
}
