import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Counter, Histogram, Registry } from 'prom-client';
import { Config } from '../config';

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What `rate-limit` puts on the request. */
interface Drawing {
  draw?: { bucket: { name: string }; refused: boolean };
}

/** Every request once, when its answer has gone out or its caller has; by the route's template, never by its path. */
@Injectable()
export class HttpMetrics implements NestMiddleware {
  private readonly requests: Counter;
  private readonly durations: Histogram;
  private readonly draws: Counter;
  private readonly isOn: boolean;

  constructor(registry: Registry, { metricsPort }: Config) {
    const registers = [registry];
    this.isOn = metricsPort !== null;
    this.requests = new Counter({
      name: 'http_requests_total',
      help: 'HTTP requests that ended, by route and status',
      labelNames: ['method', 'route', 'status'],
      registers,
    });
    this.durations = new Histogram({
      name: 'http_request_seconds',
      help: 'Time from a request to the end of its answer, by route',
      labelNames: ['method', 'route'],
      buckets: BUCKETS,
      registers,
    });
    this.draws = new Counter({
      name: 'rate_limit_draws_total',
      help: 'Calls that drew on a rate bucket, by bucket and result',
      labelNames: ['bucket', 'result'],
      registers,
    });
  }

  use(request: Request & Drawing, response: Response, next: NextFunction): void {
    if (this.isOn) {
      const startedAt = performance.now();
      response.once('close', () => this.observe(request, response, performance.now() - startedAt));
    }
    next();
  }

  private observe(request: Request & Drawing, { statusCode }: Response, ms: number): void {
    const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
    // Anybody can invent a method; those that lead nowhere are one.
    const method = route === 'none' ? 'any' : request.method;
    this.requests.inc({ method, route, status: statusCode });
    this.durations.observe({ method, route }, ms / 1_000);
    if (!request.draw) return;
    const { bucket, refused } = request.draw;
    this.draws.inc({ bucket: bucket.name, result: refused ? 'refused' : 'allowed' });
  }
}
