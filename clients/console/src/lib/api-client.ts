interface ProblemBody {
  code?: string;
  detail?: string;
  reason?: string;
  outcome?: string;
  deviceError?: { code?: string; message?: string };
}

/** Error response of the service (problem+json). */
export class ServiceError extends Error {
  readonly code: string | undefined;
  readonly reason: string | undefined;
  /** What is known about a relayed call (docs/protocol/relay.md#guarantee). */
  readonly outcome: string | undefined;
  /** Code of the device's error. */
  readonly deviceErrorCode: string | undefined;
  /** Text of the device or its agent, which may contain anything. */
  readonly deviceErrorMessage: string | undefined;

  /** @param retryAfterSeconds when a repetition can succeed; null if the service didn't say */
  constructor(
    readonly status: number,
    problem: ProblemBody,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(problem.detail ?? `The service responded with status ${status}.`);
    this.code = problem.code;
    this.reason = problem.reason;
    this.outcome = problem.outcome;
    this.deviceErrorCode = problem.deviceError?.code;
    this.deviceErrorMessage = problem.deviceError?.message;
  }
}

/** No answer of the service arrived. The request may or may not have been processed. */
export class UnreachableError extends Error {
  constructor(message = 'The service cannot be reached. Check the connection and try again.') {
    super(message);
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** What a success has: an object or a list in `data`, a `result` of a machine, one of them (`any`), or no body. */
export type ResultKind = 'record' | 'list' | 'result' | 'any' | 'none';

/**
 * Calls the device API (docs/protocol/device-api.md) or the console's login endpoint.
 * @param options `hasNoResult` for a call whose success has no body
 * @returns `data` of the response; undefined if it is empty
 * @throws ServiceError
 * @throws UnreachableError
 */
export async function callService<T>(
  method: Method,
  path: string,
  { body, token, hasNoResult }: { body?: object; token?: string; hasNoResult?: true } = {},
): Promise<T> {
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  const answer = await requestJson(method, path, hasNoResult ? 'none' : 'record', { body, headers });
  return (answer as { data: T }).data;
}

/**
 * Sends a request with a JSON body and reads a JSON object.
 * @returns an empty object without content
 * @throws ServiceError for an error response
 * @throws UnreachableError
 */
export async function requestJson(
  method: Method,
  path: string,
  kind: ResultKind,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> },
): Promise<object> {
  const response = await sendRequest(path, {
    method,
    headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }), ...headers },
    body: body && JSON.stringify(body),
    cache: 'no-store',
  });
  return readServiceAnswer(response, kind);
}

/** Opens an event stream. @throws ServiceError @throws UnreachableError; AbortError */
export async function requestStream(
  path: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Response> {
  const response = await sendRequest(path, {
    headers: { Accept: 'text/event-stream', ...headers },
    cache: 'no-store',
    signal,
  });
  if (!isServiceSuccess(response, 'text/event-stream')) await readServiceAnswer(response, null);
  return response;
}

async function sendRequest(path: string, init: RequestInit): Promise<Response> {
  return fetch(path, init).catch((error: unknown) => {
    if (init.signal?.aborted) throw error;
    throw new UnreachableError();
  });
}

/**
 * Decides whose word a response is (docs/protocol/device-api.md#whose-word-is-final). Only what the service itself says
 * is final: a success of this kind, or a problem document, each with the ID that every response of the service has. A
 * hotel portal, a proxy or a gateway may answer anything else.
 * @param kind null if no JSON is a success
 * @throws ServiceError the service refuses the call
 * @throws UnreachableError something else has answered, or the response is incomplete
 */
export async function readServiceAnswer(response: Response, kind: ResultKind | null): Promise<object> {
  const { status, headers } = response;
  const text = await response.text().catch(() => {
    throw new UnreachableError();
  });
  if (kind === 'none' && status === 204 && headers.has('X-Request-Id')) return {};
  const answer = parseJsonObject(text);
  if (answer && kind && isServiceSuccess(response, 'application/json') && isOfKind(answer, kind)) return answer;
  if (answer && isServiceProblem(response, answer))
    throw new ServiceError(status, answer, readRetryAfter(headers.get('Retry-After')));
  throw new UnreachableError(
    `Something between this browser and the service answered instead of the service (status ${status}). ` +
      'Check the connection and try again.',
  );
}

/** Whether a response is a success that may be one of the service, of this media type. */
export function isServiceSuccess({ ok, headers }: Response, mediaType: string): boolean {
  return ok && headers.has('X-Request-Id') && readMediaType(headers) === mediaType;
}

function isOfKind({ data, result, nextCursor }: Answer, kind: ResultKind): boolean {
  const isRecord = isObject(data) && !Array.isArray(data);
  switch (kind) {
    case 'record':
      return isRecord;
    case 'list':
      return Array.isArray(data) && data.every(isObject) && nextCursor !== undefined;
    case 'result':
      return isObject(result);
    case 'any':
      return isRecord || isObject(result);
    case 'none':
      return false;
  }
}

/** A replayed problem has the ID of the first call. */
function isServiceProblem({ ok, headers }: Response, { code, requestId }: Answer): boolean {
  const id = headers.get('X-Request-Id');
  const isReplayed = headers.get('Idempotency-Replayed') === 'true';
  const isOfResponse = id !== null && (requestId === id || isReplayed);
  return !ok && readMediaType(headers) === 'application/problem+json' && typeof code === 'string' && isOfResponse;
}

const readMediaType = (headers: Headers): string =>
  (headers.get('Content-Type') ?? '').split(';', 1)[0]!.trim().toLowerCase();

/** The service sends seconds; a proxy may send a date, which is ignored. */
const readRetryAfter = (value: string | null): number | null =>
  value !== null && /^\d{1,6}$/.test(value) ? Number(value) : null;

/** Returns when a call that was refused for its rate can be repeated: "in 37 s". */
export const formatRetryTime = ({ retryAfterSeconds }: ServiceError): string =>
  retryAfterSeconds === null ? 'in a minute' : `in ${Math.max(1, retryAfterSeconds)} s`;

/** JSON object of a response, whose members are of unknown types until they are checked. */
type Answer = Record<string, unknown>;

const isObject = (value: unknown): value is Answer => typeof value === 'object' && value !== null;

/** Returns undefined if the text is not a JSON object. */
function parseJsonObject(text: string): Answer | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
