import { Client } from 'pg';
import { ConsoleClient } from '../../support/console-client';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { encryptContentJwe } from '../../support/device/jwe-encryption';
import type { HttpResponse } from '../../support/http-client';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { createMigratedDatabase, describeWithPostgres, type TestDatabase } from '../../support/postgres';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

const TOKENS = '/v1/account/external-tokens';

/** Concurrent calls, each with its own connection and transaction. */
describeWithPostgres('concurrent calls', () => {
  let testDatabase: TestDatabase;
  let service: Service;
  let ada: ForeignAccountDevice;
  beforeAll(async () => {
    testDatabase = await createMigratedDatabase();
    // All callers share one address, and every sign-up requires a challenge.
    const env = { LOG_LEVEL: 'silent', RATE_LIMIT_ADDRESS: '10000' };
    service = await Service.start(env, { env: testDatabase.env, dispose: testDatabase.dropDatabase });
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  function together(count: number, call: (index: number) => Promise<HttpResponse>): Promise<HttpResponse[]> {
    return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
  }

  it('create one account for twenty sign-ups with the same username', async () => {
    const devices = Array.from({ length: 20 }, () => new ForeignAccountDevice(service.http));
    const answers = await together(20, (index) => devices[index]!.requestSignUp('the-same-name'));
    expect(statuses(answers)).toEqual({ 201: 1, 409: 19 });
    const rows = await testDatabase.query(`SELECT 1 FROM accounts WHERE username = 'the-same-name'`);
    expect(rows).toHaveLength(1);
    const orphans = await testDatabase.query(
      'SELECT 1 FROM devices d LEFT JOIN accounts a ON a.id = d.account_id WHERE a.id IS NULL',
    );
    expect(orphans).toEqual([]);
  });

  it('create one device for ten sign-ups with the same keys', async () => {
    const device = new ForeignAccountDevice(service.http);
    const answers = await together(10, (index) => device.requestSignUp(`twin-${index}`));
    expect(statuses(answers)).toEqual({ 201: 1, 409: 9 });
    expect(await testDatabase.query(`SELECT 1 FROM accounts WHERE username LIKE 'twin-%'`)).toHaveLength(1);
  });

  it('create one of twenty tokens if the plan allows only one more', async () => {
    const grace = await ForeignAccountDevice.signUp(service.http);
    for (let made = 0; made < 49; made++) await grace.createToken(['sessions:read']);
    const body = { name: 'the last', scopes: ['sessions:read'] };
    const answers = await together(20, () => service.http.post(TOKENS, grace.token, body));
    expect(statuses(answers)).toEqual({ 201: 1, 403: 19 });
    expect(answers.find(({ status }) => status === 403)!.body).toMatchObject({
      code: 'plan_limit_exceeded',
      limit: 50,
    });
  });

  it('keep one of two account devices that revoke each other', async () => {
    for (let round = 0; round < 5; round++) {
      const first = await ForeignAccountDevice.signUp(service.http);
      const second = await first.pairDevice('account');
      const answers = await Promise.all([
        service.http.delete(`/v1/devices/${second.id}`, first.token),
        service.http.delete(`/v1/devices/${first.id}`, second.token),
      ]);
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409 || status === 401)).toHaveLength(1);
      const left = await testDatabase.query('SELECT 1 FROM devices WHERE account_id = $1 AND revoked_at IS NULL', [
        first.accountId,
      ]);
      expect(left).toHaveLength(1);
    }
  });

  it('add a device once when ten approve its code', async () => {
    const device = new ForeignDevice(service.http);
    const { code } = await device.requestPairing('machine');
    const enrollment = ada.createEnrollment(device);
    const answers = await together(10, () =>
      service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment }),
    );
    expect(statuses(answers)).toEqual({ 204: 1, 404: 9 });
    const { x } = device.signing.publicKey;
    expect(await testDatabase.query(`SELECT 1 FROM devices WHERE public_key->>'x' = $1`, [x])).toHaveLength(1);
  });

  it('create one session for ten requests with a tag and return it to all', async () => {
    const { kid, sealed } = ada.createDataKey();
    const body = { tag: 'the same tag', dataKey: { kid, sealed } };
    const answers = await together(10, () => service.http.post('/v1/sessions', ada.token, body));
    expect(statuses(answers)).toEqual({ 200: 9, 201: 1 });
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
    expect(await testDatabase.query(`SELECT 1 FROM sessions WHERE tag = 'the same tag'`)).toHaveLength(1);
  });

  it('store no artifact in a session whose deletion is about to be committed', async () => {
    const session = await ada.createSession(ada);
    const { kid, sealed, bytes } = ada.createDataKey();
    const tag = 'too late';
    const content = encryptContentJwe(bytes, kid, { a: ada.accountId, t: tag, v: 1 }, 'a report');
    const body = { tag, sessionId: session.id, mediaType: 'text/plain', dataKey: { kid, sealed }, content };
    const deletion = new Client({ connectionString: testDatabase.url });
    await deletion.connect();
    try {
      await deletion.query('BEGIN');
      await deletion.query('DELETE FROM sessions WHERE id = $1', [session.id]);
      const call = service.http.post('/v1/artifacts', ada.token, body);
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await waitFor(async () => expect(await testDatabase.query(waiting)).toHaveLength(1));
      await deletion.query('COMMIT');
      const answer = await call;
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found']);
    } finally {
      await deletion.end();
    }
  });

  it('create one machine for ten registrations of its device', async () => {
    const machine = await ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const answers = await together(10, () => service.http.post('/v1/machines', machine.token, body));
    expect(statuses(answers)).toEqual({ 200: 9, 201: 1 });
    expect(await testDatabase.query('SELECT 1 FROM machines WHERE device_id = $1', [machine.id])).toHaveLength(1);
  });

  it('accept a challenge once', async () => {
    const { publicKey } = ada.keys;
    const proof = await ada.signChallenge({ publicKey });
    const answers = await together(10, () => service.http.post('/v1/auth/sign-in', undefined, { publicKey, ...proof }));
    expect(statuses(answers)).toEqual({ 200: 1, 401: 9 });
  });

  it('keep one working secret after ten rotations of a token', async () => {
    const { id } = await ada.createToken(['sessions:read']);
    const answers = await together(10, () => service.http.post(`${TOKENS}/${id}/rotate`, ada.token, {}));
    const secrets = answers.map((answer) => expectStatus(answer, 200).token as string);
    const seen = await together(10, (index) => service.http.get('/external/v1/me', secrets[index]));
    expect(statuses(seen)).toEqual({ 200: 1, 401: 9 });
  });

  it('give an app a third secret, and leave it one of two that are removed', async () => {
    for (let round = 0; round < 5; round++) {
      const { clientId } = await ThirdPartyApp.register(ada);
      const path = `/v1/developer/apps/${clientId}`;
      const added = await together(5, () => service.http.post(`${path}/secrets`, ada.token, {}));
      expect(statuses(added)).toEqual({ 201: 2, 409: 3 });
      const { secrets } = expectStatus(await service.http.get(path, ada.token), 200).data;
      const remove = (index: number) => service.http.delete(`${path}/secrets/${secrets[index].id}`, ada.token);
      expect(statuses(await together(3, remove))).toEqual({ 204: 2, 409: 1 });
    }
  });

  it('sign out browsers while another signs out everywhere', async () => {
    for (let round = 0; round < 5; round++) {
      const browsers = await Promise.all(Array.from({ length: 8 }, () => ConsoleClient.signIn(service.http.url, ada)));
      const csrfTokens = await Promise.all(browsers.map((browser) => browser.readCsrfToken()));
      const answers = await Promise.all(
        browsers.map((browser, index) =>
          browser.post(index === 4 ? '/console/devices/sign-out-everywhere' : '/console/sign-out', {
            csrf: csrfTokens[index]!,
          }),
        ),
      );
      // A login that has just ended is redirected to the sign-in as well.
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(303));
    }
  });
});

function statuses(answers: HttpResponse[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
