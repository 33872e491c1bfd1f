import { assertConforms } from './conformance';

/** An answer as a test looks at it. */
export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed JSON, or null for an empty body. */
  body: any;
}

export interface RequestOptions {
  token?: string;
  json?: unknown;
  /** Sent as it is, with whatever content type `headers` says. */
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** Plain HTTP, as any caller would speak it; every answer of the External API is held against its document. */
export class HttpClient {
  constructor(readonly url: string) {}

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
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
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson && text ? JSON.parse(text) : text || null,
    };
    assertConforms({ method, path, ...answer });
    return answer;
  }

  get(path: string, token?: string, options: RequestOptions = {}): Promise<Answer> {
    return this.request('GET', path, { token, ...options });
  }

  post(path: string, token: string | undefined, json: unknown, options: RequestOptions = {}): Promise<Answer> {
    return this.request('POST', path, { token, json, ...options });
  }

  delete(path: string, token?: string): Promise<Answer> {
    return this.request('DELETE', path, { token });
  }
}
