import { setTimeout as sleep } from 'node:timers/promises';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { DeviceSession } from '../support/device/device-session';
import { waitFor } from '../support/wait-for';
import { findFreePort } from '../support/find-free-port';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../support/postgres';
import { ServiceProcess } from '../support/service-process';
import { parseMetricSamples } from './support/prometheus';
import { TcpProxy } from './support/tcp-proxy';
import { TrafficGenerator } from './support/traffic-generator';

const SILENT_MS = 15_000;
const READERS = 40;
const WRITERS = 6;
/** Takes ten seconds on an idle machine. */
const BACK_WITHIN_MS = 20_000;

/** Simulates a failover or a firewall that drops packets: no connection closes, and data is lost. */
describeWithPostgres('PostgreSQL that falls silent for 15 s under load', () => {
  let testDatabase: TestDatabase;
  let way: TcpProxy;
  let service: ServiceProcess;
  let metricsPort: number;
  let ada: ForeignAccountDevice;
  let token: string;
  let reading: TrafficGenerator;
  let writing: TrafficGenerator[];

  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    const url = new URL(testDatabase.url);
    way = await TcpProxy.start(Number(url.port || 5432));
    url.host = `127.0.0.1:${way.port}`;
    metricsPort = await findFreePort();
    service = await ServiceProcess.start({
      ...testDatabase.env,
      DATABASE_URL: url.href,
      METRICS_PORT: String(metricsPort),
      RATE_LIMIT_METADATA: '1000000',
    });
    ada = await ForeignAccountDevice.signUp(service.http);
    token = (await ada.createToken(['sessions:read'])).token;
  }, 60_000);
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await way?.cutConnections();
    await testDatabase?.dropDatabase();
  });

  const used = async (): Promise<number> => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const sample = parseMetricSamples(text).find(
      ({ name, labels }) => name === 'database_pool_connections' && labels.state === 'used',
    );
    return sample!.value;
  };
  const readStatuses = () =>
    new Set([reading, ...writing].flatMap(({ calls }) => calls.map(({ answer }) => answer?.status)));
  const openTransactions = () =>
    testDatabase.query(
      `SELECT pid, state FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    );

  it('is used by the instance again soon after the outage', async () => {
    const sessions = await Promise.all(Array.from({ length: WRITERS }, () => DeviceSession.createSession(ada)));
    reading = new TrafficGenerator(() => service.http.get('/external/v1/sessions', token), READERS);
    writing = sessions.map((session, writer) => {
      let n = 0;
      return new TrafficGenerator(() => session.postMessages([session.encryptMessage(`${writer}-${++n}`)]), 1);
    });
    // Slow machines need longer for the first answers.
    await waitFor(() => expect([...readStatuses()].sort()).toEqual([200, 201]), 20_000);
    way.discardTraffic();
    await sleep(SILENT_MS);
    expect(way.connectionCount).toBeGreaterThan(10);
    await way.restoreTraffic();

    for (const [path, bearer] of [['/health/ready'], ['/external/v1/me', token]] as const)
      await waitFor(async () => expectStatus(await service.http.get(path, bearer), 200), BACK_WITHIN_MS);
    expect((await service.http.get('/health/live')).status).toBe(200);
  }, 60_000);

  it('returns errors to callers during the outage and serves all of them afterwards', async () => {
    expect([...readStatuses()].sort()).toEqual([200, 201, 503]);
    const before = reading.calls.length;
    await waitFor(() => {
      const late = reading.calls.slice(before);
      expect(late.length).toBeGreaterThan(50);
      expect(late.slice(-20).map(({ answer }) => answer?.status)).toEqual(Array(20).fill(200));
    }, BACK_WITHIN_MS);
    await Promise.all([reading, ...writing].map((traffic) => traffic.stopCallers()));
  }, 60_000);

  it('has no leaked connections and open transactions afterwards', async () => {
    await waitFor(async () => expect(await used()).toBe(0), 10_000);
    await waitFor(async () => expect(await openTransactions()).toEqual([]), BACK_WITHIN_MS);
  }, 70_000);

  it('continues usage counts and credential checks, and restores the lock', async () => {
    const session = await ada.createToken(['sessions:read']);
    expectStatus(await service.http.delete(`/v1/account/external-tokens/${session.id}`, ada.token), 204);
    const calls = 3;
    const usage = async () =>
      (
        await testDatabase.query<{ sum: string }>(
          `SELECT coalesce(sum(requests), 0) AS sum FROM usage_counts
            WHERE operation LIKE '%me%' OR operation LIKE '%Me%'`,
        )
      )[0]!.sum;
    const before = Number(await usage());
    for (let n = 0; n < calls; n++) expectStatus(await service.http.get('/external/v1/me', token), 200);
    await waitFor(async () => expect(Number(await usage())).toBe(before + calls), 10_000);
    expect(service.isRunning).toBe(true);
    const second = await ServiceProcess.runUntilExit(testDatabase.env);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('Another instance') });
  }, 60_000);
});
