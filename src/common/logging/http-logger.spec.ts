import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { runInRequestContext } from '../request-context';
import { createHttpLogger } from './http-logger';
import { createLogger } from './logger';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';

describe('the log line of a request', () => {
  /** Returns the lines of a request whose response has ended or was aborted. */
  const logRequest = (request: object, response: object): Record<string, unknown>[] => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line) => void lines.push(line) });
    const closing = Object.assign(new EventEmitter(), { errored: null, locals: {}, ...response });
    const next = jest.fn();
    const context = { requestId: 'req_1', traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` };
    const given = { id: 'req_1', method: 'GET', ...request } as Request;
    runInRequestContext(context, () => createHttpLogger(logger)(given, closing as unknown as Response, next));
    expect(next).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([]);
    closing.emit('close');
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('has the route, the caller and the operation, and neither path, query, headers nor body', () => {
    const request = {
      url: '/v1/pairings/code/hunter2?token=hunter2',
      originalUrl: '/v1/pairings/code/hunter2?token=hunter2',
      route: { path: '/v1/pairings/code/:code' },
      headers: { authorization: 'Bearer hunter2' },
      body: { name: 'hunter2' },
      operationId: 'getPairing',
      principal: { accountId: 'acc_1', tokenId: 'tok_1', scopes: ['hunter2'] },
    };
    const [line, ...more] = logRequest(request, { statusCode: 404, locals: { code: 'not_found' } });
    expect(line).toEqual({
      level: 30,
      time: expect.any(Number),
      version: expect.any(String),
      msg: 'request',
      requestId: 'req_1',
      traceId: TRACE_ID,
      method: 'GET',
      route: '/v1/pairings/code/:code',
      operation: 'getPairing',
      status: 404,
      code: 'not_found',
      durationMs: expect.any(Number),
      accountId: 'acc_1',
      tokenId: 'tok_1',
    });
    expect(more).toEqual([]);
  });

  it('names the device of a device, and no route without one', () => {
    const [line] = logRequest({ principal: { accountId: 'acc_1', deviceId: 'dev_1' } }, { statusCode: 404 });
    expect(line).toMatchObject({ accountId: 'acc_1', deviceId: 'dev_1', route: null });
    expect(line).not.toHaveProperty('tokenId');
  });

  it.each([
    [200, undefined, 30],
    [429, 'rate_limited', 30],
    [499, undefined, 30],
    [500, 'internal_error', 50],
    [502, 'device_error', 30],
    [502, 'device_disconnected', 30],
    [503, 'no_online_device', 30],
    [503, 'read_only', 30],
    [503, 'relay_unavailable', 50],
    [503, 'service_unavailable', 50],
    [504, 'timeout', 30],
  ])('of the status %d with the code %s has the level %d', (statusCode, code, level) => {
    expect(logRequest({}, { statusCode, locals: { code } })).toMatchObject([{ status: statusCode, level }]);
  });

  it('has the level of an error if the response was aborted', () => {
    expect(logRequest({}, { statusCode: 200, errored: new Error('stalled') })).toMatchObject([{ level: 50 }]);
  });

  it.each([
    ['/health/ready', 200, 0],
    ['/health/ready', 503, 0],
    ['/health/live', 200, 0],
    ['/health/ready', 500, 1],
    ['/v1/health/records', 200, 1],
  ])('of %s with the status %d is written %d times', (path, statusCode, count) => {
    expect(logRequest({ route: { path } }, { statusCode })).toHaveLength(count);
  });
});
