import { enrollDevice, openEnrollment } from './enrollment';
import { generateBrowserKeys, getPublicJwks } from './keys';
import { generateContentJwk, unsealContentKey } from './sealed-key';

const ACCOUNT = { id: 'acc_1', contentKeyVersion: 1 };

describe('an enrollment', () => {
  const scene = async () => {
    const contentKey = await generateContentJwk();
    const [approver, device] = [await generateBrowserKeys(), await generateBrowserKeys()];
    const jws = await enrollDevice(ACCOUNT, contentKey, approver.signing, {
      kind: 'account',
      ...getPublicJwks(device),
    });
    return { contentKey, approver, device, jws };
  };

  it('vouches for a browser and brings the content key, which only that browser opens', async () => {
    const { contentKey, device, jws, approver } = await scene();
    const { sealedContentKey, contentPublicKey } = await openEnrollment(jws, 'acc_1', device);
    expect(await unsealContentKey(sealedContentKey, device.encryption, contentPublicKey)).toEqual(contentKey);
    await expect(unsealContentKey(sealedContentKey, approver.encryption, contentPublicKey)).rejects.toThrow();
  });

  it('is refused for another account, another device, a changed payload, or none at all', async () => {
    const { approver, device, jws } = await scene();
    const [header, payload, signature] = jws.split('.') as [string, string, string];
    const changed = Buffer.from(
      Buffer.from(payload, 'base64url').toString().replace('"contentKeyVersion":1', '"contentKeyVersion":2'),
    ).toString('base64url');
    await expect(openEnrollment(jws, 'acc_2', device)).rejects.toThrow('another account');
    await expect(openEnrollment(jws, 'acc_1', approver)).rejects.toThrow('another device');
    await expect(openEnrollment(`${header}.${changed}.${signature}`, 'acc_1', device)).rejects.toThrow();
    await expect(openEnrollment(null, 'acc_1', device)).rejects.toThrow('did not prove');
  });

  it('is refused when the content key that is sealed in it is not the one that it names', async () => {
    const { contentKey, approver, device } = await scene();
    const swapped = { ...(await generateContentJwk()), x: contentKey.x };
    const jws = await enrollDevice(ACCOUNT, swapped, approver.signing, {
      kind: 'account',
      ...getPublicJwks(device),
    });
    await expect(openEnrollment(jws, 'acc_1', device)).rejects.toThrow('does not match the enrollment');
  });

  it('of a machine holds no content key', async () => {
    const { contentKey, approver, device } = await scene();
    const jws = await enrollDevice(ACCOUNT, contentKey, approver.signing, {
      kind: 'machine',
      ...getPublicJwks(device),
    });
    const payload = JSON.parse(Buffer.from(jws.split('.')[1]!, 'base64url').toString());
    expect(Object.keys(payload)).not.toContain('sealedContentKey');
    expect(payload.contentPublicKey).toEqual({ kty: 'OKP', crv: 'X25519', x: contentKey.x });
  });
});
