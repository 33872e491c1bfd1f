import { createHash, randomBytes } from 'node:crypto';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { RecoveryDevice } from '../../support/device/recovery-device';
import { sealToRecipient } from '../../support/device/jwe-encryption';
import { Service } from '../../support/service';

describe('a recovery key', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  it('signs in and approves a new device when all others are lost', async () => {
    const lost = await ForeignAccountDevice.signUp(service.http, 'ada');
    const paper = randomBytes(32);

    const atSignUp = new RecoveryDevice(service.http, paper);
    const { code } = await atSignUp.requestPairing('account');
    const sealedContentKey = sealToRecipient(atSignUp.keys.encryptionKey, JSON.stringify({ kty: 'OKP' }));
    const enrollment = lost.createEnrollment(atSignUp, { sealedContentKey });
    expectStatus(await service.http.post(`/v1/pairings/code/${code}/approve`, lost.token, { enrollment }), 204);

    const later = new RecoveryDevice(service.http, paper);
    const { account, enrollment: pinned } = await later.signIn();
    expect(account).toMatchObject({ id: lost.accountId, username: 'ada' });
    expect(pinned).toBe(enrollment);

    const phone = new ForeignDevice(service.http, 'new phone');
    const asked = await phone.requestPairing('account');
    const approval = { accountId: account.id, contentPublicKey: account.contentPublicKey };
    const body = { enrollment: later.createEnrollment(phone, approval) };
    expectStatus(await service.http.post(`/v1/pairings/code/${asked.code}/approve`, later.token, body), 204);
    expect((await phone.signIn()).account.id).toBe(lost.accountId);

    expectStatus(await service.http.delete(`/v1/devices/${lost.id}`, phone.token), 204);
    expect((await service.http.get('/v1/account', lost.token)).body).toMatchObject({ reason: 'revoked' });
  });

  it('derives the same keys from the same bytes and other keys from other bytes', () => {
    const bytes = createHash('sha256').update('recovery').digest();
    const { keys } = new RecoveryDevice(service.http, bytes);
    expect(new RecoveryDevice(service.http, bytes).keys).toEqual(keys);
    expect(new RecoveryDevice(service.http, randomBytes(32)).keys).not.toEqual(keys);
  });
});
