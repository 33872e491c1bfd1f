import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Counter, Histogram, Registry } from 'prom-client';
import { Config } from '../config';

const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Result that the rate limit guard sets on the request. */
interface RateLimitedRequest {
  rateLimit?: { rateLimitBucket: { name: string }; isLimited: boolean };
}

/** Counts each request when its response has ended or the caller has disconnected. Labels use the route's template. */
@Injectable()
export class HttpMetrics implements NestMiddleware {
  private readonly requests: Counter;
  private readonly durations: Histogram;
  private readonly rateLimitConsumptions: Counter;
  private readonly isEnabled: boolean;

  constructor(registry: Registry, { metricsPort }: Config) {
    const registers = [registry];
    this.isEnabled = metricsPort !== null;
    this.requests = new Counter({
      name: 'http_requests_total',
      help: 'Completed HTTP requests, by route and status',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.durations = new Histogram({
      name: 'http_request_seconds',
      help: 'Duration of HTTP requests until the end of the response, by route',
      labelNames: ['method', 'route'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.rateLimitConsumptions = new Counter({
      name: 'rate_limit_draws_total',
      help: 'Calls that consumed a rate limit bucket, by bucket and result',
      labelNames: ['bucket', 'result'],
      registers,
    });
  }

  use(request: Request & RateLimitedRequest, response: Response, next: NextFunction): void {
    if (this.isEnabled) {
      const startedAt = performance.now();
      response.on('close', () => this.observeRequest(request, response, performance.now() - startedAt));
    }
    next();
  }

  private observeRequest(request: Request & RateLimitedRequest, { statusCode }: Response, durationMs: number): void {
    const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
    // Clients can invent methods. Requests without a route share one label, which bounds the number of series.
    const method = route === 'none' ? 'any' : request.method;
    this.requests.inc({ method, route, status: statusCode });
    this.durations.observe({ method, route }, durationMs / 1_000);
    if (!request.rateLimit) return;
    const { rateLimitBucket: bucket, isLimited } = request.rateLimit;
    this.rateLimitConsumptions.inc({ bucket: bucket.name, result: isLimited ? 'refused' : 'allowed' });
  }
}
