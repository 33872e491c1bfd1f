/** Why a try failed where no status says it. */
export type DeliveryError =
  | 'address_refused'
  | 'name_not_resolved'
  | 'connection_failed'
  | 'connection_lost'
  | 'tls_failed'
  | 'timeout'
  | 'invalid_response'
  | 'redirect'
  | 'secret_unreadable';

/** One try of a delivery, as it went. */
export interface Exchange {
  /** Of the answer; null when none came, or not whole. */
  status: number | null;
  error: DeliveryError | null;
  /** The first 4 KiB of the answer's body. */
  response: string | null;
  /** The header, as it was sent. */
  retryAfter: string | null;
  /** Unix ms at which it began. */
  sentAt: number;
  durationMs: number;
}

/** False where nothing could be signed, and nothing is known of the endpoint. */
export function wasSent({ error }: Exchange): boolean {
  return error !== 'secret_unreadable';
}

/** 2xx is success, and nothing else (webhooks.md, Wire). */
export function isSuccess({ status, error }: Exchange): boolean {
  return error === null && status !== null && status >= 200 && status < 300;
}
