import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { LoginCookie, parseBearerToken, type Principal } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ApiError } from '../../common/errors';
import { ShutdownState } from '../../common/shutdown-state';
import type { OpenStream, OpenStreamOptions } from './open-stream';
import { EventStreamRegistry } from './event-stream-registry';

/** Checks the limits of streams, and writes the heads of their responses. */
@Injectable()
export class StreamOpeningService {
  constructor(
    private readonly streams: EventStreamRegistry,
    private readonly loginCookie: LoginCookie,
    private readonly shutdownState: ShutdownState,
    private readonly clock: Clock,
  ) {}

  /** @throws ApiError 429 `too_many_streams`, 503 while the instance drains */
  requireCapacity(caller: Principal): void {
    if (this.shutdownState.isDraining) throw drainingError();
    this.streams.requireCapacity(caller.accountId, getCredentialId(caller));
  }

  createOptions(caller: Principal, request: Request): OpenStreamOptions {
    return {
      accountId: caller.accountId,
      caller,
      credentialId: getCredentialId(caller),
      token: this.readPresentedToken(request),
      openedAt: this.clock.monotonicMs(),
    };
  }

  /**
   * Adds the stream until it closes, and sends the head of the response.
   * @returns whether the stream is open: the response to HEAD has ended
   * @throws ApiError 429 `too_many_streams`: other calls may have opened streams since the first check
   */
  startStream(stream: OpenStream, request: Request, response: Response): boolean {
    const isHead = request.method === 'HEAD';
    if (!isHead) this.streams.addStream(stream);
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store, no-transform',
      // Proxies such as nginx buffer responses otherwise.
      'X-Accel-Buffering': 'no',
    });
    if (isHead) response.end();
    return !isHead;
  }

  /** Returns the token that `CredentialGuard` has accepted: of the header, or of a browser's login. */
  private readPresentedToken(request: Request): string {
    const { authorization } = request.headers;
    const token = authorization === undefined ? this.loginCookie.readToken(request) : parseBearerToken(authorization);
    return token ?? '';
  }
}

/** Identifies the credential for the limits. */
function getCredentialId(caller: Principal): string {
  return caller.kind === 'token' ? caller.tokenId : caller.deviceId;
}

function drainingError(): ApiError {
  return new ApiError('service_unavailable', 'This instance is shutting down. Try again.', {
    members: { outcome: 'not_delivered' },
    headers: { 'Retry-After': '1' },
  });
}
