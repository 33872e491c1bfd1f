import { AddressRefused } from './guarded-agent';
import { NameNotResolved } from './names';
import type { DeliveryError } from './exchange';
import { DeadlineError } from './post';

const TLS = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED|HOSTNAME_MISMATCH|EPROTO$)/;
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EACCES']);
const INVALID = new Set(['HTTPParserError', 'HeadersOverflowError', 'ResponseContentLengthMismatchError']);

/** What went wrong in an exchange, in the words of the delivery log. */
export function deliveryErrorOf(thrown: unknown): DeliveryError {
  const error = thrown as NodeJS.ErrnoException & { errors?: unknown[] };
  if (error instanceof AddressRefused) return 'address_refused';
  if (error instanceof NameNotResolved) return 'name_not_resolved';
  if (error instanceof DeadlineError) return 'timeout';
  // Several addresses were tried, and their errors come as one.
  if (Array.isArray(error.errors) && error.errors.length > 0) return deliveryErrorOf(error.errors[0]);
  const code = error.code ?? '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') return 'timeout';
  if (TLS.test(code)) return 'tls_failed';
  if (NOT_CONNECTED.has(code)) return 'connection_failed';
  return INVALID.has(error.name) ? 'invalid_response' : 'connection_lost';
}
