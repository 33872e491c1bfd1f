import { isAppScope, type Scope } from '../../auth';
import { isChallenge } from '../tokens/pkce';
import { bytesOf, repeatedOf, textOf, type Parameters } from '../http/parameters';

/** What an app asks a person for (RFC 6749 §4.1.1, RFC 7636 §4.3). */
export interface AuthorizationRequest {
  scopes: Scope[];
  codeChallenge: string;
}

/** Why the answer is an error that goes back to the app (RFC 6749 §4.1.2.1). */
export interface AuthorizationFault {
  error: 'invalid_request' | 'unsupported_response_type' | 'invalid_scope';
  description: string;
}

/** In bytes: it goes back in a header, where each may take three. */
export const MAX_STATE = 4_096;
const KNOWN = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'];

/** The parameters beside client and redirect URI, which are known to be good by now. */
export function readAuthorizationRequest(parameters: Parameters): AuthorizationRequest | AuthorizationFault {
  const repeated = repeatedOf(parameters, KNOWN);
  if (repeated) return fault('invalid_request', `${repeated} is given more than once.`);
  if ((bytesOf(parameters, 'state')?.length ?? 0) > MAX_STATE) {
    return fault('invalid_request', `state may hold at most ${MAX_STATE} bytes.`);
  }
  if ((textOf(parameters, 'response_type') ?? 'code') !== 'code') {
    return fault('unsupported_response_type', 'response_type must be code.');
  }
  const codeChallenge = textOf(parameters, 'code_challenge');
  if (codeChallenge === null) return fault('invalid_request', 'code_challenge is required (PKCE).');
  if ((textOf(parameters, 'code_challenge_method') ?? 'S256') !== 'S256') {
    return fault('invalid_request', 'code_challenge_method must be S256.');
  }
  if (!isChallenge(codeChallenge)) {
    return fault('invalid_request', 'code_challenge must be 43 base64url characters.');
  }
  const names = (textOf(parameters, 'scope') ?? '').split(' ').filter(Boolean);
  if (names.length === 0) return fault('invalid_scope', 'scope is required.');
  if (!names.every(isAppScope)) {
    return fault('invalid_scope', 'scope names something that there is not, or that no app may have.');
  }
  return { scopes: [...new Set(names)], codeChallenge };
}

function fault(error: AuthorizationFault['error'], description: string): AuthorizationFault {
  return { error, description };
}
