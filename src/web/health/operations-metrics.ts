import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { PeriodicTask } from '../../common/periodic-task';
import { Config } from '../../core/config';
import { RetentionService } from '../../core/database';
import { addGauge } from '../../core/metrics';
import { listMasters, REDIS_CLIENT, type RedisClient } from '../../core/redis';

const PING_INTERVAL_MS = 1_000;
/** Callers stop waiting for rate limits after 0.5 s and for the bus after 1 s; a connection is given up after 3 s. */
const ROUND_TRIP_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Statistics of `pg`'s pool. */
interface PoolStatistics {
  totalCount: number;
  idleCount: number;
  /** Number of callers that wait for a connection. */
  waitingCount: number;
}

/** Metrics of the database and of Redis, whose modules don't depend on the metrics module. */
@Injectable()
export class OperationsMetrics implements OnModuleInit, OnApplicationShutdown {
  private pingTask: PeriodicTask | null = null;

  constructor(
    private readonly config: Config,
    private readonly registry: Registry,
    private readonly dataSource: DataSource,
    private readonly retentionService: RetentionService,
    @Inject(REDIS_CLIENT) private readonly redis: RedisClient | null,
  ) {}

  onModuleInit(): void {
    this.addPoolState();
    this.addRetentionMetrics();
    if (this.redis) {
      this.addRedisState(this.redis);
      this.addRedisRoundTrips(this.redis);
    }
  }

  onApplicationShutdown(): void {
    void this.pingTask?.stop();
  }

  /** The embedded database has a single connection and no pool. */
  private addPoolState(): void {
    const { driver } = this.dataSource;
    new Gauge({
      name: 'database_pool_connections',
      help: 'Connections to PostgreSQL that are used or idle, and calls waiting for one',
      labelNames: ['state'],
      registers: [this.registry],
      collect() {
        const pool = (driver as unknown as { master?: Partial<PoolStatistics> }).master;
        if (pool?.totalCount === undefined) return;
        const { totalCount, idleCount = 0, waitingCount = 0 } = pool;
        this.set({ state: 'used' }, totalCount - idleCount);
        this.set({ state: 'idle' }, idleCount);
        this.set({ state: 'waiting' }, waitingCount);
      },
    });
  }

  private addRetentionMetrics(): void {
    const registers = [this.registry];
    const deletedRows = new Counter({
      name: 'retention_deleted_rows_total',
      help: 'Expired rows that this instance has deleted',
      labelNames: ['table'],
      registers,
    });
    const unfinishedTables = new Gauge({
      name: 'retention_unfinished',
      help: 'Whether the last run of this instance left expired rows in the table',
      labelNames: ['table'],
      registers,
    });
    this.retentionService.completedRuns.subscribe(({ table, deletedRowCount, isFinished }) => {
      deletedRows.inc({ table }, deletedRowCount);
      unfinishedTables.set({ table }, isFinished ? 0 : 1);
    });
  }

  private addRedisState(redis: RedisClient): void {
    addGauge(this.registry, 'redis_up', 'Whether the connection to Redis is ready', () =>
      redis.status === 'ready' ? 1 : 0,
    );
  }

  /**
   * Measures a PING each second on the connection of the rate limits, in a cluster to each master. Timing every command
   * instead would cost each request time and say the same. A PING without an answer is not measured: then the
   * connection isn't ready any more.
   */
  private addRedisRoundTrips(redis: RedisClient): void {
    const roundTrips = new Histogram({
      name: 'redis_round_trip_seconds',
      help: 'Time from sending a PING to Redis to its answer, once a second',
      buckets: ROUND_TRIP_BUCKETS,
      registers: [this.registry],
    });
    if (this.config.metricsPort === null) return;
    this.pingTask = new PeriodicTask('Redis round trip measurement', PING_INTERVAL_MS, async () => {
      if (redis.status !== 'ready') return;
      await Promise.all(listMasters(redis).map((master) => this.measureRoundTrip(master, roundTrips)));
    });
    this.pingTask.start();
  }

  private async measureRoundTrip(server: Redis, roundTrips: Histogram): Promise<void> {
    const sentAt = performance.now();
    const isAnswered = await server.ping().then(
      () => true,
      () => false,
    );
    if (isAnswered) roundTrips.observe((performance.now() - sentAt) / 1_000);
  }
}
