import { ApiError, WaitTimeoutError } from '@external-api/client';
import { withProxyName } from '@external-api/forward-proxy/programs';
import { InputError } from './inputs.ts';

/** Returns one line about any failure, for the log of the step. */
export function describeError(error: unknown): string {
  if (error instanceof InputError || error instanceof WaitTimeoutError) return error.message;
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const { code, outcome, requestId, problem } = error;
  const deviceError = problem?.deviceError as { code: string; message: string } | undefined;
  const reason = deviceError ? ` ${deviceError.code}: ${deviceError.message}` : '';
  const known = outcome === 'unknown' ? ' It may have run: check its effect.' : '';
  const isOfConnection = code === 'connection_failed' || code === 'unexpected_response';
  const message = isOfConnection ? withProxyName(error.message, process.env.XAPI_HOST!) : error.message;
  return `${code}: ${message}${reason}${known} (${requestId ?? 'no request ID'})`;
}
