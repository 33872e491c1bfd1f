import { assertConforms } from './conformance';
import { recordServerError } from './server-errors';

/** Response in tests. */
export interface HttpResponse {
  status: number;
  headers: Headers;
  /** Parsed JSON; null if the body is empty. */
  body: any;
}

export interface RequestOptions {
  token?: string;
  json?: unknown;
  /** Sent unchanged, with the content type of `headers`. */
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/**
 * HTTP client that validates every response of the External API against the OpenAPI document. If a test fails, the
 * failure shows the log lines of its 5xx responses.
 */
export class HttpClient {
  /** @param logs log lines of the service, if the test has them */
  constructor(
    readonly url: string,
    private readonly logs?: string[],
  ) {}

  async request(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const headers: Record<string, string> = { ...options.headers };
    if (options.token) headers.Authorization = `Bearer ${options.token}`;
    if (options.json !== undefined) headers['Content-Type'] ??= 'application/json';
    const body = options.json !== undefined ? JSON.stringify(options.json) : options.raw;
    const response = await fetch(this.url + path, {
      method,
      headers,
      body: body as string | undefined,
      signal: options.signal,
      redirect: 'manual',
    });
    if (response.status >= 500 && this.logs) recordServerError(response, this.logs);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const httpResponse = {
      status: response.status,
      headers: response.headers,
      body: isJson && text ? JSON.parse(text) : text || null,
    };
    assertConforms({ method, path, ...httpResponse });
    return httpResponse;
  }

  get(path: string, token?: string, options: RequestOptions = {}): Promise<HttpResponse> {
    return this.request('GET', path, { token, ...options });
  }

  post(path: string, token: string | undefined, json: unknown, options: RequestOptions = {}): Promise<HttpResponse> {
    return this.request('POST', path, { token, json, ...options });
  }

  delete(path: string, token?: string): Promise<HttpResponse> {
    return this.request('DELETE', path, { token });
  }
}
