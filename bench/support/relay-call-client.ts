import { Agent, request } from 'node:http';

const INVOKE_BODY = JSON.stringify({ command: 'git', args: ['status', '--short'] });

/** Relayed call from an instance to a machine. */
export interface RelayTarget {
  url: string;
  machineId: string;
}

/** Times each relayed call, more precisely than a load generator. */
export class RelayCallClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly token: string) {}

  /** Makes `count` calls, at most `inFlight` concurrently, and returns the duration of each in ms. */
  async measureCalls(calls: RelayTarget[], count: number, inFlight: number): Promise<number[]> {
    const durations: number[] = [];
    let startedCount = 0;
    const worker = async () => {
      while (startedCount < count) {
        const relayTarget = calls[startedCount++ % calls.length]!;
        const startedAt = performance.now();
        await this.invokeMachine(relayTarget);
        durations.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    return durations;
  }

  stop(): Promise<void> {
    this.agent.destroy();
    return Promise.resolve();
  }

  private invokeMachine({ url, machineId }: RelayTarget): Promise<void> {
    const headers = {
      Authorization: `Bearer ${this.token}`,
      'Content-Type': 'application/json',
      'Content-Length': INVOKE_BODY.length,
    };
    const path = `${url}/external/v1/machines/${machineId}/invoke`;
    return new Promise((resolve, reject) => {
      const call = request(path, { method: 'POST', agent: this.agent, headers }, (answer) => {
        answer.resume().once('error', reject);
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve();
          else reject(new Error(`a call failed with ${answer.statusCode}`));
        });
      });
      call.once('error', reject).end(INVOKE_BODY);
    });
  }
}
