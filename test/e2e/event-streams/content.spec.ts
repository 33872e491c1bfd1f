import { createHash, randomBytes } from 'node:crypto';
import { compactDecrypt, importJWK, type JWK } from 'jose';
import { AskingSession, PERMISSION_MEDIA_TYPE, QUESTION } from '../../support/content/asking-session';
import { createReaderKey } from '../../support/content/jose-keys';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { EventStreamClient } from '../../support/event-stream-client';
import { Service } from '../../support/service';

const SCOPES = ['sessions:read', 'sessions:content'];

describe('an event stream with content', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let asking: AskingSession;
  let clients: EventStreamClient[];

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '10000', EVENT_STREAMS_PER_TOKEN: '100' });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(SCOPES));
  });
  beforeEach(async () => {
    clients = [];
    asking = await AskingSession.createSession(service, ada);
  });
  afterEach(() => Promise.all(clients.map((client) => client.close())));
  afterAll(() => service?.stop());

  const getPath = (content: string) => `/external/v1/sessions/${asking.id}/events?content=${content}`;
  const open = async (content: string, by = token, lastEventId?: string) => {
    const client = await EventStreamClient.open(service.url + getPath(content), by, { lastEventId });
    clients.push(client);
    return client;
  };
  const findMessages = (stream: EventStreamClient) =>
    stream.events.filter(({ type }) => type === 'message.created').map(({ data }) => data.data);

  it('sends plaintext where a grant to the service covers the caller at that moment', async () => {
    const stream = await open('plaintext');
    await asking.granted.appendMessage('before the grant');
    await stream.waitForEvents(1);
    const { id: grantId } = expectStatus(await asking.granted.grantToService(), 201).data;
    const messageId = await asking.granted.appendMessage('granted ✓', 'text/markdown');
    await asking.granted.appendMessage(new Uint8Array([0xff, 0x00]), 'application/octet-stream');
    await stream.waitForEvents(3);
    const revoke = `/v1/sessions/${asking.id}/key-grants/${grantId}`;
    expect((await service.http.delete(revoke, ada.token)).status).toBe(204);
    await asking.granted.appendMessage('after the grant');
    await stream.waitForEvents(4);
    const [before, granted, binary, after] = findMessages(stream);
    expect(before).toMatchObject({ content: null, contentReason: 'no_content_grant' });
    expect(granted).toMatchObject({ id: messageId, seq: 2 });
    expect(granted.content).toEqual({
      encoding: 'plaintext',
      mediaType: 'text/markdown',
      content: 'granted ✓',
      contentEncoding: 'utf8',
      grantId,
    });
    expect(granted).not.toHaveProperty('contentReason');
    expect(binary.content).toMatchObject({ contentEncoding: 'base64', content: '/wA=' });
    expect(after).toMatchObject({ content: null, contentReason: 'no_content_grant' });
  });

  it('escapes the line breaks of Unicode, at which many readers end a line', async () => {
    expectStatus(await asking.granted.grantToService(), 201);
    const stream = await open('plaintext');
    const text = 'a\u2028b\u2029c\u0085d\v\f\x1c\x1d\x1e e\\u2028';
    await asking.granted.appendMessage(text, 'text/plain');
    await stream.waitForEvents(1);
    expect(findMessages(stream)[0].content.content).toBe(text);
  });

  it('sends ciphertext with the data key that is sealed to the caller', async () => {
    const reader = await createReaderKey('X25519', 'reader-1');
    expectStatus(await asking.granted.key.grantToReader(reader.publicKey, asking.granted.resource), 201);
    const [sealed, plaintext] = [await open('sealed'), await open('plaintext')];
    await asking.granted.appendMessage('for the reader');
    await Promise.all([sealed.waitForEvents(1), plaintext.waitForEvents(1)]);
    const { content } = findMessages(sealed)[0];
    expect(Object.keys(content)).toEqual(['encoding', 'content', 'key', 'grantId']);
    const opened = await compactDecrypt(content.key.sealed, await importJWK(reader.privateKey, 'ECDH-ES+A256KW'));
    const { k } = JSON.parse(new TextDecoder().decode(opened.plaintext)) as JWK;
    const decrypted = await compactDecrypt(content.content, Buffer.from(k!, 'base64url'));
    expect(new TextDecoder().decode(decrypted.plaintext)).toBe('for the reader');
    expect(findMessages(plaintext)[0]).toMatchObject({ content: null, contentReason: 'no_content_grant' });
  });

  it('sends what an agent asks, with the hash that a decision repeats', async () => {
    expectStatus(await asking.granted.grantToService(), 201);
    const stream = await open('plaintext');
    const { report } = await asking.requestPermission('p1');
    const [{ type, data }] = (await stream.waitForEvents(1)) as [(typeof stream.events)[0]];
    expect(type).toBe('permission.requested');
    expect(data.data.content).toMatchObject({
      mediaType: PERMISSION_MEDIA_TYPE,
      content: QUESTION,
      contentHash: createHash('sha256').update(report.content, 'ascii').digest('base64url'),
    });
  });

  it('sends the event alone for content that is too large or does not decrypt', async () => {
    expectStatus(await asking.granted.grantToService(), 201);
    const stream = await open('plaintext');
    await asking.granted.appendMessage('x'.repeat(65_536));
    await asking.granted.appendMessage('x'.repeat(65_537));
    const { key } = asking.granted;
    const bytes = Buffer.from(key.bytes);
    key.bytes.set(randomBytes(32));
    await asking.granted.appendMessage('under another key');
    key.bytes.set(bytes);
    await stream.waitForEvents(3);
    const [largest, tooLarge, undecryptable] = findMessages(stream);
    expect(largest.content.content).toHaveLength(65_536);
    expect(tooLarge).toMatchObject({ content: null, contentReason: 'too_large' });
    expect(undecryptable).toMatchObject({ content: null, contentReason: 'grant_key_mismatch' });
  });

  it('sends what was missed, page by page', async () => {
    expectStatus(await asking.granted.grantToService(), 201);
    const stream = await open('plaintext');
    await stream.close();
    const texts = Array.from({ length: 45 }, (_, n) => `message ${n}`);
    for (const text of texts) await asking.granted.appendMessage(text);
    const resumed = await open('plaintext', token, stream.lastEventId);
    await resumed.waitForEvents(45);
    expect(findMessages(resumed).map(({ content }) => content.content)).toEqual(texts);
  });

  it('sends no content unless it is asked for, and to an account device only ciphertext', async () => {
    expectStatus(await asking.granted.grantToService(), 201);
    const [none, plain] = [await open('none'), await open('plaintext')];
    const openControl = async (content: string) => {
      const path = `/v1/control/sessions/${asking.id}/events?content=${content}`;
      const client = await EventStreamClient.open(service.url + path, ada.token);
      clients.push(client);
      return client;
    };
    const [sealed, refused] = [await openControl('sealed'), await openControl('plaintext')];
    await asking.granted.appendMessage('hello');
    for (const stream of [none, plain, sealed, refused]) await stream.waitForEvents(1);
    expect(findMessages(none)[0]).not.toHaveProperty('content');
    expect(findMessages(plain)[0].content.content).toBe('hello');
    expect(findMessages(sealed)[0].content).toMatchObject({ encoding: 'sealed', key: null, grantId: null });
    expect(findMessages(refused)[0]).toMatchObject({ content: null, contentReason: 'no_content_grant' });
  });

  it('requires the scope, and belongs to the stream of a session', async () => {
    const { token: unscoped } = await ada.createToken(['sessions:read']);
    const refused = await service.http.get(getPath('sealed'), unscoped);
    expect(refused).toMatchObject({ status: 403, body: { code: 'insufficient_scope', required: SCOPES } });
    expect((await service.http.get(getPath('text'), token)).status).toBe(400);
    expect((await service.http.get('/external/v1/events?content=sealed', token)).status).toBe(400);
    expect((await open('none', unscoped)).response.status).toBe(200);
  });
});
