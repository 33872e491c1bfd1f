import { ApiResponseError, UnreachableError } from './client-errors';
import { isJsonObject, isText, type JsonObject } from './untrusted-values';

const REQUEST_TIMEOUT_MS = 30_000;

export interface ApiRequestOptions {
  token?: string;
  body?: unknown;
}

/** Client for JSON over HTTP with the conventions of docs/protocol/external-api.md#conventions. */
export class DeviceApiClient {
  readonly url: string;

  /** @throws Error when `url` is not an http(s) URL */
  constructor(url: string) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new Error(`"${url}" is not an http(s) URL.`);
    this.url = url.replace(/\/+$/, '');
  }

  /**
   * @returns the parsed body, `undefined` for a 204
   * @throws ApiResponseError, UnreachableError
   */
  async sendRequest<T>(method: string, path: string, options: ApiRequestOptions = {}): Promise<T> {
    const response = await this.fetchResponse(method, path, options);
    const text = await response.text().catch((error: unknown) => {
      throw new UnreachableError(`The response of ${this.url} was interrupted: ${getFailureReason(error)}.`);
    });
    const body = parseJsonObject(text);
    if (!response.ok) throw toApiResponseError(response, body);
    if (response.status !== 204 && body === undefined)
      throw new ApiResponseError(response.status, 'no_json', `${this.url} did not return JSON.`, null);
    return body as T;
  }

  private async fetchResponse(method: string, path: string, { token, body }: ApiRequestOptions): Promise<Response> {
    try {
      return await fetch(this.url + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        // A redirect could send signatures and tokens to another server.
        redirect: 'error',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
    } catch (error) {
      throw new UnreachableError(`Cannot reach ${this.url}: ${getFailureReason(error)}.`);
    }
  }
}

function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function toApiResponseError(response: Response, problem: JsonObject = {}): ApiResponseError {
  const toText = (value: unknown): string | null => (isText(value) ? value : null);
  const detail = toText(problem.detail) ?? toText(problem.title) ?? `The service returned ${response.status}.`;
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  return new ApiResponseError(
    response.status,
    toText(problem.code) ?? `http_${response.status}`,
    [detail, ...formatViolations(problem, detail)].join(' '),
    toText(problem.requestId) ?? response.headers.get('x-request-id'),
    Number.isFinite(retryAfter) ? retryAfter * 1000 : null,
    toText(problem.reason),
  );
}

/** Formats the violations that `detail` does not already contain. */
function formatViolations({ errors }: JsonObject, detail: string): string[] {
  if (!Array.isArray(errors)) return [];
  return (errors as ({ path?: string; message?: string } | null)[])
    .filter((violation) => !detail.includes(String(violation?.message)))
    .map((violation) => `${violation?.path}: ${violation?.message}.`);
}

function getFailureReason(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `no response within ${REQUEST_TIMEOUT_MS / 1000} seconds`;
  return cause?.code ?? cause?.message ?? message;
}
