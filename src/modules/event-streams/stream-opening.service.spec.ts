import type { Request, Response } from 'express';
import { Registry } from 'prom-client';
import type { LoginCookie } from '../../access/auth';
import { Clock } from '../../common/clock';
import { ShutdownState } from '../../common/shutdown-state';
import { loadConfig } from '../../core/config';
import { EventStreamRegistry } from './event-stream-registry';
import { StreamOpeningService } from './stream-opening.service';
import { createCaller, createStream } from './testing/stream-fixture';

describe('the opening of streams', () => {
  const caller = createCaller();
  let streams: EventStreamRegistry;
  let shutdownState: ShutdownState;
  let service: StreamOpeningService;

  beforeEach(() => {
    const config = loadConfig({ NODE_ENV: 'test', PUBLIC_URL: 'http://localhost:3000' });
    streams = new EventStreamRegistry(config, new Registry());
    shutdownState = new ShutdownState();
    const loginCookie = { readToken: () => 'svc_dev_cookie' } as unknown as LoginCookie;
    service = new StreamOpeningService(streams, loginCookie, shutdownState, new Clock());
  });

  const start = (method: string) => {
    const head: { status?: number; headers?: Record<string, string>; hasEnded: boolean } = { hasEnded: false };
    const response = {
      writeHead: (status: number, headers: Record<string, string>) => Object.assign(head, { status, headers }),
      end: () => (head.hasEnded = true),
    } as unknown as Response;
    return { isOpen: service.startStream(createStream().stream, { method } as Request, response), head };
  };

  it('sends a head that no proxy stores, compresses or buffers', () => {
    const { isOpen, head } = start('GET');
    expect(isOpen).toBe(true);
    expect(head).toEqual({
      status: 200,
      headers: {
        'Content-Type': 'text/event-stream; charset=utf-8',
        'Cache-Control': 'no-store, no-transform',
        'X-Accel-Buffering': 'no',
      },
      hasEnded: false,
    });
    expect(streams.size).toBe(1);
  });

  it('answers HEAD with the head alone, and opens no stream', () => {
    const { isOpen, head } = start('HEAD');
    expect(isOpen).toBe(false);
    expect(head).toMatchObject({ status: 200, hasEnded: true });
    expect(streams.size).toBe(0);
  });

  it('is refused while the instance drains', () => {
    expect(() => service.requireCapacity(caller)).not.toThrow();
    shutdownState.startDraining();
    expect(() => service.requireCapacity(caller)).toThrow(
      expect.objectContaining({
        code: 'service_unavailable',
        extras: { members: { outcome: 'not_delivered' }, headers: { 'Retry-After': '1' } },
      }) as Error,
    );
  });

  it('verifies the token that the caller has presented', () => {
    const withHeader = { headers: { authorization: 'Bearer svc_pat_1' } } as Request;
    expect(service.createOptions(caller, withHeader)).toMatchObject({ token: 'svc_pat_1', credentialId: 'tok_1' });
    expect(service.createOptions(caller, { headers: {} } as Request)).toMatchObject({ token: 'svc_dev_cookie' });
  });
});
