import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { SERVICE_CONNECTIONS } from '../support/backend-cpu';

const SAMPLE_INTERVAL_MS = 100;

/** State of the service's connections in the samples of one second. */
export interface DatabaseWait {
  /** Connections in this state, mean of the samples. */
  connections: number;
  /** Share of the samples with such a connection, 0 to 1. */
  share: number;
}

export interface DatabaseSecond {
  /** By `wait_event_type:wait_event`, or `running`, or `idle in transaction`. Idle connections are not included. */
  waits: Record<string, DatabaseWait>;
  /** Longest round trip of a PING to Redis, in ms. */
  redisMs: number;
}

/** Samples what the service's connections to PostgreSQL wait for, and the round trip to Redis, ten times a second. */
export class DatabaseSampler {
  private samples: string[][] = [];
  private redisMs = 0;
  private isStopped = false;
  private loops: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly client: Client,
    private readonly redis: Redis,
  ) {}

  static async start(databaseUrl: string, redisUrl: string): Promise<DatabaseSampler> {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    const sampler = new DatabaseSampler(client, new Redis(redisUrl));
    sampler.loops = Promise.all([sampler.repeat(() => sampler.sampleWaits()), sampler.repeat(() => sampler.ping())]);
    return sampler;
  }

  /** Returns the samples since the last call. */
  takeSecond(): DatabaseSecond {
    const { samples, redisMs } = this;
    this.samples = [];
    this.redisMs = 0;
    return { waits: summarizeWaits(samples), redisMs };
  }

  stop = async (): Promise<void> => {
    this.isStopped = true;
    await this.loops;
    await this.client.end();
    this.redis.disconnect();
  };

  private async repeat(sample: () => Promise<void>): Promise<void> {
    while (!this.isStopped) {
      await sample();
      await sleep(SAMPLE_INTERVAL_MS);
    }
  }

  private async sampleWaits(): Promise<void> {
    const { rows } = await this.client.query<{ wait: string }>({
      name: 'waits',
      text: `SELECT CASE WHEN state = 'active' THEN coalesce(wait_event_type || ':' || wait_event, 'running')
                         ELSE 'idle in transaction' END AS wait
               FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'`,
      values: [SERVICE_CONNECTIONS],
    });
    this.samples.push(rows.map(({ wait }) => wait));
  }

  private async ping(): Promise<void> {
    const sentAt = performance.now();
    await this.redis.ping();
    this.redisMs = Math.max(this.redisMs, performance.now() - sentAt);
  }
}

/** @param samples states of the connections that were not idle, by sample */
export function summarizeWaits(samples: readonly string[][]): Record<string, DatabaseWait> {
  const waits: Record<string, DatabaseWait> = {};
  for (const name of new Set(samples.flat())) {
    const counts = samples.map((sample) => sample.filter((wait) => wait === name).length);
    waits[name] = {
      connections: counts.reduce((sum, count) => sum + count, 0) / samples.length,
      share: counts.filter((count) => count > 0).length / samples.length,
    };
  }
  return waits;
}
