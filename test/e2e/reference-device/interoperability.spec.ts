import { randomBytes } from 'node:crypto';
import { MemoryKeyStore, recoverAccount } from '@external-api/device';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { decryptContentJwe, decryptSealedJwe } from '../../support/device/jwe-decryption';
import { RecoveryDevice } from '../../support/device/recovery-device';
import { encryptContentJwe, sealToRecipient } from '../../support/device/jwe-encryption';
import { QueuedSession } from '../../support/queued-session';
import { ReferenceMachine } from '../../support/reference-machine';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

// The foreign device shares no code with the reference device. It uses only node:crypto.
describe('the reference device and a foreign one', () => {
  let service: Service;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  const startMachine = () =>
    ReferenceMachine.start({ url: service.url, account: ada.username }, async (code) => {
      const asks = expectStatus(await service.http.get(`/v1/pairings/code/${code}`, ada.token), 200).data;
      const { publicKey, encryptionKey } = asks;
      const enrollment = ada.createEnrollment({ keys: { publicKey, encryptionKey } });
      expectStatus(await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment }), 204);
    });

  it('the foreign device reads what the reference machine wrote', async () => {
    const machine = await startMachine();
    const { token } = await ada.createToken(['sessions:write']);
    const path = `/external/v1/sessions/${machine.sessionId}/messages`;
    expectStatus(await service.http.post(path, token, { content: 'höre!' }), 200);
    const readMessages = async () =>
      expectStatus(await service.http.get(`/v1/sessions/${machine.sessionId}/messages`, ada.token), 200).data;
    await waitFor(async () => expect(await readMessages()).toHaveLength(2));
    await machine.stop();

    const { data: session } = expectStatus(await service.http.get(`/v1/sessions/${machine.sessionId}`, ada.token), 200);
    const jwk = JSON.parse(decryptSealedJwe(session.dataKey.sealed, ada.contentKey.privateKey).text);
    expect(jwk).toEqual({ kty: 'oct', kid: session.dataKey.kid, k: expect.any(String) });
    const opened = (await readMessages()).map(({ content }: { content: string }) =>
      decryptContentJwe(content, Buffer.from(jwk.k, 'base64url')),
    );
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

  it('the reference machine reads what the foreign device has sealed and queued for it', async () => {
    const machine = await startMachine();
    await machine.stop();
    const { data: session } = expectStatus(await service.http.get(`/v1/sessions/${machine.sessionId}`, ada.token), 200);
    const jwk = JSON.parse(decryptSealedJwe(session.dataKey.sealed, ada.contentKey.privateKey).text);
    const key = Buffer.from(jwk.k, 'base64url');
    const place = { a: ada.accountId, s: session.tag, l: 'note-1', r: 'user' };
    const sealedContent = encryptContentJwe(key, jwk.kid, place, 'pssst: höre!');
    const { token } = await ada.createToken(['sessions:read', 'sessions:write']);
    const path = `/external/v1/sessions/${machine.sessionId}/messages`;
    const delivery = { mode: 'queue' };
    const queued = await service.http.post(path, token, { sealedContent, localId: 'note-1', delivery });
    const { queuedMessageId } = expectStatus(queued, 202).result;
    await machine.startServing();
    await new QueuedSession(service.http, token, machine.sessionId).waitForState(queuedMessageId, 'delivered');
    await machine.stop();
    const { data } = expectStatus(await service.http.get(`/v1/sessions/${machine.sessionId}/messages`, ada.token), 200);
    const opened = data.map(({ role, content }: any) => [role, decryptContentJwe(content, key).text]);
    expect(opened).toEqual([
      ['user', 'pssst: höre!'],
      ['assistant', 'pssst: höre!'],
    ]);
  });

  it('the reference device, recovered into a foreign account, reads what the foreign device wrote', async () => {
    const bytes = randomBytes(32);
    const paper = new RecoveryDevice(service.http, bytes);
    const { code } = await paper.requestPairing('account');
    const { x } = ada.contentKey.publicKey;
    const d = ada.contentKey.privateKey.export({ format: 'jwk' }).d;
    const sealedContentKey = sealToRecipient(
      paper.encryption.publicKey,
      JSON.stringify({ kty: 'OKP', crv: 'X25519', x, d }),
    );
    const enrollment = ada.createEnrollment(paper, { sealedContentKey });
    expectStatus(await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment }), 204);
    const session = await DeviceSession.createSession(ada);
    await session.appendMessages('m-1', 'm-2');

    const recoveryKey = crockford(bytes);
    const device = await recoverAccount({ url: service.url, store: new MemoryKeyStore(), recoveryKey });
    const texts = [];
    for await (const { opened } of device.content.readHistory(await device.content.getSession(session.tag)))
      texts.push([opened?.mediaType, Buffer.from(opened!.bytes).toString()]);
    expect(texts).toEqual([
      ['application/json', 'text of m-1'],
      ['application/json', 'text of m-2'],
    ]);
  });
});

/** Returns 256 bits and four zero bits in groups of five. */
function crockford(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('') + '0000';
  return bits.replace(/.{5}/g, (five) => '0123456789ABCDEFGHJKMNPQRSTVWXYZ'[parseInt(five, 2)]!);
}
