import { randomBytes } from 'node:crypto';
import { MemoryKeyStore, recover } from '../../../src/reference-device';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { KeptSession } from '../../support/device/kept-session';
import { decrypt, unseal } from '../../support/device/open';
import { RecoveryDevice } from '../../support/device/recovery-device';
import { sealTo } from '../../support/device/seal';
import { ReferenceMachine } from '../../support/reference-machine';
import { Service } from '../../support/service';

// The foreign device shares no code with the reference device: node:crypto alone, written against the design.
describe('the reference device and a foreign one', () => {
  let service: Service;
  let ada: AccountDevice;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('the foreign device reads what the reference machine wrote', async () => {
    const machine = await ReferenceMachine.start({ url: service.url, account: ada.username }, async (code) => {
      const asks = ok(await service.http.get(`/v1/pairings/code/${code}`, ada.token), 200).data;
      const { publicKey, encryptionKey } = asks;
      const enrollment = ada.enrollmentFor({ keys: { publicKey, encryptionKey } });
      ok(await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment }), 204);
    });
    const { token } = await ada.createToken(['sessions:write']);
    const path = `/external/v1/sessions/${machine.sessionId}/messages`;
    const { result } = ok(await service.http.post(path, token, { content: 'höre!' }), 200);
    await machine.stop();

    const { data: session } = ok(await service.http.get(`/v1/sessions/${machine.sessionId}`, ada.token), 200);
    const jwk = JSON.parse(unseal(session.dataKey.sealed, ada.contentKey.privateKey).text);
    expect(jwk).toEqual({ kty: 'oct', kid: session.dataKey.kid, k: expect.any(String) });
    const { data } = ok(await service.http.get(`/v1/sessions/${machine.sessionId}/messages`, ada.token), 200);
    expect(data.map(({ id }: { id: string }) => id)).toContain(result.messageId);
    const opened = data.map(({ content }: { content: string }) => decrypt(content, Buffer.from(jwk.k, 'base64url')));
    const place = (role: string) => ({
      a: ada.accountId,
      s: session.tag,
      l: expect.stringMatching(`^req_.*:${role}$`),
      r: role,
    });
    const header = { alg: 'dir', enc: 'A256GCM', kid: jwk.kid, cty: 'text/plain; charset=utf-8' };
    expect(opened).toEqual([
      { text: 'höre!', header: { ...header, svc: place('user') } },
      { text: 'höre!', header: { ...header, svc: place('assistant') } },
    ]);
  });

  it('the reference device, recovered into a foreign account, reads what the foreign device wrote', async () => {
    const bytes = randomBytes(32);
    const paper = new RecoveryDevice(service.http, bytes);
    const { code } = await paper.requestPairing('account');
    const { x } = ada.contentKey.publicKey;
    const d = ada.contentKey.privateKey.export({ format: 'jwk' }).d;
    const sealedContentKey = sealTo(paper.encryption.publicKey, JSON.stringify({ kty: 'OKP', crv: 'X25519', x, d }));
    const enrollment = ada.enrollmentFor(paper, { sealedContentKey });
    ok(await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment }), 204);
    const session = await KeptSession.open(ada);
    await session.append('m-1', 'm-2');

    const recoveryKey = crockford(bytes);
    const device = await recover({ url: service.url, store: new MemoryKeyStore(), recoveryKey });
    const texts = [];
    for await (const { opened } of device.content.history(await device.content.session(session.tag)))
      texts.push([opened?.mediaType, Buffer.from(opened!.bytes).toString()]);
    expect(texts).toEqual([
      ['application/json', 'text of m-1'],
      ['application/json', 'text of m-2'],
    ]);
  });
});

/** 256 bits and four zeros after them, five at a time. */
function crockford(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('') + '0000';
  return bits.replace(/.{5}/g, (five) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[parseInt(five, 2)]!);
}
