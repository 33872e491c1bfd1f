import { Agent, request } from 'node:http';

const BODY = JSON.stringify({ command: 'git', args: ['status', '--short'] });

/** One relayed call from instance to machine. */
export interface Call {
  url: string;
  machineId: string;
}

/** Relayed calls one by one, timed more finely than a load generator does. */
export class Caller {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly token: string) {}

  /** Calls `calls` in turn until there were `count`, never more than `inFlight` at once; ms of each. */
  async run(calls: Call[], count: number, inFlight: number): Promise<number[]> {
    const took: number[] = [];
    let begun = 0;
    const lane = async () => {
      while (begun < count) {
        const call = calls[begun++ % calls.length]!;
        const startedAt = performance.now();
        await this.invoke(call);
        took.push(performance.now() - startedAt);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, lane));
    return took;
  }

  stop(): Promise<void> {
    this.agent.destroy();
    return Promise.resolve();
  }

  private invoke({ url, machineId }: Call): Promise<void> {
    const headers = {
      Authorization: `Bearer ${this.token}`,
      'Content-Type': 'application/json',
      'Content-Length': BODY.length,
    };
    const path = `${url}/external/v1/machines/${machineId}/invoke`;
    return new Promise((resolve, reject) => {
      const call = request(path, { method: 'POST', agent: this.agent, headers }, (answer) => {
        answer.resume().once('error', reject);
        answer.once('end', () => {
          if (answer.statusCode === 200) resolve();
          else reject(new Error(`a call was answered with ${answer.statusCode}`));
        });
      });
      call.once('error', reject).end(BODY);
    });
  }
}
