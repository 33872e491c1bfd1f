import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService, HealthIndicatorService } from '@nestjs/terminus';
import { ShutdownState } from '../../common/shutdown-state';
import { pingAnyMaster, withTimeout, REDIS_CLIENT, type RedisClient } from '../../core/redis';
import { DatabaseCheckRepository } from './database-check.repository';

const DATABASE_TIMEOUT_MS = 2_000;
/** Anybody may ask, as often as they like, so the database is checked once in this time. */
const DATABASE_RESULT_TTL_MS = 1_000;
/** Shorter than the timeout of any prober: a silent Redis must not make the check itself fail. */
const REDIS_TIMEOUT_MS = 500;

export interface ReadinessResult {
  /** Whether the instance should receive requests. */
  isReady: boolean;
  details: Record<string, { status: 'up' | 'down' }>;
}

/**
 * Checks whether this instance should receive requests: its database works and it is not shutting down. Redis
 * decides only on request: without it, an instance serves everything except relayed calls to devices of other
 * instances, and a load balancer without a fallback would have no instance at all during an outage.
 */
@Injectable()
export class ReadinessService {
  private readonly logger = new Logger('Readiness');
  private loggedDown = '';
  private databaseFailure: string | null = null;
  private lastDatabaseCheck: { startedAt: number; isRunning: boolean; failure: Promise<string | null> } | undefined;

  constructor(
    private readonly healthCheckService: HealthCheckService,
    private readonly healthIndicatorService: HealthIndicatorService,
    private readonly databaseCheckRepository: DatabaseCheckRepository,
    private readonly shutdownState: ShutdownState,
    @Inject(REDIS_CLIENT) private readonly redis: RedisClient | null,
  ) {}

  async checkReadiness(requiresRedis: boolean): Promise<ReadinessResult> {
    const details = await this.checkEverything();
    this.logChange(details);
    const isReady = Object.entries(details).every(
      ([name, { status }]) => status === 'up' || (name === 'redis' && !requiresRedis),
    );
    return { isReady, details };
  }

  /** Logs results that differ from the last ones only, since load balancers check several times a second. */
  private logChange(details: ReadinessResult['details']): void {
    const down = Object.keys(details).filter((name) => details[name]!.status === 'down');
    const downText = down.sort().join(', ');
    if (downText === this.loggedDown) return;
    this.loggedDown = downText;
    const reason = this.databaseFailure ?? undefined;
    if (down.length > 0) this.logger.warn({ down, reason }, 'readiness changed');
    else this.logger.log({ down }, 'readiness changed');
  }

  private async checkEverything(): Promise<ReadinessResult['details']> {
    try {
      return toReportedDetails(
        await this.healthCheckService.check([
          () => this.checkDatabase(),
          () => this.checkRedis(),
          () => this.checkShutdownState(),
        ]),
      );
    } catch (error) {
      // Terminus throws if anything is down, and while it shuts down.
      const { response } = error as { response?: Partial<HealthCheckResult> };
      if (!response?.details || !response.status) throw error;
      return toReportedDetails({ status: response.status, details: response.details });
    }
  }

  private async checkDatabase() {
    const indicator = this.healthIndicatorService.check('database');
    this.databaseFailure = await this.findDatabaseFailure();
    return this.databaseFailure === null ? indicator.up() : indicator.down();
  }

  /** Returns the failure of the last check, or of a new one if it is too old. One check runs at a time. */
  private findDatabaseFailure(): Promise<string | null> {
    const last = this.lastDatabaseCheck;
    const now = performance.now();
    if (last && (last.isRunning || now - last.startedAt < DATABASE_RESULT_TTL_MS)) return last.failure;
    const result = this.databaseCheckRepository.checkDatabase().then(
      () => null,
      ({ message }: Error) => message,
    );
    const check = { startedAt: now, isRunning: true, failure: limitTime(result) };
    void result.then(() => (check.isRunning = false));
    this.lastDatabaseCheck = check;
    return check.failure;
  }

  /** A cluster is up if any master answers, since each serves its own accounts and instances. */
  private async checkRedis() {
    const indicator = this.healthIndicatorService.check('redis');
    if (!this.redis) return indicator.up();
    try {
      await withTimeout(pingAnyMaster(this.redis), REDIS_TIMEOUT_MS);
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

/**
 * Keeps only the states, since reasons may contain host names. Terminus knows of a shutdown first: modules that wait
 * for work, such as attempts of webhooks, may keep the instance from draining.
 */
function toReportedDetails(result: Pick<HealthCheckResult, 'status' | 'details'>): ReadinessResult['details'] {
  const details = Object.entries(result.details).map(([name, { status }]) => [name, { status }]);
  const reported = Object.fromEntries(details) as ReadinessResult['details'];
  return result.status === 'shutting_down' ? { ...reported, draining: { status: 'down' } } : reported;
}

/** Reports a database that doesn't respond in time. */
async function limitTime(result: Promise<string | null>): Promise<string | null> {
  const timeLimit = new AbortController();
  const expired = sleep(DATABASE_TIMEOUT_MS, 'it did not respond in time', { signal: timeLimit.signal });
  const first = await Promise.race([result, expired.catch(() => null)]);
  timeLimit.abort();
  return first;
}
