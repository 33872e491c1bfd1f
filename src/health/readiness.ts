import { Inject, Injectable } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, TypeOrmHealthIndicator } from '@nestjs/terminus';
import type { Redis } from 'ioredis';
import { Draining } from '../common/draining';
import { answered, REDIS } from '../persistence';

const TIMEOUT_MS = 2_000;

export interface ReadinessResult {
  status: 'ok' | 'degraded' | 'error' | 'shutting_down';
  details: Record<string, { status: 'up' | 'down' }>;
}

@Injectable()
export class Readiness {
  constructor(
    private readonly checks: HealthCheckService,
    private readonly indicators: HealthIndicatorService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly draining: Draining,
    @Inject(REDIS) private readonly redis: Redis | null,
  ) {}

  async check(): Promise<ReadinessResult> {
    try {
      const { status, details } = await this.checks.check([
        () => this.database.pingCheck('database', { timeout: TIMEOUT_MS }),
        () => this.checkRedis(),
        () => this.checkDraining(),
      ]);
      return { status, details: statuses(details) };
    } catch (error) {
      const response = (error as { response?: { details?: object } }).response;
      return { status: 'error', details: statuses(response?.details ?? {}) };
    }
  }

  private async checkRedis() {
    const indicator = this.indicators.check('redis');
    if (!this.redis) return indicator.up();
    try {
      await answered(this.redis.ping(), TIMEOUT_MS);
      return indicator.up();
    } catch {
      return indicator.down();
    }
  }

  private checkDraining() {
    const indicator = this.indicators.check('draining');
    return Promise.resolve(this.draining.isDraining ? indicator.down() : indicator.up());
  }
}

/** The states alone: reasons may name hosts. */
function statuses(details: object): ReadinessResult['details'] {
  return Object.fromEntries(
    Object.entries(details as ReadinessResult['details']).map(([name, { status }]) => [name, { status }]),
  );
}
