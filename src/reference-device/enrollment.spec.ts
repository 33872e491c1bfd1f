import { CompactSign } from 'jose';
import type { EnrollmentPayload } from '../wire';
import { EnrollmentError, signEnrollment, verifyEnrollment, verifyPinned } from './enrollment';
import { generateDeviceKeys, generateKey, privateKeyObject, publicKeys, publicPart } from './keys';

const own = generateDeviceKeys();
const approver = generateKey('Ed25519');
const payload: EnrollmentPayload = {
  accountId: 'acc_1',
  ...publicKeys(own),
  contentPublicKey: publicPart(generateKey('X25519')),
  contentKeyVersion: 1,
};

const verify = (jws: string) => verifyEnrollment(jws, 'acc_1', own);
const signed = (header: object, body: object = payload, key = approver) =>
  new CompactSign(Buffer.from(JSON.stringify(body))).setProtectedHeader(header as never).sign(privateKeyObject(key));

describe('an enrollment', () => {
  it('is verified and names its approver', async () => {
    expect(await verify(await signEnrollment(payload, approver))).toEqual({
      accountId: 'acc_1',
      approver: publicPart(approver),
      contentPublicKey: payload.contentPublicKey,
      contentKeyVersion: 1,
      sealedContentKey: undefined,
    });
  });

  it('is refused when a letter of it was changed', async () => {
    const jws = await signEnrollment(payload, approver);
    const [header, , signature] = jws.split('.');
    const forged = Buffer.from(JSON.stringify({ ...payload, contentKeyVersion: 2 })).toString('base64url');
    await expect(verify(`${header}.${forged}.${signature}`)).rejects.toThrow('not validly signed');
    await expect(verify('nonsense')).rejects.toThrow(EnrollmentError);
  });

  it.each([
    ['another account', { accountId: 'acc_2' }],
    ['another signing key', { publicKey: publicPart(generateKey('Ed25519')) }],
    ['another encryption key', { encryptionKey: publicPart(generateKey('X25519')) }],
    ['a content key of another kind', { contentPublicKey: publicPart(approver) }],
    ['no version', { contentKeyVersion: 0 }],
  ])('is refused with %s', async (_, change) => {
    const jws = await signEnrollment({ ...payload, ...change }, approver);
    await expect(verify(jws)).rejects.toThrow(EnrollmentError);
  });

  it('is refused with another header than alg and jwk', async () => {
    const jwk = publicPart(approver);
    await expect(verify(await signed({ alg: 'EdDSA', jwk }))).resolves.toBeDefined();
    await expect(verify(await signed({ alg: 'EdDSA' }))).rejects.toThrow(EnrollmentError);
    await expect(verify(await signed({ alg: 'EdDSA', jwk, kid: 'x' }))).rejects.toThrow(EnrollmentError);
    await expect(verify(await signed({ alg: 'EdDSA', jwk: publicPart(own.signing) }))).rejects.toThrow(EnrollmentError);
    const none = Buffer.from(JSON.stringify({ alg: 'none', jwk })).toString('base64url');
    const body = Buffer.from(JSON.stringify(payload)).toString('base64url');
    await expect(verify(`${none}.${body}.`)).rejects.toThrow(EnrollmentError);
  });
});

describe('a pinned enrollment', () => {
  const presented = (change: Partial<EnrollmentPayload>, key = approver) =>
    signEnrollment({ ...payload, ...change }, key);

  it('may be shown again', async () => {
    const jws = await presented({});
    await expect(verifyPinned(jws, jws, 'acc_1', own)).resolves.toBeUndefined();
    await expect(verifyPinned(null, null, 'acc_1', own)).resolves.toBeUndefined();
  });

  it.each([
    ['content key', () => presented({ contentPublicKey: publicPart(generateKey('X25519')) })],
    ['content key version', () => presented({ contentKeyVersion: 2 })],
    ['approving device', () => presented({}, generateKey('Ed25519'))],
    ['enrollment', () => presented({ sealedContentKey: 'x' })],
  ])('is never exchanged for one with another %s', async (what, other) => {
    await expect(verifyPinned(await presented({}), await other(), 'acc_1', own)).rejects.toThrow(
      `presents another ${what} than`,
    );
  });

  it('neither vanishes nor appears', async () => {
    const jws = await presented({});
    await expect(verifyPinned(jws, null, 'acc_1', own)).rejects.toThrow(EnrollmentError);
    await expect(verifyPinned(null, jws, 'acc_1', own)).rejects.toThrow(EnrollmentError);
  });
});
