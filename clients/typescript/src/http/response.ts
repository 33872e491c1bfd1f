import { ApiError } from '../errors.ts';
import type { Outcome, Problem } from '../types.ts';

const PROBLEM = /^application\/problem\+json/;
const PAGE = /^text\/html/;
const JSON_TYPE = /^application\/([\w.-]+\+)?json/;
const TEXT_TYPE = /^text\//;
/** Calls whose JSON has neither `data` nor `result`. */
const BARE_RESULTS = /^\/external\/v1\/(?:oauth\/|openapi\.json$)/;

/** Reads a body by its media type: JSON, text or bytes; undefined without one. */
export async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204 || response.status === 304) return undefined;
  const type = response.headers.get('content-type') ?? '';
  if (JSON_TYPE.test(type)) {
    const text = await response.text();
    return text === '' ? undefined : parseJson(text);
  }
  if (TEXT_TYPE.test(type)) return response.text();
  const bytes = new Uint8Array(await response.arrayBuffer());
  return bytes.length === 0 ? undefined : bytes;
}

/** Parses JSON. The error of `JSON.parse` would contain a part of the text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new SyntaxError('The text is not valid JSON.');
  }
}

/**
 * Whether a success is one of the service: it has the id that every response of the service has, and is no page. A
 * hotel portal, a proxy or a gateway may answer anything instead.
 */
export function isServiceSuccess({ ok, headers }: Response): boolean {
  return ok && headers.has('x-request-id') && !PAGE.test(headers.get('content-type') ?? '');
}

/** Whether the service says that what the caller has is up to date, which only a call with this condition is told. */
export function isUnchanged({ status, headers }: Response, requestHeaders: Record<string, string>): boolean {
  const isConditional = Object.keys(requestHeaders).some((name) => name.toLowerCase() === 'if-none-match');
  return status === 304 && isConditional && headers.has('x-request-id');
}

/**
 * Whether the body of such a success has the shape of all results of the External API: an object or a list in `data`,
 * or an object in `result`. Only a write may have none. Gateways also give their own answers an id.
 */
export function isServiceResult(method: string, url: string, body: unknown): boolean {
  const { pathname } = new URL(url);
  if (!pathname.startsWith('/external/v1/') || BARE_RESULTS.test(pathname)) return true;
  if (body === undefined) return method !== 'GET';
  // Bytes are content, for which the caller has asked by its media type.
  if (body instanceof Uint8Array) return true;
  if (typeof body !== 'object' || body === null) return false;
  const { data, result } = body as { data?: unknown; result?: unknown };
  return isObject(data) || (isObject(result) && !Array.isArray(result));
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/**
 * Converts any other response to an error. Only a problem document with the id of its response is the service's own
 * word (a replayed one has the id of the first call). After anything else it is unknown whether a write arrived.
 */
export async function toApiError(response: Response, isWrite: boolean): Promise<ApiError> {
  const { status, headers } = response;
  const problem = PROBLEM.test(headers.get('content-type') ?? '') ? parseProblem(await response.text()) : undefined;
  const requestId = headers.get('x-request-id') ?? undefined;
  const isReplayed = headers.get('idempotency-replayed') === 'true';
  if (problem && requestId !== undefined && (problem.requestId === requestId || isReplayed))
    return new ApiError({
      status,
      requestId,
      retryAfterSeconds: readRetryAfter(headers),
      code: problem.code,
      message: problem.detail,
      outcome: problem.outcome,
      problem,
    });
  if (!response.bodyUsed) await response.body?.cancel();
  return createForeignAnswerError(response, isWrite);
}

/** Returns the error for an answer of something between this client and the service. */
export function createForeignAnswerError({ status, headers }: Response, isWrite: boolean): ApiError {
  const answer = status < 300 ? 'a result' : 'a problem document';
  return new ApiError({
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: readRetryAfter(headers),
    code: 'unexpected_response',
    message: `HTTP status ${status} without ${answer} of the service. Something else has answered.`,
    outcome: isWrite ? 'unknown' : undefined,
  });
}

type ReceivedProblem = Problem & Record<string, unknown> & { outcome?: Outcome };

function parseProblem(text: string): ReceivedProblem | undefined {
  try {
    const problem = JSON.parse(text) as Partial<ReceivedProblem> | null;
    return typeof problem?.code === 'string' ? (problem as ReceivedProblem) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the seconds of Retry-After. A date counts from the response's own Date, so that the clock of this machine has
 * no effect.
 */
export function readRetryAfter(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = (Date.parse(value) - Date.parse(headers.get('date') ?? '')) / 1_000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
