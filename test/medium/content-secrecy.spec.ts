import { setTimeout as sleep } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { leaseRedis } from '../support/backend';
import { GrantedArtifact, GrantedSession } from '../support/content/granted-session';
import { newReaderKey } from '../support/content/jose-keys';
import { DeviceSocket, NO_ANSWER } from '../support/device/device-socket';
import { AccountDevice, ok } from '../support/device/foreign-device';
import { eventually } from '../support/eventually';
import { freePort } from '../support/free-port';
import { TEST_GRANT_KEYS } from '../support/grant-keys';
import { createDatabase, describeServices, type Database } from '../support/postgres';
import { ServiceProcess } from '../support/service-process';
import { Receiver } from '../support/webhooks/receiver';
import { LOOPBACK } from '../support/webhooks/webhook-scene';
import { databaseText, redisText, spellings } from '../support/traces';

const MARKER = `marker-${randomBytes(12).toString('hex')}`;

/** Known texts and keys go every way that there is through real processes, and are looked for everywhere they could stay. */
describeServices('what is encrypted', () => {
  let database: Database;
  let redis: Awaited<ReturnType<typeof leaseRedis>>;
  let service: ServiceProcess;
  let port: number;
  let metricsPort: number;
  let receiver: Receiver;
  const logs: string[] = [];
  const secrets: (string | Uint8Array)[] = [MARKER];

  const start = async () => {
    const url = `http://127.0.0.1:${port}`;
    const env = {
      REDIS_URL: redis.url,
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: 'trace',
      PUBLIC_URL: url,
      ...LOOPBACK,
    };
    service = await ServiceProcess.start({ ...database.env, ...env }, { port });
    void service.ended.then(({ stdout, stderr }) => logs.push(stdout, stderr));
  };
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

  beforeAll(async () => {
    [database, redis] = await Promise.all([createDatabase(), leaseRedis()]);
    [port, metricsPort] = [await freePort(), await freePort()];
    receiver = await Receiver.start();
    await start();
  });
  afterAll(async () => {
    await service?.stop('SIGKILL');
    await receiver?.stop();
    await Promise.all([database?.drop(), redis?.release()]);
  });

  it('is found nowhere after sync, relay, grants, reads, errors and a crash', async () => {
    const ada = await AccountDevice.signUp(service.http);
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

    // A webhook that is told of all of it.
    const hook = { url: receiver.url, events: ['*'], description: 'all' };
    ok(await service.http.post('/external/v1/webhooks', token, hook), 201);

    // Sync, grants to both recipients, and reads in every encoding.
    const session = await GrantedSession.open(ada);
    const message = await session.say(`history ${MARKER}`);
    const artifact = await GrantedArtifact.keep(ada, `{"artifact": "${MARKER}"}`, {
      cty: 'application/json',
    });
    const reader = await newReaderKey('X25519');
    ok(await session.grant(), 201);
    ok(await artifact.grant(), 201);
    ok(await session.key.grantTo(reader.publicKey, session.resource), 201);
    secrets.push(session.key.bytes, artifact.key.bytes, Buffer.from(reader.privateKey.d!, 'base64url'));
    secrets.push(Buffer.from(ada.contentKey.privateKey.export({ format: 'jwk' }).d!, 'base64url'));
    const [{ d }] = JSON.parse(TEST_GRANT_KEYS) as [{ d: string }];
    secrets.push(Buffer.from(d, 'base64url'));
    expect(ok(await session.read(message, token), 200).data.content).toContain(MARKER);
    ok(await session.read(message, token, '?encoding=sealed'), 200);
    expect((await artifact.read(token, '', { Accept: 'application/octet-stream' })).body).toContain(MARKER);

    // The relay: answered, kept under a key, refused by the device, unanswered, and without a device.
    const path = `/external/v1/sessions/${session.id}/messages`;
    const device = await DeviceSocket.connect(service.http.url, ada.token, ['session.message']);
    const send = (key: string) =>
      service.http.request('POST', path, { ...call, headers: { 'Idempotency-Key': `${key}-${MARKER}` } });
    expect(JSON.stringify((await send('answered')).body)).toContain(MARKER);
    expect(JSON.stringify((await send('answered')).body)).toContain(MARKER);
    device.answerWith(() => ({ ok: false, error: { code: 'internal', message: `no ${MARKER}` } }));
    expect((await send('refused')).status).toBe(502);
    device.answerWith(() => NO_ANSWER);
    const unanswered = send('unanswered').catch(() => null);
    await sleep(200);

    // Errors: bodies and paths that are wrong, content that does not open, a database that fails.
    await service.http.request('POST', path, { token, raw: `{"content": "${MARKER}`, headers: json });
    await service.http.post(path, token, { content: MARKER, [MARKER]: MARKER });
    await service.http.post(`/v1/sessions/${session.id}/key-grants`, ada.token, {
      recipient: 'service',
      sealedKey: JSON.stringify(session.key.jwk),
    });
    await database.query(`UPDATE messages SET local_id = 'moved' WHERE id = $1`, [message]);
    expect((await session.read(message, token)).status).toBe(422);
    await database.query('ALTER TABLE key_grants RENAME COLUMN sealed_key TO gone');
    expect((await artifact.read(token)).status).toBe(500);
    expect((await session.grant({ expiresAt: Date.now() + 60_000 })).status).toBe(500);
    await database.query('ALTER TABLE key_grants RENAME COLUMN gone TO sealed_key');

    const told = ['message.created', 'artifact.created', 'key_grant.created', 'relay.completed', 'relay.failed'];
    await eventually(() => expect(receiver.types).toEqual(expect.arrayContaining(told)), 20_000);
    const measured = [await metrics()];
    // A crash while content is read and a call is in flight, and a second life.
    const reads = Promise.allSettled(Array.from({ length: 20 }, () => artifact.read(token)));
    await service.stop('SIGKILL');
    await Promise.all([reads, unanswered]);
    device.close();
    await start();
    expect(ok(await artifact.read(token), 200).data.content).toContain(MARKER);
    measured.push(await metrics());
    await plant(redis.url);
    const kept = [await databaseText(database.url), await redisText(redis.url)];
    await service.stop();

    const places = {
      database: kept[0]!,
      redis: kept[1]!,
      logs: logs.join('\n'),
      metrics: measured.join('\n'),
      webhooks: JSON.stringify(receiver.received),
    };
    expect(places.redis).toContain(PLANTED);
    expect(places.database).toContain(session.id);
    expect(places.logs).toContain('/external/v1/artifacts/:id/content');
    expect(places.metrics).toContain('# HELP');
    for (const [place, text] of Object.entries(places)) {
      const found = secrets.flatMap(spellings).filter((spelling) => text.includes(spelling));
      expect({ place, found }).toEqual({ place, found: [] });
    }
  }, 120_000);

  it('would be found in any spelling', () => {
    for (const secret of secrets) {
      const bytes = Buffer.from(secret);
      for (const before of ['', 'x', 'xy']) {
        const hidden = Buffer.concat([Buffer.from(before), bytes, Buffer.from('and more')]);
        for (const spelling of [hidden.toString('hex'), hidden.toString('base64'), hidden.toString('base64url')]) {
          expect(spellings(secret).some((known) => spelling.includes(known))).toBe(true);
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
