import { ApiError } from '@external-api/client';

const ADVICE: Record<string, string> = {
  invalid_token: 'Ask the user for a new token: this one has expired or was revoked.',
  insufficient_scope: 'Ask the user for a token with this scope.',
  no_content_grant: 'Ask the user to share the session with this token.',
  no_online_device: "Ask the user to start the device's program on that machine, and try again.",
  device_busy: 'The machine has too much work. Try again later.',
  session_not_active: 'The session has ended. Start another one.',
  not_found: 'List the records to find a valid ID.',
  rate_limited: 'Make fewer calls.',
};

/** Describes an error to a model: the API's code, what the device answered, the ID for support, and what to do. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const { code, outcome, requestId, retryAfterSeconds, problem } = error;
  const deviceError = problem?.deviceError as { code: string; message: string } | undefined;
  return [
    `${code}: ${error.message}`,
    deviceError && `The device answered ${deviceError.code}: ${deviceError.message}`,
    requestId && `(${requestId})`,
    outcome === 'unknown' ? 'It may have run. Check its effect before you repeat it.' : ADVICE[code],
    retryAfterSeconds !== undefined && `Wait ${retryAfterSeconds} s before the next call.`,
  ]
    .filter(Boolean)
    .join(' ');
}
