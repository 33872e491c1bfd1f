import { SECOND } from '../../common/clock';

/**
 * What a delivery's request says of itself, but for its signature (webhooks.md, Wire).
 * @param eventId the same on every try
 * @param sentAt Unix ms at which the try began
 */
export function requestHeaders(eventId: string, sentAt: number) {
  return {
    'content-type': 'application/json',
    'user-agent': 'external-api-webhooks',
    'webhook-id': eventId,
    'webhook-timestamp': String(Math.floor(sentAt / SECOND)),
  };
}
