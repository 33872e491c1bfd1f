import { ProxyError, withProxyName } from '@external-api/forward-proxy';
import { UnreachableError } from './client-errors';
import { readServiceAnswer } from './service-answer';

/** How long the service may take to answer, and to go on with an answer. */
const REQUEST_TIMEOUT_MS = 30_000;
/** The slowest upload that is waited for. A body has up to 8 MiB, and the same one is sent again after a failure. */
const MIN_BYTES_PER_MS = 32;

export interface ApiRequestOptions {
  token?: string;
  body?: unknown;
}

/** Since when calls get no answer of the service, and why the last one didn't. */
export interface Outage {
  /** Unix ms */
  since: number;
  reason: string;
}

/** Client for JSON over HTTP with the conventions of docs/protocol/external-api.md#conventions. */
export class DeviceApiClient {
  readonly url: string;
  /** Null if the last call got an answer of the service, or there was none. */
  outage: Outage | null = null;

  /** @throws Error when `url` is not an http(s) URL */
  constructor(url: string) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    // Errors and log lines name the URL.
    if (parsed?.username || parsed?.password)
      throw new Error('The URL of the service must not contain a user name or password.');
    if (!parsed || !/^https?:$/.test(parsed.protocol)) {
      const shown = url.includes('@') ? 'The URL of the service' : `"${url}"`;
      throw new Error(`${shown} is not an http(s) URL.`);
    }
    this.url = url.replace(/(?<!\/)\/+$/, '');
  }

  /**
   * @returns the parsed body, `undefined` for a 204
   * @throws ApiResponseError, UnreachableError, see {@link readServiceAnswer}; Error if a proxy variable is not valid
   */
  async sendRequest<T>(method: string, path: string, options: ApiRequestOptions = {}): Promise<T> {
    try {
      const result = await this.exchange<T>(method, path, options);
      this.outage = null;
      return result;
    } catch (error) {
      const isOutage = error instanceof UnreachableError;
      const since = this.outage?.since ?? Date.now();
      this.outage = isOutage ? { since, reason: error.message } : null;
      throw error;
    }
  }

  private async exchange<T>(method: string, path: string, { token, body }: ApiRequestOptions): Promise<T> {
    const requestText = body === undefined ? undefined : JSON.stringify(body);
    const timeoutMs = REQUEST_TIMEOUT_MS + Math.ceil((requestText?.length ?? 0) / MIN_BYTES_PER_MS);
    const controller = new AbortController();
    const giveUp = () => controller.abort(new DOMException('It took too long.', 'TimeoutError'));
    const timer = setTimeout(giveUp, timeoutMs);
    try {
      const { signal } = controller;
      const response = await this.fetchResponse(method, path, { token, requestText, timeoutMs, signal });
      // A large response may take longer than that over a slow connection.
      const text = await readText(response, () => timer.refresh()).catch((error: unknown) => {
        const reason = getFailureReason(error, timeoutMs);
        throw new UnreachableError(withProxyName(`The response of ${this.url} was interrupted: ${reason}.`, this.url));
      });
      return readServiceAnswer<T>(method, path, this.url, { status: response.status, headers: response.headers, text });
    } finally {
      clearTimeout(timer);
    }
  }

  private async fetchResponse(
    method: string,
    path: string,
    options: { token?: string; requestText?: string; timeoutMs: number; signal: AbortSignal },
  ): Promise<Response> {
    const { token, requestText, timeoutMs, signal } = options;
    // The error of fetch would contain the token.
    if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
      throw new Error('The token of this device has characters that no token has.');
    try {
      return await fetch(this.url + path, {
        method,
        headers: {
          accept: 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
          ...(requestText !== undefined && { 'content-type': 'application/json' }),
        },
        body: requestText,
        // A redirect could send signatures and tokens to another server.
        redirect: 'error',
        signal,
      });
    } catch (error) {
      throw this.toConnectionError(error, timeoutMs);
    }
  }

  private toConnectionError(error: unknown, timeoutMs: number): Error {
    const { cause } = error as Error;
    const isOfProxy = cause instanceof ProxyError;
    const reason = isOfProxy ? cause.message : getFailureReason(error, timeoutMs);
    const message = withProxyName(`Cannot reach ${this.url}: ${reason}.`, this.url);
    // A retry can't help: the variables of a process don't change.
    return isOfProxy && cause.code === 'ERR_PROXY_SETTING' ? new Error(message) : new UnreachableError(message);
  }
}

/** Reads a body to its end. @param onProgress called for each part that arrives */
async function readText({ body }: Response, onProgress: () => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    onProgress();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function getFailureReason(error: unknown, timeoutMs: number): string {
  const { name, message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  if (name === 'TimeoutError') return `no response within ${Math.round(timeoutMs / 1000)} seconds`;
  return cause?.code ?? cause?.message ?? message;
}
