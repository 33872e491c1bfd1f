import { ApiError } from '../errors.ts';
import type { Outcome, Problem } from '../types.ts';

const PROBLEM = /^application\/problem\+json/;
const JSON_TYPE = /^application\/([\w.-]+\+)?json/;
const TEXT_TYPE = /^text\//;

/** Reads a body by its media type: JSON, text or bytes; undefined without one. */
export async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 304) return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (JSON_TYPE.test(type)) {
    const text = await response.text();
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  }
  if (TEXT_TYPE.test(type)) return response.text();
  const bytes = new Uint8Array(await response.arrayBuffer());
  return bytes.length === 0 ? undefined : bytes;
}

/** Converts an error response to an error. One without a problem document doesn't come from the service. */
export async function toApiError(response: Response, isWrite: boolean): Promise<ApiError> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const retryAfterSeconds = readRetryAfter(response.headers);
  const common = { status: response.status, requestId, retryAfterSeconds };
  const type = response.headers.get('content-type') ?? '';
  if (JSON_TYPE.test(type) && !PROBLEM.test(type)) {
    // The shape of RFC 6749, as of the OAuth endpoints.
    const { error, error_description: message } = JSON.parse(await response.text()) as Record<string, string>;
    if (error) return new ApiError({ ...common, code: error, message: message ?? error });
  }
  if (!PROBLEM.test(type)) {
    if (!response.bodyUsed) await response.body?.cancel();
    return new ApiError({
      ...common,
      code: 'unexpected_response',
      message: `HTTP status ${response.status} without a problem document. The response is not one of the service.`,
      outcome: isWrite && response.status >= 500 ? 'unknown' : undefined,
    });
  }
  const problem = JSON.parse(await response.text()) as Problem & Record<string, unknown> & { outcome?: Outcome };
  return new ApiError({
    ...common,
    requestId: requestId ?? problem.requestId,
    code: problem.code,
    message: problem.detail,
    outcome: problem.outcome,
    problem,
  });
}

/**
 * Returns the seconds of Retry-After. A date counts from the response's own Date, so that the clock of this machine has
 * no effect.
 */
function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = (Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
