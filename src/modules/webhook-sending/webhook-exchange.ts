import type { LoggedHeaders } from './logged-headers';

/** Why an attempt failed, where the HTTP status doesn't say it. */
export const DELIVERY_ERRORS = [
  'address_refused',
  'name_not_resolved',
  'connection_failed',
  'connection_lost',
  'tls_failed',
  'timeout',
  'invalid_response',
  'redirect',
  'secret_unreadable',
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** Result of one delivery attempt. */
export interface WebhookExchange {
  /** HTTP status of the response. Null without a complete response. */
  status: number | null;
  error: DeliveryError | null;
  /** First 4 KiB of the response body. */
  response: string | null;
  /** Headers of the response, without secrets. */
  responseHeaders: LoggedHeaders | null;
  /** Raw value of the Retry-After header. */
  retryAfter: string | null;
  /** Start of the attempt, in Unix ms. */
  sentAt: number;
  durationMs: number;
}

/** Returns false when the request could not be signed, so the attempt says nothing about the endpoint. */
export function isSent({ error }: WebhookExchange): boolean {
  return error !== 'secret_unreadable';
}

/** Returns true for a 2xx status only (docs/protocol/webhooks.md#request-format). */
export function isSuccessfulExchange({ status, error }: WebhookExchange): boolean {
  return error === null && status !== null && status >= 200 && status < 300;
}
