/**
 * Callers and writing devices in a process of their own. On `{prepare}` it learns whom it calls as; on `{closed}` it keeps
 * so many calls in flight and says how many were answered in a second; on `{open}` it begins `rate` calls a second whatever
 * becomes of them, and tells of every second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetAccount } from '../support/fleet';
import { Sender } from '../support/send';
import { Mix } from './mix';
import { Tally } from './second';

const SECOND_MS = 1_000;
const TICK_MS = 2;
/** Of a load balancer to one instance. */
const CONNECTIONS = 256;
/** In flight, past which calls are counted as failed without being sent: so much is a service that stands still. */
const MOST = 20_000;
/** Its last calls may take as long as a relayed call may. */
const LAST_MS = 35_000;

interface Order {
  prepare?: { url: string; fleet: FleetAccount[]; subscribers: string[] };
  closed?: { inFlight: number; seconds: number };
  open?: { rate: number; seconds: number };
}

const sender = new Sender(CONNECTIONS);
let mix: Mix;
let subscribers: Set<string>;
let inFlight = 0;
/** Messages that were stored in accounts with a subscription: each of them has to be delivered. */
let events = 0;
let tally = new Tally();

/** @param dueAt on the monotonic clock: latency counts from there, however late it is sent (no coordinated omission) */
async function call(dueAt: number): Promise<void> {
  const { kind, account, sending } = mix.next();
  inFlight++;
  try {
    const { status, code } = await sender.send(sending);
    if (status >= 400) tally.failed(code ?? `status ${status} without a code`);
    tally.answered(kind, performance.now() - dueAt);
    if (kind === 'append by a device' && status === 201 && subscribers.has(account.accountId)) events++;
  } catch (error) {
    tally.failed(`no answer: ${(error as NodeJS.ErrnoException).code ?? (error as Error).message}`);
  } finally {
    inFlight--;
  }
}

async function closed({ inFlight: width, seconds }: { inFlight: number; seconds: number }): Promise<number> {
  const endAt = performance.now() + seconds * SECOND_MS;
  let answered = 0;
  const lane = async () => {
    while (performance.now() < endAt) {
      await call(performance.now());
      answered++;
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  const { errors } = tally.take(0);
  if (Object.keys(errors).length > 0) throw new Error(`the ramp saw errors: ${JSON.stringify(errors)}`);
  return answered / seconds;
}

async function open({ rate, seconds }: { rate: number; seconds: number }): Promise<void> {
  const startedAt = performance.now();
  const total = Math.round(rate * seconds);
  const ticker = setInterval(() => process.send!({ second: tally.take(inFlight) }), SECOND_MS);
  for (let begun = 0; begun < total;) {
    const now = performance.now();
    for (; begun < total && startedAt + (begun * SECOND_MS) / rate <= now; begun++) {
      const dueAt = startedAt + (begun * SECOND_MS) / rate;
      tally.sentLate(now - dueAt);
      if (inFlight < MOST) void call(dueAt);
      else tally.failed('not sent: too many in flight');
    }
    await sleep(TICK_MS);
  }
  clearInterval(ticker);
  for (const giveUpAt = performance.now() + LAST_MS; inFlight > 0 && performance.now() < giveUpAt;) {
    await sleep(50);
  }
  for (let i = 0; i < inFlight; i++) tally.failed('no answer: waited for in vain');
  process.send!({ second: tally.take(inFlight), last: true });
}

process.on('message', ({ prepare, closed: ramp, open: run }: Order) => {
  if (prepare) {
    // A Buffer comes over as the object that it is in JSON.
    for (const { session } of prepare.fleet) session.key = Buffer.from(session.key);
    mix = new Mix(prepare.url, prepare.fleet);
    subscribers = new Set(prepare.subscribers);
    process.send!({ prepared: true });
  }
  if (ramp) {
    closed(ramp).then(
      (rate) => process.send!({ rate }),
      (error: Error) => process.send!({ error: error.message }),
    );
  }
  if (run) {
    tally = new Tally();
    void open(run).then(() => process.send!({ events }));
  }
});
