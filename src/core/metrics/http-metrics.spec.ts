import { EventEmitter } from 'node:events';
import type { Request, Response } from 'express';
import { Registry } from 'prom-client';
import type { Config } from '../config';
import { HttpMetrics } from './http-metrics';

describe('the metrics of HTTP requests', () => {
  let registry: Registry;

  const observe = (request: object, statusCode: number, metricsPort: number | null = 0) => {
    registry = new Registry();
    const response = Object.assign(new EventEmitter(), { statusCode });
    const next = jest.fn();
    new HttpMetrics(registry, { metricsPort } as Config).use(
      { method: 'GET', ...request } as Request,
      response as unknown as Response,
      next,
    );
    expect(next).toHaveBeenCalledTimes(1);
    response.emit('close');
  };
  const read = async (name: string) =>
    (await registry.getSingleMetric(name)!.get()).values.map(({ labels, value }) => [labels, value]);

  it('count a response by the template of its route', async () => {
    observe({ route: { path: '/external/v1/sessions/:id' } }, 404);
    const labels = { method: 'GET', route: '/external/v1/sessions/:id', status: 404 };
    expect(await read('http_requests_total')).toEqual([[labels, 1]]);
  });

  it('measure the time until the response has ended, in seconds', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValueOnce(1_000).mockReturnValueOnce(1_300);
    observe({ route: { path: '/external/v1/me' } }, 200);
    clock.mockRestore();
    const labels = 'method="GET",route="/external/v1/me"';
    expect(await registry.metrics()).toContain(`http_request_seconds_sum{${labels}} 0.3\n`);
  });

  it('have one series for all requests without a route', async () => {
    observe({ method: 'PROPFIND' }, 404);
    expect(await read('http_requests_total')).toEqual([[{ method: 'any', route: 'none', status: 404 }, 1]]);
  });

  it.each([
    [false, 'allowed'],
    [true, 'refused'],
  ])('count calls of a bucket by their result: isLimited %s is %s', async (isLimited, result) => {
    observe({ rateLimit: { rateLimitBucket: { name: 'relay' }, isLimited } }, isLimited ? 429 : 200);
    expect(await read('rate_limit_draws_total')).toEqual([[{ bucket: 'relay', result }, 1]]);
  });

  it('count nothing without a port', async () => {
    observe({ route: { path: '/' } }, 200, null);
    expect(await read('http_requests_total')).toEqual([]);
  });
});
