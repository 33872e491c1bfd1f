import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith } from '../../support/dependencies';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { createDatabaseEnvironment } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { TemporaryPostgres } from '../../support/temporary-postgres';
import { waitFor } from '../../support/wait-for';

describeWith('pg_ctl')('while the database is away', () => {
  let postgres: TemporaryPostgres;
  let service: ServiceProcess;
  let ada: ForeignAccountDevice;
  let token: string;
  beforeAll(async () => {
    postgres = await TemporaryPostgres.createCluster();
    service = await ServiceProcess.start(createDatabaseEnvironment(postgres.url));
    ada = await ForeignAccountDevice.signUp(service.http);
    token = (await ada.createToken(['sessions:read'])).token;
  });
  beforeEach(() => postgres.start());
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await postgres?.removeCluster();
  });

  async function expectUnavailable(path: string, credential: string): Promise<void> {
    const httpResponse = await service.http.get(path, credential);
    expect(httpResponse).toMatchObject({
      status: 503,
      body: {
        status: 503,
        code: 'service_unavailable',
        requestId: httpResponse.headers.get('x-request-id'),
      },
    });
    expect(httpResponse.headers.get('content-type')).toContain('application/problem+json');
    expect(Number(httpResponse.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.stringify(httpResponse.body)).not.toMatch(/ECONNREFUSED|terminat|127\.0\.0\.1:\d+"/);
  }

  async function expectServing(): Promise<void> {
    expect((await service.http.get('/external/v1/me', token)).status).toBe(200);
    expect((await service.http.get('/v1/devices', ada.token)).status).toBe(200);
    await ForeignAccountDevice.signUp(service.http);
  }

  /** The lock's connection is restored within two seconds after the database. */
  async function settled(): Promise<void> {
    await sleep(2_000);
  }

  it.each(['fast', 'immediate'] as const)(
    'every request returns 503, and succeeds afterwards (stopped %s)',
    async (mode) => {
      await expectServing();
      await postgres.stop(mode);
      for (let time = 0; time < 3; time++) {
        await expectUnavailable('/external/v1/sessions', token);
        await expectUnavailable('/v1/devices', ada.token);
        await sleep(500);
      }
      expect((await service.http.get('/health/ready')).status).toBe(503);
      expect((await service.http.get('/health/live')).status).toBe(200);
      await postgres.start();
      await expectServing();
      // The last result counts for a second.
      await waitFor(async () => expect((await service.http.get('/health/ready')).status).toBe(200));
      await settled();
      expect(service.isRunning).toBe(true);
    },
  );

  it('requests in flight get 503 during a restart, and the next ones succeed', async () => {
    const answers: number[] = [];
    let restarted = false;
    const callers = Array.from({ length: 8 }, async () => {
      while (!restarted) answers.push((await service.http.get('/v1/devices', ada.token)).status);
    });
    await waitFor(() => expect(answers).toContain(200));
    await postgres.stop('immediate');
    await waitFor(() => expect(answers).toContain(503));
    await postgres.start();
    restarted = true;
    await Promise.all(callers);
    expect(new Set(answers)).toEqual(new Set([200, 503]));
    await expectServing();
  });

  it('a call has not run if its credential could not be looked up, and may have run otherwise', async () => {
    const { token: unusedToken } = await ada.createToken(['machines:invoke']);
    const proof = await ada.signChallenge({ publicKey: ada.keys.publicKey });
    await postgres.stop('immediate');
    const invoke = await service.http.post('/external/v1/machines/mch_1/invoke', unusedToken, { command: 'x' });
    expect(invoke).toMatchObject({ status: 503, body: { code: 'service_unavailable', outcome: 'not_delivered' } });
    const signIn = { publicKey: ada.keys.publicKey, ...proof };
    const session = await service.http.post('/v1/auth/sign-in', undefined, signIn);
    expect(session).toMatchObject({ status: 503, body: { code: 'service_unavailable', outcome: 'unknown' } });
  });

  it('the service shuts down gracefully', async () => {
    await postgres.stop();
    const startedAt = Date.now();
    expect(await service.stop()).toMatchObject({ code: 0, signal: null });
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  it('the service doesn’t start and reports it in one line', async () => {
    await postgres.stop();
    const { code, stderr } = await ServiceProcess.runUntilExit(createDatabaseEnvironment(postgres.url));
    expect(code).toBe(1);
    expect(stderr).toContain('DATABASE_URL');
    expect(stderr).toContain('ECONNREFUSED');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
