import { GrantedArtifact, GrantedSession } from '../../support/content/granted-session';
import { encryptWithJose } from '../../support/content/jose-keys';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { Service } from '../../support/service';

const SECRET = 'the-plaintext-that-must-not-appear';

/** The operator of the database moves ciphertexts and keys. Every reader detects it. */
describe('a reader detects', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let tokenId: string;
  let session: GrantedSession;
  let message: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token, id: tokenId } = await ada.createToken(['sessions:content', 'artifacts:content']));
  });
  beforeEach(async () => {
    session = await GrantedSession.createSession(ada);
    message = await session.appendMessage(SECRET);
    expectStatus(await session.grantToService(), 201);
    expect(expectStatus(await session.readMessage(message, token), 200).data.content).toBe(SECRET);
  });
  afterAll(() => service?.stop());

  const mismatch = ({ status, body, headers }: HttpResponse) => {
    expect([status, body.code]).toEqual([422, 'grant_key_mismatch']);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(headers.get('cache-control')).toBe('no-store');
  };
  const contentOf = async (id: string): Promise<string> =>
    (await queryDatabase<{ content: string }>(service, 'SELECT content FROM messages WHERE id = $1', [id]))[0]!.content;
  const setContent = (id: string, content: string) =>
    queryDatabase(service, 'UPDATE messages SET content = $2 WHERE id = $1', [id, content]);

  /** Encrypts the message's text again with another key id or for another account. */
  const textOf = async (of: GrantedSession, id: string, { kid = of.key.kid, a = ada.accountId }) => {
    const rows = await queryDatabase<{ local_id: string }>(service, 'SELECT local_id FROM messages WHERE id = $1', [
      id,
    ]);
    const svc = { a, s: of.tag, l: rows[0]!.local_id, r: 'user' };
    return encryptWithJose(of.key.bytes, { kid, svc }, SECRET);
  };

  it('a text moved to another message of the session', async () => {
    const other = await session.appendMessage('another');
    await setContent(other, await contentOf(message));
    mismatch(await session.readMessage(other, token));
  });

  it('a text moved to another session', async () => {
    const other = await GrantedSession.createSession(ada);
    expectStatus(await other.grantToService(), 201);
    const there = await other.appendMessage('another');
    await setContent(there, await contentOf(message));
    mismatch(await other.readMessage(there, token));
    // The whole row of a message is moved.
    await queryDatabase(service, 'UPDATE messages SET session_id = $2, seq = 99 WHERE id = $1', [message, other.id]);
    mismatch(await other.readMessage(message, token));
  });

  it.each([
    ['its header', 0],
    ['its IV', 2],
    ['its text', 3],
    ['its tag', 4],
  ])('a bit flipped in %s', async (_, part) => {
    const parts = (await contentOf(message)).split('.');
    const bytes = Buffer.from(parts[part]!, 'base64url');
    bytes[bytes.length >> 1]! ^= 1;
    parts[part] = bytes.toString('base64url');
    await setContent(message, parts.join('.'));
    mismatch(await session.readMessage(message, token));
  });

  it.each<[string, (parts: string[]) => string[]]>([
    ['its tag cut short', (parts) => [...parts.slice(0, 4), parts[4]!.slice(0, 10)]],
    ['its text cut short', (parts) => [...parts.slice(0, 3), parts[3]!.slice(0, -4), parts[4]!]],
    ['no text', (parts) => [...parts.slice(0, 3), '', parts[4]!]],
    ['a part missing', (parts) => parts.slice(0, 4)],
  ])('a text with %s', async (_, cut) => {
    await setContent(message, cut((await contentOf(message)).split('.')).join('.'));
    mismatch(await session.readMessage(message, token));
  });

  it('a key id changed on the message, and in its text as well', async () => {
    await queryDatabase(service, `UPDATE messages SET key_id = 'another' WHERE id = $1`, [message]);
    mismatch(await session.readMessage(message, token));
    await setContent(message, await textOf(session, message, { kid: 'another' }));
    mismatch(await session.readMessage(message, token));
  });

  it('a text under another key of the same name', async () => {
    const [row] = await queryDatabase<{ local_id: string }>(service, 'SELECT local_id FROM messages WHERE id = $1', [
      message,
    ]);
    const svc = { a: ada.accountId, s: session.tag, l: row!.local_id, r: 'user' };
    await setContent(message, await encryptWithJose(new Uint8Array(32), { kid: session.key.kid, svc }, SECRET));
    mismatch(await session.readMessage(message, token));
  });

  it('a grant of another session, whose data key is the same', async () => {
    const other = await GrantedSession.createSession(ada, ada, session.key);
    const there = await other.appendMessage(SECRET);
    await queryDatabase(service, 'UPDATE key_grants SET session_id = $2 WHERE session_id = $1', [session.id, other.id]);
    mismatch(await other.readMessage(there, token));
  });

  it('a grant and a session taken over by another account, text and all', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const { token: hers } = await eve.createToken(['sessions:content']);
    await setContent(message, await textOf(session, message, { a: eve.accountId }));
    for (const [table, column] of [
      ['key_grants', 'session_id'],
      ['sessions', 'id'],
    ]) {
      await queryDatabase(service, `UPDATE ${table} SET account_id = $2 WHERE ${column} = $1`, [
        session.id,
        eve.accountId,
      ]);
    }
    mismatch(await session.readMessage(message, hers));
  });

  it('a grant bound to another token', async () => {
    const bound = await GrantedSession.createSession(ada);
    const there = await bound.appendMessage(SECRET);
    expectStatus(await bound.grantToService({ tokenId }), 201);
    const other = await ada.createToken(['sessions:content']);
    await queryDatabase(service, 'UPDATE key_grants SET token_id = $2 WHERE session_id = $1', [bound.id, other.id]);
    mismatch(await bound.readMessage(there, other.token));
    await queryDatabase(service, 'UPDATE key_grants SET token_id = NULL WHERE session_id = $1', [bound.id]);
    mismatch(await bound.readMessage(there, token));
  });

  it('a grant made to last longer', async () => {
    const short = await GrantedSession.createSession(ada);
    const there = await short.appendMessage(SECRET);
    expectStatus(await short.grantToService({ expiresAt: Date.now() + 60_000 }), 201);
    await queryDatabase(service, 'UPDATE key_grants SET expires_at = NULL WHERE session_id = $1', [short.id]);
    mismatch(await short.readMessage(there, token));
  });

  it('an artifact’s text of an earlier version', async () => {
    const artifact = await GrantedArtifact.createArtifact(ada, SECRET);
    expectStatus(await artifact.grantToService(), 201);
    await queryDatabase(service, 'UPDATE artifacts SET version = 2 WHERE id = $1', [artifact.id]);
    mismatch(await artifact.readContent(token));
    const raw = await artifact.readContent(token, '', { Accept: 'application/octet-stream' });
    mismatch(raw);
  });

  it('is noticed in sealed content too, as far as the service can see it', async () => {
    const parts = (await contentOf(message)).split('.');
    const header = JSON.parse(Buffer.from(parts[0]!, 'base64url').toString()) as { svc: object };
    header.svc = { ...header.svc, l: 'another' };
    parts[0] = Buffer.from(JSON.stringify(header)).toString('base64url');
    await setContent(message, parts.join('.'));
    mismatch(await session.readMessage(message, token));
  });
});
