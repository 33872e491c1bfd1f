/**
 * Process of the callers and the devices that write messages.
 *
 * - `{prepare}` sets the accounts.
 * - `{closed}` runs a closed loop with `inFlight` concurrent calls and reports the calls per second.
 * - `{open}` starts `rate` calls per second regardless of their responses, and reports every second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetAccount } from '../support/fleet';
import { HttpLoadClient } from '../support/http-load-client';
import { Workload } from './workload';
import { CallRecorder } from './call-recorder';

const SECOND_MS = 1_000;
const TICK_MS = 2;
/** Connections of a load balancer to one instance. */
const CONNECTIONS = 256;
/** Calls above this number in flight count as failed and are not sent: the service has stalled. */
const MAX_IN_FLIGHT = 20_000;
/** Exceeds the maximum duration of a relayed call. */
const FINAL_CALLS_TIMEOUT_MS = 35_000;

interface LoadCommand {
  prepare?: { url: string; fleet: FleetAccount[]; subscribers: string[] };
  closed?: { inFlight: number; seconds: number };
  open?: { rate: number; seconds: number };
}

const httpLoadClient = new HttpLoadClient(CONNECTIONS);
let workload: Workload;
let subscribers: Set<string>;
let inFlight = 0;
/** Messages stored in accounts with a webhook. Each of them must be delivered. */
let events = 0;
let callRecorder = new CallRecorder();

/** @param dueAt monotonic time from which latency counts, even if the call is sent later (no coordinated omission) */
async function sendCall(dueAt: number): Promise<void> {
  const { callKind: kind, account, outgoingRequest: sending } = workload.nextCall();
  inFlight++;
  try {
    const { status, code } = await httpLoadClient.sendRequest(sending);
    if (status >= 400) callRecorder.recordFailure(code ?? `status ${status} without a code`);
    callRecorder.recordAnswer(kind, performance.now() - dueAt);
    if (kind === 'append by a device' && status === 201 && subscribers.has(account.accountId)) events++;
  } catch (error) {
    callRecorder.recordFailure(`no response: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
  } finally {
    inFlight--;
  }
}

async function runClosedLoop({ inFlight: width, seconds }: { inFlight: number; seconds: number }): Promise<number> {
  const endAt = performance.now() + seconds * SECOND_MS;
  let answeredCount = 0;
  const worker = async () => {
    while (performance.now() < endAt) {
      await sendCall(performance.now());
      answeredCount++;
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  const { errors } = callRecorder.takeSecond(0);
  if (Object.keys(errors).length > 0) throw new Error(`errors in the closed loop: ${JSON.stringify(errors)}`);
  return answeredCount / seconds;
}

async function runOpenLoop({ rate, seconds }: { rate: number; seconds: number }): Promise<void> {
  const startedAt = performance.now();
  const total = Math.round(rate * seconds);
  const sampleTimer = setInterval(() => process.send!({ second: callRecorder.takeSecond(inFlight) }), SECOND_MS);
  for (let startedCount = 0; startedCount < total;) {
    const now = performance.now();
    for (; startedCount < total && startedAt + (startedCount * SECOND_MS) / rate <= now; startedCount++) {
      const dueAt = startedAt + (startedCount * SECOND_MS) / rate;
      callRecorder.recordSendDelay(now - dueAt);
      if (inFlight < MAX_IN_FLIGHT) void sendCall(dueAt);
      else callRecorder.recordFailure('not sent: too many in flight');
    }
    await sleep(TICK_MS);
  }
  clearInterval(sampleTimer);
  for (const deadline = performance.now() + FINAL_CALLS_TIMEOUT_MS; inFlight > 0 && performance.now() < deadline;) {
    await sleep(50);
  }
  for (let i = 0; i < inFlight; i++) callRecorder.recordFailure('no response: timed out');
  process.send!({ second: callRecorder.takeSecond(inFlight), last: true });
}

process.on('message', ({ prepare, closed: ramp, open: run }: LoadCommand) => {
  if (prepare) {
    // IPC serializes a Buffer as JSON.
    for (const { session } of prepare.fleet) session.key = Buffer.from(session.key);
    workload = new Workload(prepare.url, prepare.fleet);
    subscribers = new Set(prepare.subscribers);
    process.send!({ prepared: true });
  }
  if (ramp) {
    runClosedLoop(ramp).then(
      (rate) => process.send!({ rate }),
      (error: Error) => process.send!({ error: error.message }),
    );
  }
  if (run) {
    callRecorder = new CallRecorder();
    void runOpenLoop(run).then(() => process.send!({ events }));
  }
});
