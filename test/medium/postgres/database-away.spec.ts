import { setTimeout as sleep } from 'node:timers/promises';
import { AccountDevice } from '../../support/device/foreign-device';
import { environmentFor } from '../../support/postgres';
import { ServiceProcess } from '../../support/service-process';
import { describeOwnPostgres, ThrowAwayPostgres } from '../../support/throw-away-postgres';

describeOwnPostgres('while the database is away', () => {
  let postgres: ThrowAwayPostgres;
  let service: ServiceProcess;
  let ada: AccountDevice;
  let token: string;
  beforeAll(async () => {
    postgres = await ThrowAwayPostgres.create();
    service = await ServiceProcess.start(environmentFor(postgres.url));
    ada = await AccountDevice.signUp(service.http);
    token = (await ada.createToken(['sessions:read'])).token;
  });
  beforeEach(() => postgres.start());
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await postgres?.remove();
  });

  async function expectUnavailable(path: string, credential: string): Promise<void> {
    const answer = await service.http.get(path, credential);
    expect(answer).toMatchObject({
      status: 503,
      body: {
        status: 503,
        code: 'service_unavailable',
        requestId: answer.headers.get('x-request-id'),
      },
    });
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(JSON.stringify(answer.body)).not.toMatch(/ECONNREFUSED|terminat|127\.0\.0\.1:\d+"/);
  }

  async function expectServing(): Promise<void> {
    expect((await service.http.get('/external/v1/me', token)).status).toBe(200);
    expect((await service.http.get('/v1/devices', ada.token)).status).toBe(200);
    await AccountDevice.signUp(service.http);
  }

  /** The lock's connection comes back within a second or two of the database. */
  async function settled(): Promise<void> {
    await sleep(2_000);
  }

  it.each(['fast', 'immediate'] as const)(
    'every request says so, and all is well when it is back (stopped %s)',
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
      expect((await service.http.get('/health/ready')).status).toBe(200);
      await settled();
      expect(service.isRunning).toBe(true);
    },
  );

  it('requests in flight fail clearly when it restarts under them, and the next ones succeed', async () => {
    const answers: number[] = [];
    let restarted = false;
    const callers = Array.from({ length: 8 }, async () => {
      while (!restarted) answers.push((await service.http.get('/v1/devices', ada.token)).status);
    });
    await sleep(200);
    await postgres.stop('immediate');
    await postgres.start();
    restarted = true;
    await Promise.all(callers);
    expect(new Set(answers)).toEqual(new Set([200, 503]));
    await expectServing();
  });

  it('it can be stopped cleanly all the same', async () => {
    await postgres.stop();
    const startedAt = Date.now();
    expect(await service.stop()).toMatchObject({ code: 0, signal: null });
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  it('it does not start, and says in one line that it cannot reach it', async () => {
    await postgres.stop();
    const { code, stderr } = await ServiceProcess.run(environmentFor(postgres.url));
    expect(code).toBe(1);
    expect(stderr).toContain('DATABASE_URL');
    expect(stderr).toContain('ECONNREFUSED');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
