import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { Counter, Gauge, Registry } from 'prom-client';
import { DataSource } from 'typeorm';
import { RetentionService } from '../../core/database';
import { REDIS_CLIENT } from '../../core/redis';

/** Statistics of `pg`'s pool. */
interface PoolStatistics {
  totalCount: number;
  idleCount: number;
  /** Number of callers that wait for a connection. */
  waitingCount: number;
}

/** Metrics of the database and of Redis, whose modules don't depend on the metrics module. */
@Injectable()
export class OperationsMetrics implements OnModuleInit {
  constructor(
    private readonly registry: Registry,
    private readonly dataSource: DataSource,
    private readonly retentionService: RetentionService,
    @Inject(REDIS_CLIENT) private readonly redis: Redis | null,
  ) {}

  onModuleInit(): void {
    this.addPoolState();
    this.addRetentionMetrics();
    if (this.redis) this.addRedisState(this.redis);
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

  private addRedisState(redis: Redis): void {
    new Gauge({
      name: 'redis_up',
      help: 'Whether the connection to Redis is ready',
      registers: [this.registry],
      collect() {
        this.set(redis.status === 'ready' ? 1 : 0);
      },
    });
  }
}
