import { createHash } from 'node:crypto';
import { queryDatabase, findTablesContaining } from '../../support/database';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

describe('a secret', () => {
  let service: Service;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    service = await Service.start({ LOG_LEVEL: 'trace' });
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('is stored only as SHA-256 in the database', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    const rotated = expectStatus(
      await service.http.post(`/v1/account/external-tokens/${id}/rotate`, ada.token, {}),
      200,
    ).token;
    expectStatus(await service.http.get('/external/v1/me', rotated), 200);
    for (const secret of [ada.token, token, rotated]) {
      expect(await findTablesContaining(service, secret)).toEqual([]);
      expect(await findTablesContaining(service, secret.slice(8))).toEqual([]);
      const hash = createHash('sha256').update(secret).digest('hex');
      const table = secret === ada.token ? 'device_tokens' : 'external_token_secrets';
      const rows = await queryDatabase(service, `SELECT 1 FROM ${table} WHERE encode(hash, 'hex') = $1`, [hash]);
      expect(rows).toHaveLength(1);
    }
  });

  it('never appears in the logs at any level, even when calls fail', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    const device = new ForeignDevice(service.http);
    const { code } = await device.requestPairing('machine');
    const proof = await device.signChallenge();
    const broken = `${token.slice(0, -1)}_`;
    await service.http.get('/external/v1/me', token);
    await service.http.get('/external/v1/me', broken);
    await service.http.get(`/external/v1/me?access_token=${token}`, token);
    await service.http.get(`/external/v1/${token}`, ada.token);
    await service.http.get(`/v1/pairings/code/${code}`, ada.token);
    await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, {
      enrollment: ada.createEnrollment(device),
    });
    await service.http.post('/v1/auth/sign-in', undefined, { publicKey: device.keys.publicKey, ...proof });
    await service.http.request('POST', '/v1/accounts', {
      raw: `{"token": "${token}"`,
      headers: { 'Content-Type': 'application/json' },
    });
    await queryDatabase(service, 'ALTER TABLE external_token_secrets RENAME COLUMN hash TO gone');
    service.advanceClock(1_000);
    const failed = await service.http.get('/external/v1/me', token);
    await queryDatabase(service, 'ALTER TABLE external_token_secrets RENAME COLUMN gone TO hash');
    expect(failed.status).toBe(500);
    await waitFor(() => expect(service.logs.join('')).toContain(failed.body.requestId));

    const logs = service.logs.join('');
    expect(logs).toContain(id);
    const hash = createHash('sha256').update(token).digest('hex');
    const secrets = [ada.token, token, broken, code, proof.challenge, proof.signature, hash];
    for (const secret of secrets) expect(logs).not.toContain(secret);
    for (const secret of [ada.token, token]) expect(logs).not.toContain(secret.slice(8));
    expect(JSON.stringify(failed.body)).not.toContain('external_token');
  });
});
