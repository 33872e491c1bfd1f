interface ProblemBody {
  code?: string;
  detail?: string;
  reason?: string;
}

/** Error response of the service (problem+json). */
export class ServiceError extends Error {
  readonly code: string | undefined;
  readonly reason: string | undefined;

  constructor(
    readonly status: number,
    problem: ProblemBody,
  ) {
    super(problem.detail ?? `The service responded with status ${status}.`);
    this.code = problem.code;
    this.reason = problem.reason;
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
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { body, token }: { body?: object; token?: string } = {},
): Promise<T> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (body) headers['Content-Type'] = 'application/json';
  if (token) headers.Authorization = `Bearer ${token}`;
  const { ok, status, text } = await fetchText(path, {
    method,
    headers,
    body: body && JSON.stringify(body),
    cache: 'no-store',
  });
  const answer = parseJsonObject(text);
  if (!ok) throw new ServiceError(status, answer ?? {});
  // A proxy between the browser and the service has responded.
  if (!answer) throw new UnreachableError();
  return (answer as { data: T }).data;
}

/** @throws UnreachableError also if the response is incomplete */
async function fetchText(path: string, init: RequestInit) {
  try {
    const response = await fetch(path, init);
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch {
    throw new UnreachableError();
  }
}

/** Returns undefined if the text is not a JSON object. */
function parseJsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
