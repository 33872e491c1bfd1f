import { Redis } from 'ioredis';

/** What a Redis has used since it started. */
export interface RedisUse {
  cpuUs: number;
  inBytes: number;
  outBytes: number;
}

/** Reads a Redis that nobody else uses. */
export class RedisMeter {
  private readonly redis: Redis;

  constructor(url: string) {
    this.redis = new Redis(url);
  }

  async read(): Promise<RedisUse> {
    const info = await this.info('cpu', 'stats');
    return {
      cpuUs: (info('used_cpu_user') + info('used_cpu_sys')) * 1e6,
      inBytes: info('total_net_input_bytes'),
      outBytes: info('total_net_output_bytes'),
    };
  }

  /** Of the data alone: what connections buffer is left out. */
  async memory(): Promise<number> {
    const info = await this.info('memory');
    return info('used_memory') - info('mem_clients_normal');
  }

  /** How many commands clients sent meanwhile; what scripts call is not counted again. */
  async commandsDuring(work: () => Promise<void>): Promise<number> {
    const monitor = await this.redis.monitor();
    let seen = 0;
    monitor.on('monitor', (_time: string, [name]: string[], source: string) => {
      if (source !== 'lua' && name?.toLowerCase() !== 'info') seen++;
    });
    try {
      await work();
    } finally {
      monitor.disconnect();
    }
    return seen;
  }

  async version(): Promise<string> {
    return /redis_version:(\S+)/.exec(await this.redis.info('server'))![1]!;
  }

  stop(): void {
    this.redis.disconnect();
  }

  private async info(...sections: string[]): Promise<(name: string) => number> {
    const text = await this.redis.info(...sections);
    return (name) => Number(new RegExp(`^${name}:(\\S+)`, 'm').exec(text)![1]);
  }
}
