import { Inject, Injectable } from '@nestjs/common';
import { HealthCheckService, HealthIndicatorService, TypeOrmHealthIndicator } from '@nestjs/terminus';
import type { Redis } from 'ioredis';
import { ShutdownState } from '../../common/shutdown-state';
import { withTimeout, REDIS_CLIENT } from '../../core/redis';

const CHECK_TIMEOUT_MS = 2_000;

export interface ReadinessResult {
  status: 'ok' | 'degraded' | 'error' | 'shutting_down';
  details: Record<string, { status: 'up' | 'down' }>;
}

@Injectable()
export class ReadinessService {
  constructor(
    private readonly healthCheckService: HealthCheckService,
    private readonly healthIndicatorService: HealthIndicatorService,
    private readonly database: TypeOrmHealthIndicator,
    private readonly shutdownState: ShutdownState,
    @Inject(REDIS_CLIENT) private readonly redis: Redis | null,
  ) {}

  async checkReadiness(): Promise<ReadinessResult> {
    try {
      const { status, details } = await this.healthCheckService.check([
        () => this.database.pingCheck('database', { timeout: CHECK_TIMEOUT_MS }),
        () => this.checkRedis(),
        () => this.checkShutdownState(),
      ]);
      return { status, details: toStatuses(details) };
    } catch (error) {
      const response = (error as { response?: { details?: object } }).response;
      return { status: 'error', details: toStatuses(response?.details ?? {}) };
    }
  }

  private async checkRedis() {
    const indicator = this.healthIndicatorService.check('redis');
    if (!this.redis) return indicator.up();
    try {
      await withTimeout(this.redis.ping(), CHECK_TIMEOUT_MS);
      return indicator.up();
    } catch {
      return indicator.down();
    }
  }

  private checkShutdownState() {
    const indicator = this.healthIndicatorService.check('draining');
    return Promise.resolve(this.shutdownState.isDraining ? indicator.down() : indicator.up());
  }
}

/** Keeps only the states, since reasons may contain host names. */
function toStatuses(details: object): ReadinessResult['details'] {
  return Object.fromEntries(
    Object.entries(details as ReadinessResult['details']).map(([name, { status }]) => [name, { status }]),
  );
}
