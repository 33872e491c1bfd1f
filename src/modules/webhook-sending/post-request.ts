import type { IncomingHttpHeaders } from 'node:http';
import { errors, type Dispatcher } from 'undici';

const MAX_READ_BYTES = 16_384;
/** undici's message for a response with the status 101. */
const UPGRADE_MESSAGE = 'bad upgrade';

/** Response, with the part of the body that was read. */
export interface PostResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** Undecoded bytes. Compressed bodies stay compressed. */
  body: Buffer;
}

/** Thrown when an exchange exceeds its timeout. */
export class ExchangeTimeoutError extends Error {
  constructor() {
    super('the exchange timed out');
    this.name = 'ExchangeTimeoutError';
  }
}

/** Thrown when a receiver switches protocols, which no request asks for. */
export class UnexpectedUpgradeError extends Error {
  constructor() {
    super('the receiver switched protocols');
    this.name = 'UnexpectedUpgradeError';
  }
}

export interface PostRequest {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
  /** Timeout of the whole exchange, in ms. */
  timeoutMs: number;
}

/**
 * Sends a POST and reads at most 16 KiB of the response body, then aborts. Uses undici's dispatcher directly: its
 * streams and abort signals took a third of the CPU time of an attempt (docs/decisions/0010).
 * @throws {ExchangeTimeoutError} and connection errors
 */
export function sendPostRequest(
  dispatcher: Dispatcher,
  { url, headers, body, timeoutMs }: PostRequest,
): Promise<PostResponse> {
  return new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(url);
    const handler = new PostResponseHandler(timeoutMs, resolve, reject);
    try {
      dispatcher.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, handler);
    } catch (error) {
      handler.failRequest(error as Error);
    }
  });
}

class PostResponseHandler implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private readonly bodyChunks: Buffer[] = [];
  private receivedBytes = 0;
  private responseHead: { status: number; headers: IncomingHttpHeaders } | null = null;
  private controller: Dispatcher.DispatchController | null = null;
  private isSettled = false;

  constructor(
    timeoutMs: number,
    private readonly resolve: (postResponse: PostResponse) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.timer = setTimeout(() => {
      const error = new ExchangeTimeoutError();
      this.failRequest(error);
      this.controller?.abort(error);
    }, timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // The timeout fired while the request was queued for a connection.
    if (this.isSettled) controller.abort(new ExchangeTimeoutError());
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.responseHead = { status, headers };
    // Interim responses don't get here (./response-heads.ts).
    else controller.abort(new UnexpectedUpgradeError());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bodyChunks.push(chunk);
    this.receivedBytes += chunk.length;
    if (this.receivedBytes < MAX_READ_BYTES) return;
    this.onResponseEnd();
    controller.abort(new Error('response read limit reached'));
  }

  onResponseEnd(): void {
    if (!this.responseHead) return this.failRequest(new Error('the connection closed before a response'));
    if (this.markSettled()) this.resolve({ ...this.responseHead, body: Buffer.concat(this.bodyChunks) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    // undici compares lengths after the end of the response, where 304 and repeated lengths are legal (RFC 9112 §6.3).
    if (this.responseHead && error instanceof errors.ResponseContentLengthMismatchError) this.onResponseEnd();
    else this.failRequest(error.message === UPGRADE_MESSAGE ? new UnexpectedUpgradeError() : error);
  }

  failRequest(error: Error): void {
    if (this.markSettled()) this.reject(error);
  }

  /** Returns false when the exchange was already settled. */
  private markSettled(): boolean {
    if (this.isSettled) return false;
    this.isSettled = true;
    clearTimeout(this.timer);
    return true;
  }
}
