import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { SCOPE_NAMES, type TokenPrincipal } from '../../../access/auth';
import { EventStream, type EventStreamOptions } from '../event-stream';

/** Bytes that a socket buffers before `write` asks the writer to wait. */
const HIGH_WATER_MARK = 16_384;

/** Response whose client reads as the test says. Records what was written. */
export class FakeResponse extends EventEmitter {
  text = '';
  destroyed = false;
  writableEnded = false;
  /** Bytes that the client has not read */
  writableLength = 0;
  isReading = true;
  readonly req = {};

  get writableNeedDrain(): boolean {
    return this.writableLength >= HIGH_WATER_MARK;
  }

  write(text: string): boolean {
    if (this.destroyed || this.writableEnded) throw new Error('written after the end');
    this.text += text;
    if (!this.isReading) this.writableLength += Buffer.byteLength(text);
    return !this.writableNeedDrain;
  }

  end(text: string): void {
    this.write(text);
    this.writableEnded = true;
    if (this.writableLength === 0) this.close();
  }

  destroy(): void {
    this.close();
  }

  private close(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit('close');
  }
}

export function createCaller(change: Partial<TokenPrincipal> = {}): TokenPrincipal {
  return {
    kind: 'token',
    type: 'pat',
    accountId: 'acc_1',
    account: { username: 'ada', createdAt: 0, isSuspended: false, limits: {} },
    tokenId: 'tok_1',
    appId: null,
    scopes: SCOPE_NAMES,
    machineIds: null,
    name: 'test',
    createdAt: 0,
    expiresAt: null,
    lastUsedAt: null,
    ...change,
  };
}

/** Creates a stream of account events that begins now. */
export function createStream(change: Partial<EventStreamOptions> = {}): {
  stream: EventStream;
  response: FakeResponse;
} {
  const response = new FakeResponse();
  const caller = change.caller ?? createCaller();
  const stream = new EventStream(response as unknown as Response, {
    accountId: caller.accountId,
    sessionId: null,
    caller,
    credentialId: 'tok_1',
    token: 'svc_pat_1',
    openedAt: performance.now(),
    types: null,
    contentEncoding: null,
    deltaKinds: ['message'],
    place: { accountId: caller.accountId, after: '10:10:', at: Date.now(), page: null },
    generation: 'g1',
    isBehind: false,
    ...change,
  });
  return { stream, response };
}
