import { setTimeout as sleep } from 'node:timers/promises';
import { ForeignAccountDevice } from '../../test/support/device/foreign-device';
import { DeviceSession } from '../../test/support/device/device-session';
import { BenchCleanup, type BenchmarkRow } from '../benchmark-row';
import { BenchFixture, type BenchInstance } from '../support/bench-fixture';
import { BenchProcess } from '../support/bench-process';
import { warmUpMeasurements } from '../support/read-measurement';
import { StreamClients } from '../support/stream-clients';

const CONCERNED_STREAMS = 10;
const ACCOUNTS = 20;
/** Streams of each account that no event concerns. */
const OTHER_STREAMS = 49;
const EVENTS = 1_000;
const IDLE_MS = 4_000;

export const eventFanOutRow: BenchmarkRow = {
  name: 'event-fan-out',
  figure: `CPU per event with ${CONCERNED_STREAMS + ACCOUNTS * OTHER_STREAMS} streams, ${CONCERNED_STREAMS} concerned`,
  against: `at ${CONCERNED_STREAMS} streams`,
  unit: 'µs',
  ratioGoal: { atMost: 1.3 },
  maxRounds: 5,
  openComparison: () => {
    const benchCleanup = new BenchCleanup();
    return benchCleanup.runOrClose(async () => {
      const benchFixture = benchCleanup.add(await BenchFixture.start(2));
      const [many, few] = benchFixture.instances as [BenchInstance, BenchInstance];
      // Events are committed by another process, so that only streaming is measured.
      const committer = benchCleanup.add(
        BenchProcess.start('bench/support/event-committer-process.ts', {
          DATABASE_URL: benchFixture.databaseUrl,
          REDIS_URL: benchFixture.redisUrl,
          ACCOUNT_ID: benchFixture.ada.accountId,
        }),
      );
      await committer.waitForMember('connected');
      const session = await DeviceSession.createSession(benchFixture.ada);
      const path = `/external/v1/sessions/${session.id}/events`;
      const streamClients = benchCleanup.add(new StreamClients());
      let arrivedCount = 0;
      const onEvent = () => void arrivedCount++;
      for (const { url } of [many, few]) {
        for (let n = 0; n < CONCERNED_STREAMS; n++)
          await streamClients.openStream(url + path, benchFixture.token, onEvent);
      }
      for (let n = 0; n < ACCOUNTS; n++) await openOtherStreams(many, streamClients);

      const perEvent =
        ({ benchProcess }: BenchInstance) =>
        async () => {
          const idleFrom = await benchProcess.readCpuUs();
          await sleep(IDLE_MS);
          const startedAt = performance.now();
          const before = await benchProcess.readCpuUs();
          const idlePerMs = (before - idleFrom) / IDLE_MS;
          arrivedCount = 0;
          await committer.sendRequest({ commit: { sessionId: session.id, count: EVENTS } }, 'committed');
          while (arrivedCount < EVENTS * CONCERNED_STREAMS * 2) await sleep(5);
          const usedUs = (await benchProcess.readCpuUs()) - before;
          return (usedUs - idlePerMs * (performance.now() - startedAt)) / EVENTS;
        };
      const [measured, peer] = [perEvent(many), perEvent(few)];
      await warmUpMeasurements(2, measured, peer);
      return { measured, peer, close: benchCleanup.close };
    });
  },
};

/** Opens streams of an account of its own, half of them of a session. */
async function openOtherStreams(holder: BenchInstance, clients: StreamClients): Promise<void> {
  const owner = await ForeignAccountDevice.signUp(holder.http);
  const { id } = await DeviceSession.createSession(owner);
  // A token may have ten streams.
  for (let opened = 0; opened < OTHER_STREAMS; opened += 10) {
    const { token } = await owner.createToken(['sessions:read']);
    for (let n = opened; n < Math.min(opened + 10, OTHER_STREAMS); n++) {
      const path = n % 2 === 0 ? '/external/v1/events' : `/external/v1/sessions/${id}/events`;
      await clients.openStream(holder.url + path, token);
    }
  }
}
