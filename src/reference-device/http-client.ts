import { ApiError, UnreachableError } from './api-error';

const REQUEST_TIMEOUT_MS = 30_000;

export interface RequestOptions {
  token?: string;
  body?: unknown;
}

/** JSON over HTTP with the conventions of external-api.md §1. */
export class HttpClient {
  readonly url: string;

  /** @throws Error when `url` is not an http(s) URL */
  constructor(url: string) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new Error(`"${url}" is not an http(s) URL.`);
    this.url = url.replace(/\/+$/, '');
  }

  /**
   * @returns the parsed body, `undefined` for a 204
   * @throws ApiError, UnreachableError
   */
  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.fetch(method, path, options);
    const text = await response.text().catch((error: unknown) => {
      throw new UnreachableError(`The answer of ${this.url} broke off: ${reasonOf(error)}.`);
    });
    const body = parse(text);
    if (!response.ok) throw toApiError(response, body);
    if (response.status !== 204 && body === undefined)
      throw new ApiError(response.status, 'no_json', `${this.url} did not answer with JSON.`, null);
    return body as T;
  }

  private async fetch(method: string, path: string, { token, body }: RequestOptions): Promise<Response> {
    try {
      return await fetch(this.url + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        // A redirect would carry signatures and tokens to somebody else.
        redirect: 'error',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
    } catch (error) {
      throw new UnreachableError(`Cannot reach ${this.url}: ${reasonOf(error)}.`);
    }
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function toApiError(response: Response, problem: Record<string, unknown> = {}): ApiError {
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
  const detail = text(problem.detail) ?? text(problem.title) ?? `The service answered ${response.status}.`;
  const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
  return new ApiError(
    response.status,
    text(problem.code) ?? `http_${response.status}`,
    [detail, ...faults(problem, detail)].join(' '),
    text(problem.requestId) ?? response.headers.get('x-request-id'),
    Number.isFinite(retryAfter) ? retryAfter * 1000 : null,
    text(problem.reason),
  );
}

/** Those that the detail does not tell already. */
function faults({ errors }: Record<string, unknown>, detail: string): string[] {
  if (!Array.isArray(errors)) return [];
  return (errors as ({ path?: string; message?: string } | null)[])
    .filter((fault) => !detail.includes(String(fault?.message)))
    .map((fault) => `${fault?.path}: ${fault?.message}.`);
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `no answer within ${REQUEST_TIMEOUT_MS / 1000} seconds`;
  return cause?.code ?? cause?.message ?? message;
}
