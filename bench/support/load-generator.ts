import { BenchProcess } from './bench-process';

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

/** Generates HTTP load from its own process. */
export class LoadGenerator {
  private readonly benchProcess = BenchProcess.start('bench/support/load-process.cjs');

  /**
   * @param requests one for each connection, which repeats it
   * @returns 2xx responses per second
   */
  async measureThroughput(url: string, requests: LoadRequest[], connections: number, seconds: number): Promise<number> {
    const load = { url, requests, connections, duration: seconds };
    const result = await this.benchProcess.sendRequest<LoadResult>({ load }, 'load');
    if (result.refused > 0) throw new Error(`${result.refused} of ${result.ok + result.refused} calls failed`);
    return result.ok / result.seconds;
  }

  stop(): Promise<void> {
    return this.benchProcess.stop();
  }
}
