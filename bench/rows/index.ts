import type { BenchmarkRow } from '../benchmark-row';
import { agentDeviceDelayRow, agentServiceDelayRow } from './agent-event-loop';
import { agentOutputRow } from './agent-output';
import { clientConcurrentRow, clientCpuRow, clientSequentialRow } from './client-calls';
import { consolePagesRow } from './console-pages';
import { countUsageRow } from './count-usage';
import { deepPageRow } from './deep-page';
import { eventFanOutRow } from './event-fan-out';
import { eventLatencyRow } from './event-latency';
import { eventStreamMemoryRow } from './event-stream-memory';
import { getMeRow } from './get-me';
import { invocationIsolationRow, invocationRateRow } from './invocation-flood';
import { listSessionsRow } from './list-sessions';
import { outboxRow } from './outbox';
import { relayRow } from './relay';
import { relayAcrossRow } from './relay-across';
import { relayCpuRow } from './relay-cpu';
import { socketMemoryRow } from './socket-memory';
import { turnWaitsRow } from './turn-waits';
import { webhookIsolationRow } from './webhook-isolation';
import { webhookThroughputRow } from './webhook-throughput';
import { xapiStartRow } from './xapi-start';

/** All rows, in the order of the table. */
export const benchmarkRows: BenchmarkRow[] = [
  getMeRow,
  listSessionsRow,
  deepPageRow,
  countUsageRow,
  relayRow,
  relayAcrossRow,
  relayCpuRow,
  socketMemoryRow,
  agentOutputRow,
  agentDeviceDelayRow,
  agentServiceDelayRow,
  turnWaitsRow,
  eventLatencyRow,
  eventStreamMemoryRow,
  eventFanOutRow,
  invocationRateRow,
  invocationIsolationRow,
  webhookThroughputRow,
  webhookIsolationRow,
  outboxRow,
  consolePagesRow,
  clientSequentialRow,
  clientConcurrentRow,
  clientCpuRow,
  xapiStartRow,
];
