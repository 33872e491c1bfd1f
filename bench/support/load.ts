import { Child } from './child';

export interface LoadRequest {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

interface LoadResult {
  ok: number;
  refused: number;
  seconds: number;
}

/** Makes HTTP load from a process of its own. */
export class Load {
  private readonly child = Child.start('bench/support/load-process.cjs');

  /**
   * @param requests one for each connection, over and over
   * @returns answers per second, all of them 2xx
   */
  async throughput(url: string, requests: LoadRequest[], connections: number, seconds: number): Promise<number> {
    const load = { url, requests, connections, duration: seconds };
    const result = await this.child.ask<LoadResult>({ load }, 'load');
    if (result.refused > 0) throw new Error(`${result.refused} of ${result.ok + result.refused} calls failed`);
    return result.ok / result.seconds;
  }

  stop(): Promise<void> {
    return this.child.stop();
  }
}
