import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

const MAX_RESPONSE_BYTES = 16_384;

/** What came back, as far as it was read. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  /** As it came: nothing is unpacked. */
  body: Buffer;
}

/** The exchange took longer than it may. */
export class DeadlineError extends Error {
  constructor() {
    super('the exchange took too long');
    this.name = 'DeadlineError';
  }
}

export interface Post {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** For the whole exchange, in ms. */
  withinMs: number;
}

/**
 * A POST of which 16 KiB of the answer are read and the rest is not waited for. On undici's dispatcher itself: its
 * streams and abort signals took a third of the CPU of a send (docs/decisions/0010).
 * @throws DeadlineError, and whatever the connection fails with
 */
export function post(dispatcher: Dispatcher, { url, headers, body, withinMs }: Post): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { origin, pathname, search } = new URL(url);
    const handler = new PostHandler(withinMs, resolve, reject);
    try {
      dispatcher.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, handler);
    } catch (error) {
      handler.fail(error as Error);
    }
  });
}

class PostHandler implements Dispatcher.DispatchHandler {
  private readonly timer: NodeJS.Timeout;
  private readonly chunks: Buffer[] = [];
  private size = 0;
  private start: { status: number; headers: IncomingHttpHeaders } | null = null;
  private controller: Dispatcher.DispatchController | null = null;
  private isOver = false;

  constructor(
    withinMs: number,
    private readonly resolve: (answer: Answer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.timer = setTimeout(() => {
      const error = new DeadlineError();
      this.fail(error);
      this.controller?.abort(error);
    }, withinMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    // It waited for a connection until its time was over.
    if (this.isOver) controller.abort(new DeadlineError());
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx is no answer yet.
    if (status >= 200) this.start = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    if (this.size < MAX_RESPONSE_BYTES) return;
    this.onResponseEnd();
    controller.abort(new Error('enough was read'));
  }

  onResponseEnd(): void {
    if (!this.start) return this.fail(new Error('there was no answer'));
    if (this.end()) this.resolve({ ...this.start, body: Buffer.concat(this.chunks) });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: Error): void {
    if (this.end()) this.reject(error);
  }

  /** False where it was over already. */
  private end(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    clearTimeout(this.timer);
    return true;
  }
}
