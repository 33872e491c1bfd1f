import { isAppScope, SCOPE_NAMES, type Scope } from '../../../access/auth';
import { isCodeChallenge } from '../tokens/pkce';
import {
  getParameterBytes,
  findRepeatedParameter,
  getParameterText,
  type FormParameters,
} from '../http/form-parameters';

/** Validated authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3). */
export interface AuthorizationRequest {
  scopes: Scope[];
  codeChallenge: string;
}

/** Error that is returned to the app (RFC 6749 §4.1.2.1). */
export interface AuthorizationRequestError {
  error: 'invalid_request' | 'unsupported_response_type' | 'invalid_scope';
  description: string;
}

/** In bytes. The state is returned in a header, where percent-encoding may triple its size. */
export const MAX_STATE_BYTES = 4_096;
/** Names that a description may repeat. They can't form a sentence or the name of a host. */
const SCOPE_NAME_PATTERN = /^[a-z:_-]{1,40}$/;
const KNOWN_PARAMETERS = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'];

/** Validates the parameters other than the client id and redirect URI, which the caller has validated. */
export function readAuthorizationRequest(
  formParameters: FormParameters,
): AuthorizationRequest | AuthorizationRequestError {
  const repeated = findRepeatedParameter(formParameters, KNOWN_PARAMETERS);
  if (repeated) return createAuthorizationRequestError('invalid_request', `${repeated} is given more than once.`);
  if ((getParameterBytes(formParameters, 'state')?.length ?? 0) > MAX_STATE_BYTES) {
    return createAuthorizationRequestError('invalid_request', `state may hold at most ${MAX_STATE_BYTES} bytes.`);
  }
  if ((getParameterText(formParameters, 'response_type') ?? 'code') !== 'code') {
    return createAuthorizationRequestError('unsupported_response_type', 'response_type must be code.');
  }
  const codeChallenge = getParameterText(formParameters, 'code_challenge');
  if (codeChallenge === null)
    return createAuthorizationRequestError('invalid_request', 'code_challenge is required (PKCE).');
  if ((getParameterText(formParameters, 'code_challenge_method') ?? 'S256') !== 'S256') {
    return createAuthorizationRequestError('invalid_request', 'code_challenge_method must be S256.');
  }
  if (!isCodeChallenge(codeChallenge)) {
    return createAuthorizationRequestError('invalid_request', 'code_challenge must be 43 base64url characters.');
  }
  const names = (getParameterText(formParameters, 'scope') ?? '').split(' ').filter(Boolean);
  if (names.length === 0) return createAuthorizationRequestError('invalid_scope', 'scope is required.');
  if (!names.every(isAppScope)) {
    return createAuthorizationRequestError('invalid_scope', describeInvalidScope(names));
  }
  return { scopes: [...new Set(names)], codeChallenge };
}

/** Names the first refused scope, unless it doesn't look like one: anybody may have written the link. */
function describeInvalidScope(names: readonly string[]): string {
  const refused = names.find((name) => !isAppScope(name)) ?? '';
  if ((SCOPE_NAMES as readonly string[]).includes(refused)) return `No app may have the scope ${refused}.`;
  const problem = SCOPE_NAME_PATTERN.test(refused) ? `There is no scope ${refused}.` : 'scope has an unknown name.';
  return `${problem} The metadata lists those that apps may have in scopes_supported.`;
}

function createAuthorizationRequestError(
  error: AuthorizationRequestError['error'],
  description: string,
): AuthorizationRequestError {
  return { error, description };
}
