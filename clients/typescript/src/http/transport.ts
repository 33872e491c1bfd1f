import { ApiError } from '../errors.ts';
import { LinkedSignal, sleep, untilAborted } from './abort.ts';
import { describeFailure } from './connection-failure.ts';
import {
  createForeignAnswerError,
  isServiceResult,
  isServiceSuccess,
  isUnchanged,
  readBody,
  toApiError,
} from './response.ts';
import { decideRetry, RetryBudget } from './retry-policy.ts';
import { TokenSource, type Token } from './token-source.ts';

const API_PATH = '/external/v1';
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];
const DEFAULT_MAX_RETRIES = 4;
/** A rate limit's window is a minute, so that a call can outlast one. */
const DEFAULT_RETRY_TIMEOUT_MS = 90_000;
/** The longest call of the service takes 30 seconds. */
const DEFAULT_ATTEMPT_TIMEOUT_MS = 60_000;
/** Time for the way of a call that asks the service to wait. */
const WAIT_MARGIN_MS = 10_000;

export interface ClientOptions {
  /** URL of the host, such as `https://api.example.com`, with or without `/external/v1`. */
  baseUrl: string | URL;
  /** A personal access token, or a function that returns an access token ({@link oauthToken}). */
  token: Token;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
  /** How often an attempt that failed is repeated. Default: 4. 0 sends each call once. */
  maxRetries?: number | undefined;
  /** How long a call may go on with retries, in milliseconds. Default: 90,000. */
  retryTimeoutMs?: number | undefined;
  /** How long one attempt may take, in milliseconds. Waits for turns and commands take longer. Default: 60,000. */
  attemptTimeoutMs?: number | undefined;
  /** Precedes the client's own User-Agent. Browsers send their own one. */
  userAgent?: string | undefined;
  /** Cancels all calls and streams of the client. */
  signal?: AbortSignal | undefined;
}

export type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined;

export interface RequestOptions {
  query?: Record<string, QueryValue> | undefined;
  /** Is sent as JSON. */
  body?: unknown;
  headers?: Record<string, string> | undefined;
  /** Key of a POST. By default, each gets a random one; `null` sends none, and the call is not repeated. */
  idempotencyKey?: string | null | undefined;
  signal?: AbortSignal | undefined;
  maxRetries?: number | undefined;
  retryTimeoutMs?: number | undefined;
  attemptTimeoutMs?: number | undefined;
}

export interface ApiResponse<Body> {
  /** Also 304, if the call has the header If-None-Match. */
  status: number;
  headers: Headers;
  /** Parsed JSON, text, or bytes, by the media type; undefined without a body, as with 204 and 304. */
  body: Body;
  requestId: string | undefined;
  idempotencyKey: string | undefined;
  /** Whether this is the stored response of an earlier call with the same key. */
  replayed: boolean;
}

interface Call {
  method: string;
  url: string;
  options: RequestOptions;
  idempotencyKey: string | undefined;
  isSafe: boolean;
}

/** Reads a response of a status below 300, or a 304. The attempt counts as failed if it rejects. */
type ResponseReader<T> = (response: Response, link: LinkedSignal) => Promise<T>;

/** Sends calls with the credential, and repeats them by the rules of {@link decideRetry}. */
export class Transport {
  readonly #options: ClientOptions;
  readonly #host: string;
  readonly #tokens: TokenSource;
  #hasAnswered = false;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#tokens = new TokenSource(options.token);
    this.#host = toHostUrl(options.baseUrl);
  }

  /** Sends a call and reads its response. */
  request<Body = unknown>(method: string, path: string, options: RequestOptions = {}): Promise<ApiResponse<Body>> {
    const call = this.#prepare(method, path, options);
    return this.#execute(call, async (response, link) => {
      try {
        const body = await readBody(response);
        if (response.status !== 304 && !isServiceResult(call.method, call.url, body))
          throw createForeignAnswerError(response, !call.isSafe);
        return {
          status: response.status,
          headers: response.headers,
          body: body as Body,
          requestId: response.headers.get('x-request-id') ?? undefined,
          idempotencyKey: call.idempotencyKey,
          replayed: response.headers.get('idempotency-replayed') === 'true',
        };
      } finally {
        link.release();
      }
    });
  }

  /** Opens a response whose body the caller reads. Its signal is the caller's to release. */
  open(path: string, options: RequestOptions): Promise<{ response: Response; link: LinkedSignal }> {
    const call = this.#prepare('GET', path, options);
    return this.#execute(call, (response, link) => {
      link.clearDeadline();
      return Promise.resolve({ response, link });
    });
  }

  /** Returns a signal that follows the client's and the caller's, for the caller to release. */
  link(signal: AbortSignal | undefined): LinkedSignal {
    return new LinkedSignal([this.#options.signal, signal]);
  }

  #prepare(method: string, path: string, options: RequestOptions): Call {
    const verb = method.toUpperCase();
    const isSafe = SAFE_METHODS.includes(verb);
    const takesKey = verb === 'POST' && !path.startsWith('/v1/');
    const key = takesKey && options.idempotencyKey === undefined ? createKey() : options.idempotencyKey;
    return { method: verb, url: this.#toUrl(path, options.query), options, idempotencyKey: key ?? undefined, isSafe };
  }

  #toUrl(path: string, query: RequestOptions['query'] = {}): string {
    if (!path.startsWith('/')) throw new TypeError(`A path begins with "/", unlike "${path}".`);
    const hasRoot = path.startsWith(`${API_PATH}/`) || path.startsWith('/v1/');
    const address = this.#host + (hasRoot ? path : API_PATH + path);
    const parameters = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    if (parameters.length === 0) return address;
    const url = new URL(address);
    for (const [name, value] of parameters) url.searchParams.set(name, String(value));
    return url.href;
  }

  async #execute<T>(call: Call, read: ResponseReader<T>): Promise<T> {
    const { options } = call;
    // Creating a controller is the most expensive step of a call before `fetch`. Few calls follow two signals.
    const sources = [this.#options.signal, options.signal].filter((source) => source !== undefined);
    const link = sources.length > 1 ? new LinkedSignal(sources) : undefined;
    const signal = link?.signal ?? sources[0];
    const isRepeatable = call.isSafe || call.method === 'DELETE' || call.idempotencyKey !== undefined;
    const budget = new RetryBudget(
      options.maxRetries ?? this.#options.maxRetries ?? DEFAULT_MAX_RETRIES,
      options.retryTimeoutMs ?? this.#options.retryTimeoutMs ?? DEFAULT_RETRY_TIMEOUT_MS,
    );
    let mayHaveRun = false;
    try {
      for (let attempts = 1, isRefreshed = false; ; attempts++) {
        signal?.throwIfAborted();
        const token = await obtain(() => this.#tokens.getToken(), budget, signal);
        const result = await this.#attempt(call, token, read, signal);
        if (!(result instanceof ApiError)) return result.value;
        result.attempts = attempts;
        result.idempotencyKey = call.idempotencyKey;
        if (result.code === 'invalid_token' && !isRefreshed) {
          isRefreshed = true;
          if (await obtain(() => this.#tokens.refresh(token), budget, signal)) continue;
        }
        const delay = budget.consume(result, decideRetry(result, isRepeatable, call.isSafe));
        if (delay === null) throw result;
        mayHaveRun ||= !call.isSafe && result.outcome === 'unknown';
        await sleep(delay, signal);
      }
    } catch (error) {
      // That the last attempt was not delivered, or was refused, says nothing about an earlier one.
      if (mayHaveRun && error instanceof ApiError && error.outcome !== 'answered') error.outcome = 'unknown';
      throw error;
    } finally {
      link?.release();
    }
  }

  /** Sends the request once. Throws only if the caller has cancelled it. */
  async #attempt<T>(call: Call, token: string, read: ResponseReader<T>, signal?: AbortSignal) {
    const { body, headers } = call.options;
    const requestHeaders = this.#buildHeaders(call, token, headers);
    // A stream outlives the call, and with it follows the caller's signals by itself.
    const link = this.link(call.options.signal);
    const timeoutMs = this.#getAttemptTimeout(call.options);
    link.setDeadline(timeoutMs, new Error(`No response within ${timeoutMs} ms.`));
    try {
      const response = await (this.#options.fetch ?? globalThis.fetch)(call.url, {
        method: call.method,
        headers: requestHeaders,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // A redirected write could become a read.
        redirect: 'manual',
        signal: link.signal,
      });
      this.#hasAnswered = true;
      if (isServiceSuccess(response) || isUnchanged(response, requestHeaders))
        return { value: await read(response, link) };
      const error = await toApiError(response, !call.isSafe);
      link.release();
      return error;
    } catch (error) {
      link.release();
      signal?.throwIfAborted();
      if (error instanceof ApiError) return error;
      return describeFailure(error, call, token, this.#hasAnswered);
    }
  }

  /** The service answers when the wait that a call asks for is over, however soon other calls must be answered. */
  #getAttemptTimeout({ attemptTimeoutMs, query, body }: RequestOptions): number {
    if (attemptTimeoutMs !== undefined) return attemptTimeoutMs;
    const limitMs = this.#options.attemptTimeoutMs ?? DEFAULT_ATTEMPT_TIMEOUT_MS;
    const { waitMs } = (body ?? query ?? {}) as { waitMs?: unknown };
    return typeof waitMs === 'number' && waitMs > 0 ? Math.max(limitMs, waitMs + WAIT_MARGIN_MS) : limitMs;
  }

  #buildHeaders(call: Call, token: string, headers: Record<string, string> = {}): Record<string, string> {
    for (const [name, value] of Object.entries({ 'idempotency-key': call.idempotencyKey ?? '', ...headers }))
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) throw new TypeError(`The header ${name} has invalid characters.`);
    return {
      accept: 'application/json',
      authorization: `Bearer ${token}`,
      ...(call.options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.idempotencyKey === undefined ? {} : { 'idempotency-key': call.idempotencyKey }),
      ...(isBrowser() ? {} : { 'user-agent': `${this.#options.userAgent ?? ''} external-api-client`.trim() }),
      ...headers,
    };
  }
}

/**
 * Obtains a token, and repeats that in an outage as long as the call may go on. The call itself has not been sent, so
 * that a repetition is safe.
 */
async function obtain<T>(request: () => Promise<T>, budget: RetryBudget, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await untilAborted(request(), signal);
    } catch (error) {
      const delay = error instanceof ApiError ? budget.consume(error, decideRetry(error, true, true)) : null;
      if (delay === null) throw error;
      await sleep(delay, signal);
    }
  }
}

/** Returns a random Idempotency-Key. Browsers offer `randomUUID` to secure contexts only. */
export function createKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the URL of the host, of which the API is below `/external/v1`, without a final slash. */
export function toHostUrl(baseUrl: string | URL): string {
  // The error of URL contains the text, in which there may be a password.
  if (!URL.canParse(baseUrl)) throw new TypeError('baseUrl must be an http or https URL.');
  const url = new URL(baseUrl);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must be an http or https URL.');
  if (url.username || url.password) throw new TypeError('baseUrl must not contain a user name or password.');
  const path = url.pathname.replace(/(?<!\/)\/+$/, '');
  return url.origin + (path.endsWith(API_PATH) ? path.slice(0, -API_PATH.length) : path);
}

function isBrowser(): boolean {
  return 'document' in globalThis || 'importScripts' in globalThis;
}
