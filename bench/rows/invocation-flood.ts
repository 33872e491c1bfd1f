import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { AgentMachine } from '../support/agent-machine';
import { BenchFixture } from '../support/bench-fixture';
import { HttpLoadClient } from '../support/http-load-client';
import { warmUpMeasurements } from '../support/read-measurement';

/** 1 GB in about ten seconds. */
const FLOOD = 'for n in $(seq 100); do head -c 10000000 /dev/zero; sleep 0.1; done';
const LIMIT_BYTES = 1_048_576;
const CALLS = 800;
const CALL_INTERVAL_MS = 10;

export const invocationRateRow: BenchmarkRow = {
  name: 'invocation-rate',
  figure: 'live output per second of an invocation that writes 1 GB',
  against: '1 MiB',
  unit: 'B/s',
  ratioGoal: { atMost: 1 },
  maxRounds: 3,
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      const agentMachine = benchCleanup.add(await AgentMachine.start(benchFixture));
      const measured = async () => {
        const { bytes, durationMs } = await readFlood(benchFixture, agentMachine);
        return (bytes * 1_000) / durationMs;
      };
      return { measured, peer: () => Promise.resolve(LIMIT_BYTES), close: benchCleanup.close };
    });
  },
};

export const invocationIsolationRow: BenchmarkRow = {
  name: 'invocation-isolation',
  figure: "p99 of another account's calls while an invocation writes 1 GB",
  against: 'without it',
  unit: 'ms',
  ratioGoal: { atMost: 1.2 },
  maxRounds: 5,
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start());
      const agentMachine = benchCleanup.add(await AgentMachine.start(benchFixture));
      agentMachine.benchProcess.lowerPriority();
      const client = benchCleanup.add(new HttpLoadClient());
      const peer = () => measureP99(benchFixture, client);
      const measured = async () => {
        const flood = readFlood(benchFixture, agentMachine);
        await sleep(1_000);
        const p99 = await peer();
        await flood;
        return p99;
      };
      await warmUpMeasurements(2, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

/** Runs the flood, and reads its live output until the stream ends. */
async function readFlood({ firstInstance }: BenchFixture, agentMachine: AgentMachine) {
  const path = await agentMachine.startInvocation('sh', ['-c', FLOOD]);
  const url = `${firstInstance.url}/external/v1${path}/events`;
  const [response] = (await once(
    get(url, { headers: { Authorization: `Bearer ${agentMachine.token}` } }),
    'response',
  )) as [IncomingMessage];
  const startedAt = performance.now();
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  // Base64 and the frames of events; the last second is the wait for late output.
  return { bytes: (bytes * 3) / 4, durationMs: performance.now() - startedAt - 1_000 };
}

/** Calls at a fixed rate, whether or not earlier calls have been answered. */
async function measureP99({ firstInstance, token }: BenchFixture, client: HttpLoadClient): Promise<number> {
  const url = `${firstInstance.url}/external/v1/me`;
  const durations: number[] = [];
  const call = async () => {
    const startedAt = performance.now();
    const { status } = await client.sendRequest({ method: 'GET', url, token });
    if (status !== 200) throw new Error(`a call responded with ${status}`);
    durations.push(performance.now() - startedAt);
  };
  const calls: Promise<void>[] = [];
  for (let n = 0; n < CALLS; n++) {
    calls.push(call());
    await sleep(CALL_INTERVAL_MS);
  }
  await Promise.all(calls);
  return durations.toSorted((a, b) => a - b)[Math.floor(CALLS * 0.99)]!;
}
