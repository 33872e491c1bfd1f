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

interface HttpClientOptions {
  /** Log lines of the service, which a failing test shows for its 5xx responses. */
  logs?: string[];
  /** Returns the builds that may respond at this moment, by default the current one. */
  getBuilds?: () => readonly (string | undefined)[];
}

/** HTTP client that validates every response of an API against the document of the build that sent it. */
export class HttpClient {
  constructor(
    readonly url: string,
    private readonly options: HttpClientOptions = {},
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
    const { logs, getBuilds } = this.options;
    if (response.status >= 500 && logs) recordServerError(response, logs);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const httpResponse = {
      status: response.status,
      headers: response.headers,
      body: isJson && text ? JSON.parse(text) : text || null,
    };
    assertConforms({ method, path, ...httpResponse }, getBuilds?.());
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
