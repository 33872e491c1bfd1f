import { ApiError, SealedContentError } from '@external-api/client';
import { withProxyName } from '@external-api/forward-proxy/programs';

const UNREACHABLE_ADVICE =
  "Tell the user that the service can't be reached from here, such as without a VPN, and try again once it can.";
const ADVICE: Record<string, string> = {
  connection_failed: UNREACHABLE_ADVICE,
  unexpected_response: UNREACHABLE_ADVICE,
  invalid_token: 'Ask the user for a new token: this one has expired or was revoked.',
  insufficient_scope: 'Ask the user for a token with this scope.',
  machine_not_allowed:
    'Nothing ran. This token is limited to other machines, and repeating the call does not help. Ask the user for a ' +
    'token for this machine.',
  no_content_grant: 'Ask the user to share the session with this token.',
  no_online_device: "Ask the user to start the device's program on that machine, and try again.",
  device_busy: 'The machine has too much work. Try again later.',
  session_not_active: 'The session has ended. Start another one.',
  not_found: 'List the records to find a valid ID.',
  rate_limited: 'Make fewer calls.',
};

/** Describes an error to a model: the API's code, what the device answered, the ID for support, and what to do. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof ApiError)) return getMessage(error);
  const { code, outcome, requestId, retryAfterSeconds, problem } = error;
  const deviceError = problem?.deviceError as { code: string; message: string } | undefined;
  return [
    `${code}: ${getMessage(error)}`,
    deviceError && `The device answered ${deviceError.code}: ${deviceError.message}`,
    requestId && `(${requestId})`,
    outcome === 'unknown' ? 'It may have run. Check its effect before you repeat it.' : ADVICE[code],
    retryAfterSeconds !== undefined && `Wait ${retryAfterSeconds} s before the next call.`,
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * Whether the service says that the token can't read a content. A limit of the rate, an outage, or an answer of
 * something else says nothing about that.
 */
export function isRefusal(error: unknown): error is ApiError | SealedContentError {
  if (error instanceof SealedContentError) return true;
  return error instanceof ApiError && error.problem !== undefined && error.status < 500 && error.status !== 429;
}

/** Returns the message of an error. If it is one of the connection, it names the proxy that the request used. */
export function getMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOfConnection = error instanceof ApiError && /^(connection_failed|unexpected_response)$/.test(error.code);
  return isOfConnection ? withProxyName(error.message, process.env.XAPI_HOST!) : error.message;
}
