import { findFreePort } from '../../test/support/find-free-port';
import type { BenchCleanup } from '../benchmark-row';
import { BenchProcess } from '../support/bench-process';
import { DevicePool } from '../support/device-pool';
import { insertFleet, type FleetAccount } from '../support/fleet';
import { startDedicatedBackend, type DedicatedBackend } from '../support/dedicated-backend';
import { BenchFixture } from '../support/bench-fixture';
import { StreamClients } from '../support/stream-clients';
import { AgentTurns } from './agent-turns';
import { createWebhookWithToken, EndpointProcess } from '../support/webhook-endpoint';

const MACHINES_PER_ACCOUNT = 5;
/** One of this many accounts has a webhook and an open event stream. */
const ACCOUNTS_PER_SUBSCRIBER = 5;
/** Limits the devices per process, so that their number doesn't delay their answers. */
const DEVICES_PER_PROCESS = 2_500;

/** Running parts of a soak: an instance, its devices, the callers and a webhook endpoint. */
export interface SoakSetup {
  backend: DedicatedBackend;
  benchFixture: BenchFixture;
  load: BenchProcess;
  endpointProcess: EndpointProcess;
  agentTurns: AgentTurns;
  /** Events that have arrived at the streams. */
  streamedEvents: { count: number };
  metricsUrl: string;
}

export async function startSoakSetup(benchCleanup: BenchCleanup, devices: number): Promise<SoakSetup> {
  const metricsPort = await findFreePort();
  const backend = await startDedicatedBackend(['fsync=on']);
  const benchFixture = benchCleanup.add(await BenchFixture.start(1, { METRICS_PORT: String(metricsPort) }, backend));
  const endpointProcess = benchCleanup.add(await EndpointProcess.start());
  const fleet = await insertFleet(benchFixture, Math.ceil(devices / MACHINES_PER_ACCOUNT), MACHINES_PER_ACCOUNT);
  const subscribers = fleet.filter((_, i) => i % ACCOUNTS_PER_SUBSCRIBER === 0);
  for (const { token } of subscribers)
    await createWebhookWithToken(benchFixture, token, endpointProcess.url, ['message.created']);
  const streamedEvents = await openStreams(benchCleanup, benchFixture, subscribers);
  const agentTurns = await AgentTurns.startAgents(benchCleanup, benchFixture);
  await connectDevices(benchCleanup, benchFixture, listDeviceTokens(fleet).slice(0, devices));
  await benchFixture.firstInstance.benchProcess.watchRetainedMemory();

  const load = benchCleanup.add(BenchProcess.start('bench/soak/load-process.ts'));
  const prepare = {
    url: benchFixture.firstInstance.url,
    fleet,
    subscribers: subscribers.map(({ accountId }) => accountId),
  };
  await load.sendRequest({ prepare }, 'prepared');
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  return { backend, benchFixture, load, endpointProcess, agentTurns, streamedEvents, metricsUrl };
}

/** Opens a stream of each account, of the events that its webhook receives as well. */
async function openStreams(
  benchCleanup: BenchCleanup,
  { firstInstance: { url } }: BenchFixture,
  subscribers: FleetAccount[],
): Promise<{ count: number }> {
  const streamClients = benchCleanup.add(new StreamClients());
  const streamedEvents = { count: 0 };
  for (const { token } of subscribers) {
    const count = () => void streamedEvents.count++;
    await streamClients.openStream(`${url}/external/v1/events?types=message.created`, token, count);
  }
  return streamedEvents;
}

async function connectDevices(benchCleanup: BenchCleanup, benchFixture: BenchFixture, tokens: string[]): Promise<void> {
  for (let from = 0; from < tokens.length; from += DEVICES_PER_PROCESS) {
    const devicePool = benchCleanup.add(new DevicePool());
    await devicePool.connectDevices(benchFixture.firstInstance.url, tokens.slice(from, from + DEVICES_PER_PROCESS));
  }
}

function listDeviceTokens(fleet: FleetAccount[]): string[] {
  return fleet.flatMap(({ machines }) => machines.map(({ token }) => token));
}
