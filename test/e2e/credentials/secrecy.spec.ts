import { setTimeout as sleep } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { query, tablesHolding } from '../../support/database';
import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('a secret', () => {
  let service: Service;
  let ada: AccountDevice;

  beforeAll(async () => {
    service = await Service.start({ LOG_LEVEL: 'trace' });
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('is nowhere in the database: SHA-256 alone is kept', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    const rotated = ok(await service.http.post(`/v1/account/external-tokens/${id}/rotate`, ada.token, {}), 200).token;
    ok(await service.http.get('/external/v1/me', rotated), 200);
    for (const secret of [ada.token, token, rotated]) {
      expect(await tablesHolding(service, secret)).toEqual([]);
      expect(await tablesHolding(service, secret.slice(8))).toEqual([]);
      const hash = createHash('sha256').update(secret).digest('hex');
      const table = secret === ada.token ? 'device_tokens' : 'external_token_secrets';
      const rows = await query(service, `SELECT 1 FROM ${table} WHERE encode(hash, 'hex') = $1`, [hash]);
      expect(rows).toHaveLength(1);
    }
  });

  it('is nowhere in the logs, whatever fails and at whatever level', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    const device = new ForeignDevice(service.http);
    const { code } = await device.requestPairing('machine');
    const proof = await device.signedChallenge();
    const broken = `${token.slice(0, -1)}_`;
    await service.http.get('/external/v1/me', token);
    await service.http.get('/external/v1/me', broken);
    await service.http.get(`/external/v1/me?access_token=${token}`, token);
    await service.http.get(`/external/v1/${token}`, ada.token);
    await service.http.get(`/v1/pairings/code/${code}`, ada.token);
    await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, {
      enrollment: ada.enrollmentFor(device),
    });
    await service.http.post('/v1/auth/sign-in', undefined, { publicKey: device.keys.publicKey, ...proof });
    await service.http.request('POST', '/v1/accounts', {
      raw: `{"token": "${token}"`,
      headers: { 'Content-Type': 'application/json' },
    });
    await query(service, 'ALTER TABLE external_token_secrets RENAME COLUMN hash TO gone');
    service.advance(1_000);
    const failed = await service.http.get('/external/v1/me', token);
    await query(service, 'ALTER TABLE external_token_secrets RENAME COLUMN gone TO hash');
    expect(failed.status).toBe(500);
    await sleep(50);

    const logs = service.logs.join('');
    expect(logs).toContain(failed.body.requestId);
    expect(logs).toContain(id);
    const hash = createHash('sha256').update(token).digest('hex');
    const secrets = [ada.token, token, broken, code, proof.challenge, proof.signature, hash];
    for (const secret of secrets) expect(logs).not.toContain(secret);
    for (const secret of [ada.token, token]) expect(logs).not.toContain(secret.slice(8));
    expect(JSON.stringify(failed.body)).not.toContain('external_token');
  });
});
