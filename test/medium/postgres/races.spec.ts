import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import type { Answer } from '../../support/http-client';
import { createDatabase, describePostgres, type Database } from '../../support/postgres';
import { Service } from '../../support/service';

const TOKENS = '/v1/account/external-tokens';

/** Real parallelism: each call has a connection and a transaction of its own. */
describePostgres('calls that race each other', () => {
  let database: Database;
  let service: Service;
  let ada: AccountDevice;
  beforeAll(async () => {
    database = await createDatabase();
    service = await Service.start({ LOG_LEVEL: 'silent' }, { env: database.env, dispose: database.drop });
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  function together(count: number, call: (index: number) => Promise<Answer>): Promise<Answer[]> {
    return Promise.all(Array.from({ length: count }, (_, index) => call(index)));
  }

  it('give one account to twenty sign-ups for a username', async () => {
    const devices = Array.from({ length: 20 }, () => new AccountDevice(service.http));
    const answers = await together(20, (index) => devices[index]!.trySignUp('the-same-name'));
    expect(statuses(answers)).toEqual({ 201: 1, 409: 19 });
    const rows = await database.query(`SELECT 1 FROM accounts WHERE username = 'the-same-name'`);
    expect(rows).toHaveLength(1);
    const orphans = await database.query(
      'SELECT 1 FROM devices d LEFT JOIN accounts a ON a.id = d.account_id WHERE a.id IS NULL',
    );
    expect(orphans).toEqual([]);
  });

  it('give one device to ten sign-ups with the same keys', async () => {
    const device = new AccountDevice(service.http);
    const answers = await together(10, (index) => device.trySignUp(`twin-${index}`));
    expect(statuses(answers)).toEqual({ 201: 1, 409: 9 });
    expect(await database.query(`SELECT 1 FROM accounts WHERE username LIKE 'twin-%'`)).toHaveLength(1);
  });

  it('let one of twenty token creations have the last place of the plan', async () => {
    const grace = await AccountDevice.signUp(service.http);
    for (let made = 0; made < 49; made++) await grace.createToken(['sessions:read']);
    const body = { name: 'the last', scopes: ['sessions:read'] };
    const answers = await together(20, () => service.http.post(TOKENS, grace.token, body));
    expect(statuses(answers)).toEqual({ 201: 1, 403: 19 });
    expect(answers.find(({ status }) => status === 403)!.body).toMatchObject({
      code: 'plan_limit_exceeded',
      limit: 50,
    });
  });

  it('leave one of two account devices that revoke each other', async () => {
    for (let round = 0; round < 5; round++) {
      const first = await AccountDevice.signUp(service.http);
      const second = await first.adopt('account');
      const answers = await Promise.all([
        service.http.delete(`/v1/devices/${second.id}`, first.token),
        service.http.delete(`/v1/devices/${first.id}`, second.token),
      ]);
      expect(answers.filter(({ status }) => status === 204)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409 || status === 401)).toHaveLength(1);
      const left = await database.query('SELECT 1 FROM devices WHERE account_id = $1 AND revoked_at IS NULL', [
        first.accountId,
      ]);
      expect(left).toHaveLength(1);
    }
  });

  it('adopt a device once when ten approve its code', async () => {
    const device = new ForeignDevice(service.http);
    const { code } = await device.requestPairing('machine');
    const enrollment = ada.enrollmentFor(device);
    const answers = await together(10, () =>
      service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment }),
    );
    expect(statuses(answers)).toEqual({ 204: 1, 404: 9 });
    const { x } = device.signing.publicKey;
    expect(await database.query(`SELECT 1 FROM devices WHERE public_key->>'x' = $1`, [x])).toHaveLength(1);
  });

  it('make one session of ten posts of a tag, and show it to all', async () => {
    const { kid, sealed } = ada.newDataKey();
    const body = { tag: 'the same tag', dataKey: { kid, sealed } };
    const answers = await together(10, () => service.http.post('/v1/sessions', ada.token, body));
    expect(statuses(answers)).toEqual({ 200: 9, 201: 1 });
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
    expect(await database.query(`SELECT 1 FROM sessions WHERE tag = 'the same tag'`)).toHaveLength(1);
  });

  it('make one machine of ten registrations by its device', async () => {
    const machine = await ada.adopt('machine');
    const body = { name: 'box', platform: 'linux' };
    const answers = await together(10, () => service.http.post('/v1/machines', machine.token, body));
    expect(statuses(answers)).toEqual({ 200: 9, 201: 1 });
    expect(await database.query('SELECT 1 FROM machines WHERE device_id = $1', [machine.id])).toHaveLength(1);
  });

  it('redeem a challenge once', async () => {
    const { publicKey } = ada.keys;
    const proof = await ada.signedChallenge({ publicKey });
    const answers = await together(10, () => service.http.post('/v1/auth/sign-in', undefined, { publicKey, ...proof }));
    expect(statuses(answers)).toEqual({ 200: 1, 401: 9 });
  });

  it('leave one working secret when ten rotate a token at once', async () => {
    const { id } = await ada.createToken(['sessions:read']);
    const answers = await together(10, () => service.http.post(`${TOKENS}/${id}/rotate`, ada.token, {}));
    const secrets = answers.map((answer) => ok(answer, 200).token as string);
    const seen = await together(10, (index) => service.http.get('/external/v1/me', secrets[index]));
    expect(statuses(seen)).toEqual({ 200: 1, 401: 9 });
  });
});

function statuses(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
