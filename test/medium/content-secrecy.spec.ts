import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { leaseRedis } from '../support/backend';
import { GrantedArtifact, GrantedSession } from '../support/content/granted-session';
import { createReaderKey } from '../support/content/jose-keys';
import { DeviceSocket, NO_RESPONSE } from '../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { waitFor } from '../support/wait-for';
import { findFreePort } from '../support/find-free-port';
import { TEST_GRANT_KEYS } from '../support/grant-keys';
import { createMigratedDatabase, describeWithServices, type TestDatabase } from '../support/postgres';
import { ServiceProcess } from '../support/service-process';
import { WebhookReceiver } from '../support/webhooks/webhook-receiver';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { dumpDatabase, dumpRedis, listEncodings } from '../support/storage-dumps';

const MARKER = `marker-${randomBytes(12).toString('hex')}`;

/** Sends known texts and keys through all features of real processes, and searches for them in every storage. */
describeWithServices('encrypted content', () => {
  let testDatabase: TestDatabase;
  let redis: Awaited<ReturnType<typeof leaseRedis>>;
  let service: ServiceProcess;
  let port: number;
  let metricsPort: number;
  let webhookReceiver: WebhookReceiver;
  const logs: string[] = [];
  const secrets: (string | Uint8Array)[] = [MARKER];

  const start = async () => {
    const url = `http://127.0.0.1:${port}`;
    const env = {
      REDIS_URL: redis.url,
      SHUTDOWN_NOTICE_SECONDS: '0',
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: 'trace',
      PUBLIC_URL: url,
      ...LOOPBACK_WEBHOOKS_ENV,
    };
    service = await ServiceProcess.start({ ...testDatabase.env, ...env }, { port });
    void service.exited.then(({ stdout, stderr }) => logs.push(stdout, stderr));
  };
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

  beforeAll(async () => {
    [testDatabase, redis] = await Promise.all([createMigratedDatabase(), leaseRedis()]);
    [port, metricsPort] = [await findFreePort(), await findFreePort()];
    webhookReceiver = await WebhookReceiver.start();
    await start();
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await webhookReceiver?.stop();
    await Promise.all([testDatabase?.dropDatabase(), redis?.release()]);
  });

  it('is found nowhere after sync, relay, grants, reads, errors and a crash', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const scopes = [
      'sessions:read',
      'sessions:write',
      'sessions:content',
      'artifacts:content',
      'machines:invoke',
      'webhooks:manage',
      'artifacts:read',
    ];
    const { token } = await ada.createToken(scopes);
    const call = { json: { content: `please keep ${MARKER}` }, token };

    // A webhook that receives all events.
    const hook = { url: webhookReceiver.url, events: ['*'], description: 'all' };
    expectStatus(await service.http.post('/external/v1/webhooks', token, hook), 201);

    // Sync, grants to both recipients, and reads in every encoding.
    const session = await GrantedSession.createSession(ada);
    const message = await session.appendMessage(`history ${MARKER}`);
    const artifact = await GrantedArtifact.createArtifact(ada, `{"artifact": "${MARKER}"}`, {
      cty: 'application/json',
    });
    const reader = await createReaderKey('X25519');
    expectStatus(await session.grantToService(), 201);
    expectStatus(await artifact.grantToService(), 201);
    expectStatus(await session.key.grantToReader(reader.publicKey, session.resource), 201);
    secrets.push(session.key.bytes, artifact.key.bytes, Buffer.from(reader.privateKey.d!, 'base64url'));
    secrets.push(Buffer.from(ada.contentKey.privateKey.export({ format: 'jwk' }).d!, 'base64url'));
    const [{ d }] = JSON.parse(TEST_GRANT_KEYS) as [{ d: string }];
    secrets.push(Buffer.from(d, 'base64url'));
    expect(expectStatus(await session.readMessage(message, token), 200).data.content).toContain(MARKER);
    expectStatus(await session.readMessage(message, token, '?encoding=sealed'), 200);
    expect((await artifact.readContent(token, '', { Accept: 'application/octet-stream' })).body).toContain(MARKER);

    // Relay: answered, stored under a key, rejected by the device, unanswered, and without a device.
    const path = `/external/v1/sessions/${session.id}/messages`;
    const device = await DeviceSocket.connect(service.http.url, ada.token, ['session.message']);
    const send = (key: string) =>
      service.http.request('POST', path, { ...call, headers: { 'Idempotency-Key': `${key}-${MARKER}` } });
    expect(JSON.stringify((await send('answered')).body)).toContain(MARKER);
    expect(JSON.stringify((await send('answered')).body)).toContain(MARKER);
    device.setHandler(() => ({ ok: false, error: { code: 'internal', message: `no ${MARKER}` } }));
    expect((await send('refused')).status).toBe(502);
    device.setHandler(() => NO_RESPONSE);
    const unanswered = send('unanswered').catch(() => null);
    const delivery = { mode: 'queue', notBefore: Date.now() + 3_600_000 };
    expectStatus(await service.http.post(path, token, { content: `queued ${MARKER}`, delivery }), 202);
    await sleep(200);

    // Errors: wrong bodies and paths, content that doesn't decrypt, a failing database.
    await service.http.request('POST', path, { token, raw: `{"content": "${MARKER}`, headers: json });
    await service.http.post(path, token, { content: MARKER, [MARKER]: MARKER });
    await service.http.post(`/v1/sessions/${session.id}/key-grants`, ada.token, {
      recipient: 'service',
      sealedKey: JSON.stringify(session.key.jwk),
    });
    await testDatabase.query(`UPDATE messages SET local_id = 'moved' WHERE id = $1`, [message]);
    expect((await session.readMessage(message, token)).status).toBe(422);
    await testDatabase.query('ALTER TABLE key_grants RENAME COLUMN sealed_key TO gone');
    expect((await artifact.readContent(token)).status).toBe(500);
    expect((await session.grantToService({ expiresAt: Date.now() + 60_000 })).status).toBe(500);
    await testDatabase.query('ALTER TABLE key_grants RENAME COLUMN gone TO sealed_key');

    const told = ['message.created', 'artifact.created', 'key_grant.created', 'relay.completed', 'relay.failed'];
    await waitFor(() => expect(webhookReceiver.receivedTypes).toEqual(expect.arrayContaining(told)), 20_000);
    const measured = [await metrics()];
    // A crash while content is read and a call is in flight, and a restart.
    const reads = Promise.allSettled(Array.from({ length: 20 }, () => artifact.readContent(token)));
    await service.stop('SIGKILL');
    await Promise.all([reads, unanswered]);
    device.close();
    await start();
    expect(expectStatus(await artifact.readContent(token), 200).data.content).toContain(MARKER);
    measured.push(await metrics());
    await plant(redis.url);
    const kept = [await dumpDatabase(testDatabase.url), await dumpRedis(redis.url)];
    await service.stop();

    const places = {
      database: kept[0]!,
      redis: kept[1]!,
      logs: logs.join('\n'),
      metrics: measured.join('\n'),
      webhooks: JSON.stringify(webhookReceiver.received),
    };
    expect(places.redis).toContain(PLANTED);
    expect(places.database).toContain(session.id);
    expect(places.logs).toContain('/external/v1/artifacts/:id/content');
    expect(places.metrics).toContain('# HELP');
    for (const [place, text] of Object.entries(places)) {
      const found = secrets.flatMap(listEncodings).filter((spelling) => text.includes(spelling));
      expect({ place, found }).toEqual({ place, found: [] });
    }
  }, 120_000);

  it('would be found in any encoding', () => {
    for (const secret of secrets) {
      const bytes = Buffer.from(secret);
      for (const before of ['', 'x', 'xy']) {
        const hidden = Buffer.concat([Buffer.from(before), bytes, Buffer.from('and more')]);
        for (const spelling of [hidden.toString('hex'), hidden.toString('base64'), hidden.toString('base64url')]) {
          expect(listEncodings(secret).some((known) => spelling.includes(known))).toBe(true);
        }
      }
    }
  });
});

const PLANTED = 'what-is-there-is-found';

async function plant(url: string): Promise<void> {
  const client = new Redis(url);
  await client.hset('planted', 'field', PLANTED);
  client.disconnect();
}

const json = { 'Content-Type': 'application/json' };
