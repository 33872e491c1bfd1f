interface ProblemBody {
  code?: string;
  detail?: string;
  reason?: string;
  outcome?: string;
  deviceError?: { code?: string };
}

/** Error response of the service (problem+json). */
export class ServiceError extends Error {
  readonly code: string | undefined;
  readonly reason: string | undefined;
  /** What is known about a relayed call (docs/protocol/relay.md#guarantee). */
  readonly outcome: string | undefined;
  /** Code of the device's error. */
  readonly deviceErrorCode: string | undefined;

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
  }
}

/** No response arrived. The request may or may not have been processed. */
export class UnreachableError extends Error {
  constructor() {
    super('The service cannot be reached. Check the connection and try again.');
  }
}

/** Calls the device API (docs/protocol/device-api.md) or the console's login endpoint.
 * @returns `data` of the response; undefined if it is empty
 * @throws ServiceError
 * @throws UnreachableError
 */
export async function callService<T>(
  method: Method,
  path: string,
  { body, token }: { body?: object; token?: string } = {},
): Promise<T> {
  const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
  return ((await requestJson(method, path, { body, headers })).body as { data: T }).data;
}

type Method = 'GET' | 'POST' | 'DELETE';

export interface JsonResponse {
  status: number;
  /** Empty without content. */
  body: object;
}

/**
 * Sends a request with a JSON body and reads a JSON object.
 * @throws ServiceError for an error response
 * @throws UnreachableError
 */
export async function requestJson(
  method: Method,
  path: string,
  { body, headers = {} }: { body?: object; headers?: Record<string, string> },
): Promise<JsonResponse> {
  const { ok, status, text, retryAfterSeconds } = await fetchText(path, {
    method,
    headers: { Accept: 'application/json', ...(body && { 'Content-Type': 'application/json' }), ...headers },
    body: body && JSON.stringify(body),
    cache: 'no-store',
  });
  const answer = parseJsonObject(text);
  if (!ok) throw new ServiceError(status, answer ?? {}, retryAfterSeconds);
  // A proxy between the browser and the service has responded.
  if (!answer) throw new UnreachableError();
  return { status, body: answer };
}

/** @throws UnreachableError also if the response is incomplete */
async function fetchText(path: string, init: RequestInit) {
  try {
    const response = await fetch(path, init);
    const retryAfterSeconds = readRetryAfter(response.headers.get('Retry-After'));
    return { ok: response.ok, status: response.status, text: await response.text(), retryAfterSeconds };
  } catch {
    throw new UnreachableError();
  }
}

/** The service sends seconds; a proxy may send a date, which is ignored. */
const readRetryAfter = (value: string | null): number | null =>
  value !== null && /^\d{1,6}$/.test(value) ? Number(value) : null;

/** Returns when a call that was refused for its rate can be repeated: "in 37 s". */
export const formatRetryTime = ({ retryAfterSeconds }: ServiceError): string =>
  retryAfterSeconds === null ? 'in a minute' : `in ${Math.max(1, retryAfterSeconds)} s`;

/** Returns undefined if the text is not a JSON object. */
function parseJsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
