import { createHash, randomBytes } from 'node:crypto';
import { AccountDevice, ForeignDevice, ok } from '../../support/device/foreign-device';
import { RecoveryDevice } from '../../support/device/recovery-device';
import { sealTo } from '../../support/device/seal';
import { Service } from '../../support/service';

describe('a recovery key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  it('is one more account device on paper: it signs in and approves a new device when all others are lost', async () => {
    const lost = await AccountDevice.signUp(service.http, 'ada');
    const paper = randomBytes(32);

    const atSignUp = new RecoveryDevice(service.http, paper);
    const { code } = await atSignUp.requestPairing('account');
    const sealedContentKey = sealTo(atSignUp.keys.encryptionKey, JSON.stringify({ kty: 'OKP' }));
    const enrollment = lost.enrollmentFor(atSignUp, { sealedContentKey });
    ok(await service.http.post(`/v1/pairings/code/${code}/approve`, lost.token, { enrollment }), 204);

    const later = new RecoveryDevice(service.http, paper);
    const { account, enrollment: pinned } = await later.signIn();
    expect(account).toMatchObject({ id: lost.accountId, username: 'ada' });
    expect(pinned).toBe(enrollment);

    const phone = new ForeignDevice(service.http, 'new phone');
    const asked = await phone.requestPairing('account');
    const approval = { accountId: account.id, contentPublicKey: account.contentPublicKey };
    const body = { enrollment: later.enrollmentFor(phone, approval) };
    ok(await service.http.post(`/v1/pairings/code/${asked.code}/approve`, later.token, body), 204);
    expect((await phone.signIn()).account.id).toBe(lost.accountId);

    ok(await service.http.delete(`/v1/devices/${lost.id}`, phone.token), 204);
    expect((await service.http.get('/v1/account', lost.token)).body).toMatchObject({ reason: 'revoked' });
  });

  it('gives the same keys each time, and others with other bytes', () => {
    const bytes = createHash('sha256').update('recovery').digest();
    const { keys } = new RecoveryDevice(service.http, bytes);
    expect(new RecoveryDevice(service.http, bytes).keys).toEqual(keys);
    expect(new RecoveryDevice(service.http, randomBytes(32)).keys).not.toEqual(keys);
  });
});
