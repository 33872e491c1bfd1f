import type { BenchmarkRow } from '../benchmark-row';
import { agentApprovalRow, agentOutputRow } from './agent-delays';
import { agentDeviceDelayRow, agentServiceDelayRow } from './agent-event-loop';
import { clientConcurrentRow, clientCpuRow, clientSequentialRow } from './client-calls';
import { connectDeviceRow } from './connect-device';
import { consolePagesRow } from './console-pages';
import { countUsageRow } from './count-usage';
import { cpuDeliveriesRow } from './cpu-deliveries';
import { cpuGetMeRow } from './cpu-get-me';
import { cpuGetMeFloorRow } from './cpu-get-me-floor';
import { cpuListSessionsRow } from './cpu-list-sessions';
import { cpuRelayOneRow, cpuRelayRow } from './cpu-relay';
import { consoleSessionRow, consoleSessionScriptRow } from './console-session';
import { deepPageRow } from './deep-page';
import { echoHistoryRow } from './echo-history';
import { eventFanOutRow } from './event-fan-out';
import { eventLatencyRow } from './event-latency';
import { eventStreamMemoryRow } from './event-stream-memory';
import { idleInstancesRow } from './idle-instances';
import { invocationIsolationRow, invocationRateRow } from './invocation-flood';
import { listSessionsRow } from './list-sessions';
import { memoryEmbeddedRow } from './memory-embedded';
import { outboxRow } from './outbox';
import { relayCpuRow } from './relay-cpu';
import { socketMemoryRow } from './socket-memory';
import { startEmbeddedRow, startRow } from './start';
import { turnWaitsRow } from './turn-waits';
import { missedEventsRow } from './missed-events';
import { webhookIsolationRow } from './webhook-isolation';
import { webhookThroughputRow } from './webhook-throughput';
import { xapiStartRow } from './xapi-start';

/** All rows, in the order of the table. */
export const benchmarkRows: BenchmarkRow[] = [
  cpuGetMeRow,
  cpuRelayRow,
  cpuRelayOneRow,
  cpuGetMeFloorRow,
  cpuListSessionsRow,
  cpuDeliveriesRow,
  startRow,
  startEmbeddedRow,
  memoryEmbeddedRow,
  listSessionsRow,
  deepPageRow,
  countUsageRow,
  relayCpuRow,
  idleInstancesRow,
  socketMemoryRow,
  connectDeviceRow,
  echoHistoryRow,
  agentOutputRow,
  agentApprovalRow,
  agentDeviceDelayRow,
  agentServiceDelayRow,
  turnWaitsRow,
  eventLatencyRow,
  eventStreamMemoryRow,
  eventFanOutRow,
  invocationRateRow,
  invocationIsolationRow,
  webhookThroughputRow,
  missedEventsRow,
  webhookIsolationRow,
  outboxRow,
  consolePagesRow,
  consoleSessionRow,
  consoleSessionScriptRow,
  clientSequentialRow,
  clientConcurrentRow,
  clientCpuRow,
  xapiStartRow,
];
