import type { DeliveryError } from '../../../webhooks';

interface ErrorWords {
  text: string;
  /** Nothing of the request had left when it happened. */
  unsent?: boolean;
}

/** Why a try failed where no status says it. */
export const ERROR_WORDS: Record<DeliveryError, ErrorWords> = {
  address_refused: { text: 'The address is not a public one', unsent: true },
  name_not_resolved: { text: 'DNS knows no address of its name', unsent: true },
  connection_failed: { text: 'Nobody listens there', unsent: true },
  connection_lost: { text: 'The connection ended before the answer did' },
  tls_failed: { text: 'No TLS there, or a certificate that nobody vouches for', unsent: true },
  timeout: { text: 'No whole answer within 20 seconds' },
  invalid_response: { text: 'What came back is no HTTP' },
  redirect: { text: 'The answer was a redirect, which is not followed' },
  secret_unreadable: {
    text: 'The signing secret cannot be read any more. Rotate it; the delivery waits',
    unsent: true,
  },
};
