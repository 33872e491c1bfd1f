import { REDIS_URL } from '../../support/backend';
import { DeviceSocket, echoRequest } from '../../support/device/device-socket';
import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { QueuedSession } from '../../support/queued-session';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

const WEBHOOK = { url: 'https://example.com/hook', events: ['message.created'] };
const SCOPES = ['machines:read', 'machines:invoke', 'sessions:read', 'sessions:write', 'webhooks:manage'];
/** How long the service may take to notice the end of the outage. */
const RECOVERY_MS = 5_000;

/** What providers do with a full disk, and what a demoted primary looks like. */
describeWithPostgres('while the database refuses writes', () => {
  let testDatabase: TestDatabase;
  let service: ServiceProcess;
  let ada: ForeignAccountDevice;
  let token: string;
  let app: ThirdPartyApp;
  let machine: { device: ForeignDevice; sessionId: string };
  let socket: DeviceSocket;
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    service = await ServiceProcess.start(testDatabase.env);
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(SCOPES));
    app = await ThirdPartyApp.register(ada);
    const device = await ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const { id } = expectStatus(await service.http.post('/v1/machines', device.token, body), 201).data;
    machine = { device, sessionId: (await ada.createSession(device, { machineId: id })).id };
    socket = await connect();
  });
  afterAll(async () => {
    socket?.close();
    await service?.stop('SIGKILL');
    await testDatabase?.dropDatabase();
  });

  const connect = () =>
    DeviceSocket.connect(`http://127.0.0.1:${service.port}`, machine.device.token, ['session.message'], echoRequest);
  const createWebhook = () => service.http.post('/external/v1/webhooks', token, WEBHOOK);
  const setReadOnly = async (value: 'on' | 'off') => {
    const name = new URL(testDatabase.url).pathname.slice(1);
    const statements = [
      'BEGIN READ WRITE',
      `ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`,
      'COMMIT',
    ];
    await testDatabase.query(statements.join(';'));
  };
  const endSessions = () =>
    testDatabase.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
  const expectUnavailable = (response: HttpResponse) => {
    expect(response).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  };

  it('every write is 503 with Retry-After, reads go on, and all is well seconds after its cure', async () => {
    const queue = new QueuedSession(service.http, token, machine.sessionId);
    const queuedId = await queue.queueMessage('later', { notBefore: Date.now() + 2_000 });
    await setReadOnly('on');
    await endSessions();
    await waitFor(async () => expect((await service.http.get('/health/ready')).status).toBe(503));

    for (let time = 0; time < 3; time++) expectUnavailable(await createWebhook());
    await expect(ForeignAccountDevice.signUp(service.http)).rejects.toThrow('service_unavailable');
    expectUnavailable(await ada.http.post('/v1/account/external-tokens', ada.token, { name: 'x', scopes: SCOPES }));
    await expect(ada.createSession(machine.device)).rejects.toThrow('service_unavailable');
    expectStatus(await service.http.get('/external/v1/webhooks', token), 200);
    // Only the time of the secret's last use is lost.
    await waitFor(async () => expectStatus(await app.postToEndpoint('introspect', { token: 'unknown' }), 200));
    socket.close();
    await expect(connect()).rejects.toMatchObject({ data: { code: 'service_unavailable' } });
    expect((await service.http.get('/health/ready')).status).toBe(503);

    await setReadOnly('off');
    const curedAt = Date.now();
    socket = await waitFor(connect, RECOVERY_MS);
    await waitFor(async () => expect((await service.http.get('/health/ready')).status).toBe(200), RECOVERY_MS);
    await waitFor(async () => {
      for (let time = 0; time < 5; time++) expectStatus(await createWebhook(), 201);
    }, RECOVERY_MS);
    expect(Date.now() - curedAt).toBeLessThan(2 * RECOVERY_MS);
    await queue.waitForState(queuedId, 'delivered');
  });

  it('all connections are writable after the first refused write that follows the cure', async () => {
    await setReadOnly('on');
    await endSessions();
    // Reads open connections that no write has used.
    await waitFor(async () => {
      const reads = Array.from({ length: 20 }, () => service.http.get('/external/v1/webhooks', token));
      for (const read of await Promise.all(reads)) expectStatus(read, 200);
    });
    await setReadOnly('off');
    await waitFor(async () => expect((await createWebhook()).status).toBe(201), RECOVERY_MS);
    await Promise.all(Array.from({ length: 20 }, () => ada.createSession(machine.device)));
  });

  it('an instance does not start, and reports it in one line', async () => {
    await setReadOnly('on');
    const { code, stderr } = await ServiceProcess.runUntilExit({ ...testDatabase.env, REDIS_URL });
    await setReadOnly('off');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database at DATABASE_URL cannot be used: [^\n]*read-only[^\n]*\n$/);
  });
});
