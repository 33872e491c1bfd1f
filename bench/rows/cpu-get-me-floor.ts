import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { RedisProcess } from '../../test/support/redis-process';
import { BenchProcess } from '../support/bench-process';
import type { CallSample, CpuSide } from '../support/call-cpu';
import type { OutgoingRequest } from '../support/http-load-client';
import { openCpuComparison } from './cpu-comparison';
import { startGetMeService } from './cpu-get-me';

const CALL_SAMPLE: CallSample = { calls: 4_000, inFlight: 32 };
/** Headers that Node.js or the peer sets itself. */
const OWN_HEADERS = new Set(['connection', 'keep-alive', 'date', 'x-ratelimit-remaining']);

export const cpuGetMeFloorRow: BenchmarkRow = {
  name: 'cpu-get-me-floor',
  figure: `CPU of GET /me, ${CALL_SAMPLE.inFlight} in flight`,
  against: 'bare node:http with the same headers and body, and one draw in Redis',
  unit: 'µs',
  ratioGoal: { atMost: 2.2 },
  openComparison: () => openCpuComparison(CALL_SAMPLE, startGetMeService, startBareServer),
};

async function startBareServer(benchCleanup: BenchCleanup, { requests: [request] }: CpuSide): Promise<CpuSide> {
  const redis = await RedisProcess.start();
  benchCleanup.add({ stop: () => redis.removeProcess() });
  const env = { REDIS_URL: redis.url, ...(await readResponse(request!)) };
  const bare = benchCleanup.add(BenchProcess.start('bench/peers/bare-draw.ts', env));
  const url = `http://127.0.0.1:${await bare.waitForMember<number>('port')}/`;
  const measuredParts = { service: () => [bare.pid], Redis: () => [redis.pid] };
  return { measuredParts, requests: [{ ...request!, url }] };
}

/** Returns the headers and the body of the service's response as variables of the peer. */
async function readResponse({ url, token }: OutgoingRequest): Promise<{ HEADERS: string; BODY: string }> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
  const headers = [...response.headers].filter(([name]) => !OWN_HEADERS.has(name));
  return { HEADERS: JSON.stringify(Object.fromEntries(headers)), BODY: await response.text() };
}
