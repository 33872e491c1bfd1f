import { InvalidClient, InvalidRequest } from '../http/oauth-error';
import { textOf, type Parameters } from '../http/parameters';

/** Who a client says it is, and by which of the two methods (RFC 6749 §2.3.1). */
export interface ClientCredentials {
  clientId: string;
  secret: string;
  byHeader: boolean;
}

/**
 * HTTP Basic or body parameters, never both.
 * @throws InvalidRequest for two methods at once, InvalidClient where there is none or half of one
 */
export function clientCredentials(authorization: string | undefined, parameters: Parameters): ClientCredentials {
  const clientId = textOf(parameters, 'client_id');
  const secret = textOf(parameters, 'client_secret');
  if (authorization !== undefined) {
    if (secret !== null) throw new InvalidRequest('Use either HTTP Basic or client_secret, not both.');
    const basic = basicCredentials(authorization);
    if (!basic) throw new InvalidClient(true);
    if (clientId !== null && clientId !== basic.clientId) {
      throw new InvalidRequest('client_id is not that of the Authorization header.');
    }
    return { ...basic, byHeader: true };
  }
  if (clientId === null || secret === null) throw new InvalidClient(false);
  return { clientId, secret, byHeader: false };
}

/** RFC 7617 §2, its two halves form-encoded as RFC 6749 §2.3.1 asks, or as they are, as many clients send them. */
function basicCredentials(authorization: string): { clientId: string; secret: string } | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+={0,2})\s*$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon < 0) return null;
  return { clientId: formDecoded(text.slice(0, colon)), secret: formDecoded(text.slice(colon + 1)) };
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
}
