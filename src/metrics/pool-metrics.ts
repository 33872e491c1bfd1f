import { Injectable } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { DataSource } from 'typeorm';

/** What of `pg`'s pool tells how busy it is. */
interface Pool {
  totalCount: number;
  idleCount: number;
  /** Who waits for a connection. */
  waitingCount: number;
}

/** The connections to PostgreSQL; the embedded database has one, which is never waited for here. */
@Injectable()
export class PoolMetrics {
  constructor(registry: Registry, { driver }: DataSource) {
    new Gauge({
      name: 'database_pool_connections',
      help: 'Connections to PostgreSQL in use and idle, and calls that wait for one',
      labelNames: ['state'],
      registers: [registry],
      collect() {
        const pool = (driver as unknown as { master?: Partial<Pool> }).master;
        if (pool?.totalCount === undefined) return;
        const { totalCount, idleCount = 0, waitingCount = 0 } = pool;
        this.set({ state: 'used' }, totalCount - idleCount);
        this.set({ state: 'idle' }, idleCount);
        this.set({ state: 'waiting' }, waitingCount);
      },
    });
  }
}
