import { CompactSign } from 'jose';
import type { EnrollmentPayload } from '@external-api/protocol';
import { EnrollmentError, signEnrollment, verifyEnrollment, verifyPinnedEnrollment } from './enrollment';
import { generateDeviceKeys, generateKey, toPrivateKeyObject, getPublicKeys, toPublicKey } from './keys';

const ownKeys = generateDeviceKeys();
const approver = generateKey('Ed25519');
const payload: EnrollmentPayload = {
  accountId: 'acc_1',
  ...getPublicKeys(ownKeys),
  contentPublicKey: toPublicKey(generateKey('X25519')),
  contentKeyVersion: 1,
};

const verifyForAccount = (jws: string) => verifyEnrollment(jws, 'acc_1', ownKeys);
const signPayload = (header: object, body: object = payload, key = approver) =>
  new CompactSign(Buffer.from(JSON.stringify(body))).setProtectedHeader(header as never).sign(toPrivateKeyObject(key));

describe('an enrollment', () => {
  it('is verified and names its approver', async () => {
    expect(await verifyForAccount(await signEnrollment(payload, approver))).toEqual({
      accountId: 'acc_1',
      approver: toPublicKey(approver),
      contentPublicKey: payload.contentPublicKey,
      contentKeyVersion: 1,
      sealedContentKey: undefined,
    });
  });

  it('is refused when a letter of it was changed', async () => {
    const jws = await signEnrollment(payload, approver);
    const [header, , signature] = jws.split('.');
    const forged = Buffer.from(JSON.stringify({ ...payload, contentKeyVersion: 2 })).toString('base64url');
    await expect(verifyForAccount(`${header}.${forged}.${signature}`)).rejects.toThrow('no valid signature');
    await expect(verifyForAccount('nonsense')).rejects.toThrow(EnrollmentError);
  });

  it.each([
    ['another account', { accountId: 'acc_2' }],
    ['another signing key', { publicKey: toPublicKey(generateKey('Ed25519')) }],
    ['another encryption key', { encryptionKey: toPublicKey(generateKey('X25519')) }],
    ['a content key of another kind', { contentPublicKey: toPublicKey(approver) }],
    ['no version', { contentKeyVersion: 0 }],
  ])('is refused with %s', async (_, change) => {
    const jws = await signEnrollment({ ...payload, ...change }, approver);
    await expect(verifyForAccount(jws)).rejects.toThrow(EnrollmentError);
  });

  it('is refused with another header than alg and jwk', async () => {
    const jwk = toPublicKey(approver);
    await expect(verifyForAccount(await signPayload({ alg: 'EdDSA', jwk }))).resolves.toBeDefined();
    await expect(verifyForAccount(await signPayload({ alg: 'EdDSA' }))).rejects.toThrow(EnrollmentError);
    await expect(verifyForAccount(await signPayload({ alg: 'EdDSA', jwk, kid: 'x' }))).rejects.toThrow(EnrollmentError);
    await expect(
      verifyForAccount(await signPayload({ alg: 'EdDSA', jwk: toPublicKey(ownKeys.signing) })),
    ).rejects.toThrow(EnrollmentError);
    const none = Buffer.from(JSON.stringify({ alg: 'none', jwk })).toString('base64url');
    const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
    await expect(verifyForAccount(`${none}.${body}.`)).rejects.toThrow(EnrollmentError);
  });
});

describe('a pinned enrollment', () => {
  const presented = (change: Partial<EnrollmentPayload>, key = approver) =>
    signEnrollment({ ...payload, ...change }, key);

  it('may be shown again', async () => {
    const jws = await presented({});
    await expect(verifyPinnedEnrollment(jws, jws, 'acc_1', ownKeys)).resolves.toBeUndefined();
    await expect(verifyPinnedEnrollment(null, null, 'acc_1', ownKeys)).resolves.toBeUndefined();
  });

  it.each([
    ['content key', () => presented({ contentPublicKey: toPublicKey(generateKey('X25519')) })],
    ['content key version', () => presented({ contentKeyVersion: 2 })],
    ['approving device', () => presented({}, generateKey('Ed25519'))],
    ['enrollment', () => presented({ sealedContentKey: 'x' })],
  ])('is never exchanged for one with another %s', async (what, other) => {
    await expect(verifyPinnedEnrollment(await presented({}), await other(), 'acc_1', ownKeys)).rejects.toThrow(
      `presents a different ${what} from`,
    );
  });

  it('neither vanishes nor appears', async () => {
    const jws = await presented({});
    await expect(verifyPinnedEnrollment(jws, null, 'acc_1', ownKeys)).rejects.toThrow(EnrollmentError);
    await expect(verifyPinnedEnrollment(null, jws, 'acc_1', ownKeys)).rejects.toThrow(EnrollmentError);
  });
});
