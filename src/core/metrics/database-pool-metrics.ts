import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { DataSource } from 'typeorm';

/** Statistics of `pg`'s pool. */
interface PoolStatistics {
  totalCount: number;
  idleCount: number;
  /** Number of callers that wait for a connection. */
  waitingCount: number;
}

/** Metrics of the connection pool. The embedded database has a single connection. */
@Injectable()
export class DatabasePoolMetrics {
  constructor(registry: Registry, { driver }: DataSource) {
    new Gauge({
      name: 'database_pool_connections',
      help: 'Connections to PostgreSQL that are used or idle, and calls waiting for one',
      labelNames: ['state'],
      registers: [registry],
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
}
