import { compactDecrypt, importJWK } from 'jose';
import { randomBytes } from 'node:crypto';
import { MemoryKeyStore, signUp, type AccountDevice } from '@external-api/device';
import { expectStatus } from '../../support/device/foreign-device';
import { ReferenceMachine } from '../../support/reference-machine';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

const username = () => `user-${randomBytes(6).toString('hex')}`;

describe('the history that a machine writes', () => {
  let service: Service;
  let store: MemoryKeyStore;
  let ada: AccountDevice;
  let machine: ReferenceMachine;
  let token: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_RELAY: '100000' });
    store = new MemoryKeyStore();
    const name = username();
    ada = await signUp({ url: service.url, store, username: name });
    machine = await ReferenceMachine.start(
      { url: service.url, account: name, name: 'box', onMessage: ['tr', 'a-z', 'A-Z'] },
      (code, fingerprint) => ada.approveByFingerprint(code, fingerprint),
    );
    ({ token } = await ada.createToken({ name: 'ci', scopes: ['sessions:write', 'sessions:read'] }));
  });
  afterAll(async () => {
    await machine?.stop();
    await service?.stop();
  });

  const send = async (content: string, sessionId = machine.sessionId) => {
    const path = `/external/v1/sessions/${sessionId}/messages`;
    return expectStatus(await service.http.post(path, token, { content }), 200);
  };
  const storedBy = async (requestId: string) => {
    const path = `/v1/sessions/${machine.sessionId}/messages`;
    const { data } = expectStatus(await service.http.get(path, await ada.getToken()), 200);
    return data.filter(({ localId }: { localId: string }) => localId.startsWith(requestId));
  };

  it('holds the message and its reply when the caller has the answer, and `messageId` names the message', async () => {
    // The answer waits until the service has stored the message, but not longer than a second.
    const { requestId, result } = await waitFor(async () => {
      const sent = await send('hello');
      expect(sent.result.messageId).not.toBeNull();
      return sent;
    });
    expect(result).toEqual({ accepted: true, messageId: expect.stringMatching(/^msg_/), reply: 'HELLO' });
    const [message, reply] = await storedBy(requestId);
    expect(message).toMatchObject({ id: result.messageId, role: 'user' });
    expect(reply).toMatchObject({ role: 'assistant', seq: message.seq + 1 });
    const path = `/external/v1/sessions/${machine.sessionId}/messages?limit=2`;
    const shown = expectStatus(await service.http.get(path, token), 200).data;
    expect(shown.map(({ id }: { id: string }) => id)).toEqual([reply.id, message.id]);
  });

  it('can be decrypted with only jose and the content key', async () => {
    const { requestId } = await send('grüße 🙂');
    const { contentKey, account } = (await store.loadState('account'))!;
    const session = await ada.content.getSession(machine.sessionId);
    const opened = await compactDecrypt(session.dataKey.sealed, await importJWK(contentKey!.key, 'ECDH-ES+A256KW'), {
      keyManagementAlgorithms: ['ECDH-ES+A256KW'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    const jwk = JSON.parse(Buffer.from(opened.plaintext).toString());
    expect(jwk).toEqual({ kty: 'oct', kid: session.dataKey.kid, k: expect.stringMatching(/^[\w-]{43}$/) });
    const [message] = await storedBy(requestId);
    const text = await compactDecrypt(message.content, Buffer.from(jwk.k, 'base64url'));
    expect(Buffer.from(text.plaintext).toString()).toBe('grüße 🙂');
    expect(text.protectedHeader).toEqual({
      alg: 'dir',
      enc: 'A256GCM',
      kid: jwk.kid,
      cty: 'text/plain; charset=utf-8',
      svc: { a: account!.id, s: session.tag, l: message.localId, r: 'user' },
    });
  });

  it('has metadata that describes the session', async () => {
    const metadata = await ada.content.readMetadata(await ada.content.getSession(machine.sessionId));
    expect(metadata?.mediaType).toBe('application/json');
    expect(JSON.parse(Buffer.from(metadata!.bytes).toString())).toEqual({
      title: 'box',
      name: 'box',
      platform: process.platform,
    });
  });

  it('contains all concurrent messages, each reply after its message', async () => {
    const texts = Array.from({ length: 12 }, (_, i) => `message ${i}`);
    const answers = await Promise.all(texts.map((text) => send(text)));
    const session = await ada.content.getSession(machine.sessionId);
    // An answer doesn't wait longer than a second for the service to store its messages.
    const history = await waitFor(async () => {
      const messages = [];
      for await (const message of ada.content.readHistory(session)) messages.push(message);
      const isOfTexts = ({ localId }: { localId: string }) =>
        answers.some(({ requestId }) => localId.startsWith(requestId));
      expect(messages.filter(isOfTexts)).toHaveLength(2 * texts.length);
      return messages;
    }, 20_000);
    expect(history.map(({ seq }) => seq)).toEqual(history.map((_, i) => i + 1));
    for (const { requestId, result } of answers) {
      const pair = history.filter(({ localId }) => localId.startsWith(requestId));
      expect(pair.map(({ role }) => role)).toEqual(['user', 'assistant']);
      expect([pair[0]!.id, null]).toContain(result.messageId);
      expect(Buffer.from(pair[1]!.opened!.bytes).toString()).toBe(result.reply);
    }
  });

  it('isn’t written to another device’s session that only names the machine', async () => {
    const dataKey = (await ada.content.getSession(machine.sessionId)).dataKey;
    const { machineId } = machine.machineService.identity;
    const body = { tag: username(), machineId, dataKey };
    const { data } = expectStatus(await service.http.post('/v1/sessions', await ada.getToken(), body), 201);
    expect((await send('hello', data.id)).result).toEqual({
      accepted: true,
      messageId: null,
      reply: 'HELLO',
    });
    expect((await ada.content.getSession(data.id)).messageCount).toBe(0);
  });

  it('marks texts that were moved in the database', async () => {
    const { requestId } = await send('from one place');
    const session = await ada.content.getSession(machine.sessionId);
    const [message] = await storedBy(requestId);
    const elsewhere = { ...session, tag: 'another' };
    const reads = [];
    for await (const read of ada.content.readHistory(elsewhere, message.seq - 1)) reads.push(read);
    expect(reads).not.toEqual([]);
    for (const read of reads)
      expect(read).toMatchObject({ opened: null, failureReason: expect.stringContaining('another place') });
  });
});
