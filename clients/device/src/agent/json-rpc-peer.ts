import type { Readable, Writable } from 'node:stream';
import { toJsonLine } from '../json-line';
import { isJsonObject, type JsonObject } from '../untrusted-values';
import { LineReader, MAX_LINE_BYTES } from './line-reader';
import { hasRepeatedMember } from './repeated-members';

/** Lines that aren't JSON-RPC, such as a program's log on standard output, are ignored up to this number. */
export const MAX_INVALID_LINES = 1_000;

/** Bytes that the other side may leave unread. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;

export const JSON_RPC_ERRORS = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
} as const;

/** Error that a response contains, from either side. */
export class JsonRpcError extends Error {
  override readonly name = 'JsonRpcError';

  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message);
  }
}

export interface JsonRpcHandlers {
  /** Answers a request. @throws JsonRpcError */
  handleRequest(method: string, params: unknown): unknown;
  handleNotification(method: string, params: unknown): void;
  /**
   * A line was too long to be read. What is known of its message is handled next: a notification without its long
   * members, or the answer to a request of this side. A request is refused.
   */
  handleSkippedLine?(bytes: number): void;
  /** Called once when the other side breaks the protocol, after which nothing more is read. */
  handleViolation(reason: string): void;
}

type RequestId = string | number | null;

interface PendingRequest {
  resolve: (result: unknown) => void;
  reject: (error: Error) => void;
}

/**
 * One side of JSON-RPC 2.0 with one object per line (jsonrpc.org/specification). Both sides may send requests. Batches
 * aren't used by the Agent Client Protocol and count as invalid lines.
 */
export class JsonRpcPeer {
  private readonly pendingRequests = new Map<number, PendingRequest>();
  private nextId = 1;
  private readonly lineReader = new LineReader({
    readLine: (line) => this.readLine(line),
    skipLine: (bytes, outline) => this.skipLine(bytes, outline),
  });
  private invalidLines = 0;
  private closeReason: Error | undefined;

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    private readonly handlers: JsonRpcHandlers,
  ) {
    input.on('data', (chunk: Buffer) => this.lineReader.readChunk(chunk));
    // The process's exit says that the connection has ended. Until then a closed pipe is not an error.
    input.on('error', () => undefined);
    output.on('error', () => undefined);
  }

  /** Resolves with the result. @throws JsonRpcError, or the error that the peer was closed with */
  sendRequest(method: string, params: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.closeReason) return reject(this.closeReason);
      const id = this.nextId++;
      this.pendingRequests.set(id, { resolve, reject });
      this.writeMessage({ id, method, params });
    });
  }

  sendNotification(method: string, params: unknown): void {
    this.writeMessage({ method, params });
  }

  /** Rejects the pending requests with `reason` and reads nothing more. */
  close(reason: Error): void {
    if (this.closeReason) return;
    this.closeReason = reason;
    this.lineReader.close();
    this.input.destroy();
    for (const { reject } of this.pendingRequests.values()) reject(reason);
    this.pendingRequests.clear();
  }

  /** Some agents write to the terminal, such as to hide its cursor, on the line of their first message. */
  private readLine(line: string): void {
    const text = line.slice(Math.max(line.indexOf('{'), 0));
    this.countInvalidLine(() => this.readMessage(JSON.parse(text), hasRepeatedMember(text)));
  }

  /** No output of a tool ends an agent, so the other side goes on. */
  private skipLine(bytes: number, outline: JsonObject | undefined): void {
    this.countInvalidLine(() => {
      this.handlers.handleSkippedLine?.(bytes);
      if (outline) this.readOutline(outline);
    });
  }

  private readOutline(outline: JsonObject): void {
    const { id, method } = outline;
    if (typeof method !== 'string' || !('id' in outline)) return this.readMessage(outline, false);
    // The other side waits for an answer, and what it asks for isn't known.
    const error = new JsonRpcError(JSON_RPC_ERRORS.invalidRequest, `A line exceeds ${MAX_LINE_BYTES} bytes`);
    if (isRequestId(id)) this.writeError(id, error);
  }

  private countInvalidLine(readLine: () => void): void {
    try {
      readLine();
    } catch {
      // Also if a message can't be handled: an exception here would end the whole program.
      this.invalidLines++;
      if (this.invalidLines > MAX_INVALID_LINES) this.reportViolation('Too many lines are not JSON-RPC.');
    }
  }

  /** @throws Error when the value isn't a message of JSON-RPC */
  private readMessage(message: unknown, isAmbiguous: boolean): void {
    if (!isJsonObject(message)) throw new TypeError('A message is an object.');
    const { id, method, params } = message;
    const isRequest = typeof method === 'string' && 'id' in message;
    if (isRequest && !isRequestId(id)) throw new TypeError('An id is a text, a number or null.');
    if (isRequest) void this.answerRequest(id as RequestId, method, params, isAmbiguous);
    else if (typeof method !== 'string') this.readResponse(message);
    else if (isAmbiguous) throw new TypeError('A member is repeated.');
    else this.handlers.handleNotification(method, params);
  }

  /** A response without its request is ignored: the request may have been sent by an earlier process. */
  private readResponse({ id, result, error }: Record<string, unknown>): void {
    const pending = this.pendingRequests.get(id as number);
    if (!pending) return;
    this.pendingRequests.delete(id as number);
    if (error === undefined || error === null) return pending.resolve(result);
    const { code, message, data }: Record<string, unknown> = isJsonObject(error) ? error : {};
    const knownCode = Number.isSafeInteger(code) ? (code as number) : JSON_RPC_ERRORS.internal;
    pending.reject(new JsonRpcError(knownCode, typeof message === 'string' ? message : '', data));
  }

  private async answerRequest(id: RequestId, method: string, params: unknown, isAmbiguous: boolean): Promise<void> {
    try {
      if (isAmbiguous) throw new JsonRpcError(JSON_RPC_ERRORS.invalidRequest, 'Invalid request');
      this.writeMessage({ id, result: (await this.handlers.handleRequest(method, params)) ?? null });
    } catch (error) {
      this.writeError(
        id,
        error instanceof JsonRpcError ? error : new JsonRpcError(JSON_RPC_ERRORS.internal, 'Internal error'),
      );
    }
  }

  private writeError(id: RequestId, { code, message, data }: JsonRpcError): void {
    this.writeMessage({ id, error: { code, message, data } });
  }

  private writeMessage(message: Record<string, unknown>): void {
    if (this.closeReason || !this.output.writable) return;
    this.output.write(`${toJsonLine({ jsonrpc: '2.0', ...message })}\n`);
    if (this.output.writableLength > MAX_UNREAD_BYTES) this.reportViolation('Messages are not read.');
  }

  private reportViolation(reason: string): void {
    if (this.closeReason) return;
    // The handler may close the peer with an error of its own.
    this.handlers.handleViolation(reason);
    this.close(new Error(reason));
  }
}

const isRequestId = (value: unknown): value is RequestId =>
  value === null || typeof value === 'string' || typeof value === 'number';
