import { setTimeout as sleep } from 'node:timers/promises';
import type { Closing } from '../row';
import { startOwnBackend, type OwnBackend } from '../support/own-backend';
import { Scene, type Instance } from '../support/scene';
import { Sender } from '../support/send';
import { Figures } from './figures';
import { PostgresMeter, type PostgresUse } from './postgres-meter';
import { RedisMeter, type RedisUse } from './redis-meter';

/** Nothing runs by itself that would be counted with what is measured. */
const SETTINGS = ['autovacuum=off', 'max_wal_size=8GB', 'checkpoint_timeout=1d', 'log_line_prefix=%c:'];

/** What everything together has used, at a moment. */
interface Reading {
  /** On the monotonic clock, in ms. */
  at: number;
  /** CPU of each instance, in µs. */
  serviceUs: number[];
  redis: RedisUse;
  postgres: PostgresUse;
}

/** What was used between two readings, in µs of CPU and in bytes; `seconds` is how long that was. */
export interface Use {
  seconds: number;
  serviceUs: number[];
  redisCpuUs: number;
  redisInBytes: number;
  redisOutBytes: number;
  postgresCpuUs: number;
  walBytes: number;
}

/** What was asked for, in numbers. */
export interface Counts {
  seconds: number;
  commands: number;
  statements: number;
  transactions: number;
}

/** Usage counts, audit rows and presence are written behind what causes them, within half a second. */
export const SETTLE_MS = 1_200;
const PATIENCE_MS = 60_000;

/** Two instances on a PostgreSQL and a Redis of their own, and what reads all of them. */
export class Lab {
  readonly figures = new Figures();

  private constructor(
    readonly scene: Scene,
    readonly backend: OwnBackend,
    readonly redis: RedisMeter,
    readonly postgres: PostgresMeter,
    readonly sender: Sender,
  ) {}

  static async start(closing: Closing): Promise<Lab> {
    const backend = await startOwnBackend(SETTINGS);
    const scene = closing.add(await Scene.start(2, {}, backend));
    const redis = new RedisMeter(backend.redis.url);
    const postgres = await PostgresMeter.connect(backend.postgres.url, backend.postgres.log);
    closing.add({ stop: () => postgres.stop().then(() => redis.stop()) });
    return new Lab(scene, backend, redis, postgres, closing.add(new Sender()));
  }

  /** Where calls come in. */
  get origin(): Instance {
    return this.scene.instances[0]!;
  }

  /** Where devices are, so that each call crosses. */
  get owner(): Instance {
    return this.scene.instances[1]!;
  }

  /** What devices' coming and going causes is written behind it. */
  async untilOnline(count: number): Promise<void> {
    const online = async () => {
      const [row] = await this.scene.query<{ count: number }>(
        'SELECT count(*)::int AS count FROM devices WHERE online',
      );
      return row!.count;
    };
    const giveUpAt = performance.now() + PATIENCE_MS;
    for (let seen = await online(); seen !== count; seen = await online()) {
      if (performance.now() > giveUpAt) throw new Error(`${seen} devices read as online, not ${count}`);
      await sleep(SETTLE_MS);
    }
    await sleep(SETTLE_MS);
  }

  async useDuring(work: () => Promise<unknown>): Promise<Use> {
    const before = await this.read();
    await work();
    return differenceOf(before, await this.read());
  }

  async countsDuring(work: () => Promise<unknown>): Promise<Counts> {
    const startedAt = performance.now();
    let commands = 0;
    const { statements, transactions } = await this.postgres.statementsDuring(async () => {
      commands = await this.redis.commandsDuring(async () => {
        await work();
        await sleep(SETTLE_MS);
      });
    });
    return { seconds: (performance.now() - startedAt) / 1_000, commands, statements, transactions };
  }

  private async read(): Promise<Reading> {
    await sleep(SETTLE_MS);
    return {
      at: performance.now(),
      serviceUs: await Promise.all(this.scene.instances.map(({ child }) => child.cpu())),
      redis: await this.redis.read(),
      postgres: await this.postgres.read(),
    };
  }
}

function differenceOf(before: Reading, after: Reading): Use {
  return {
    seconds: (after.at - before.at) / 1_000,
    serviceUs: after.serviceUs.map((us, i) => us - before.serviceUs[i]!),
    redisCpuUs: after.redis.cpuUs - before.redis.cpuUs,
    redisInBytes: after.redis.inBytes - before.redis.inBytes,
    redisOutBytes: after.redis.outBytes - before.redis.outBytes,
    postgresCpuUs: after.postgres.cpuUs - before.postgres.cpuUs,
    walBytes: after.postgres.walBytes - before.postgres.walBytes,
  };
}
