import { GrantedArtifact, GrantedSession } from '../../support/content/granted-session';
import { encrypt } from '../../support/content/jose-keys';
import { query } from '../../support/database';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import type { Answer } from '../../support/http-client';
import { Service } from '../../support/service';

const SECRET = 'the-plaintext-that-must-not-appear';

/** Whoever owns the database moves things about; every reader notices. */
describe('what was changed behind the service', () => {
  let service: Service;
  let ada: AccountDevice;
  let token: string;
  let tokenId: string;
  let session: GrantedSession;
  let message: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await AccountDevice.signUp(service.http);
    ({ token, id: tokenId } = await ada.createToken(['sessions:content', 'artifacts:content']));
  });
  beforeEach(async () => {
    session = await GrantedSession.open(ada);
    message = await session.say(SECRET);
    ok(await session.grant(), 201);
    expect(ok(await session.read(message, token), 200).data.content).toBe(SECRET);
  });
  afterAll(() => service?.stop());

  const mismatch = ({ status, body, headers }: Answer) => {
    expect([status, body.code]).toEqual([422, 'grant_key_mismatch']);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect(headers.get('cache-control')).toBe('no-store');
  };
  const contentOf = async (id: string): Promise<string> =>
    (await query<{ content: string }>(service, 'SELECT content FROM messages WHERE id = $1', [id]))[0]!.content;
  const setContent = (id: string, content: string) =>
    query(service, 'UPDATE messages SET content = $2 WHERE id = $1', [id, content]);

  /** What the message says, encrypted anew with another key id or for another account. */
  const textOf = async (of: GrantedSession, id: string, { kid = of.key.kid, a = ada.accountId }) => {
    const rows = await query<{ local_id: string }>(service, 'SELECT local_id FROM messages WHERE id = $1', [id]);
    const svc = { a, s: of.tag, l: rows[0]!.local_id, r: 'user' };
    return encrypt(of.key.bytes, { kid, svc }, SECRET);
  };

  it('a text moved to another message of the session', async () => {
    const other = await session.say('another');
    await setContent(other, await contentOf(message));
    mismatch(await session.read(other, token));
  });

  it('a text moved to another session', async () => {
    const other = await GrantedSession.open(ada);
    ok(await other.grant(), 201);
    const there = await other.say('another');
    await setContent(there, await contentOf(message));
    mismatch(await other.read(there, token));
    // A message that is moved as a whole row.
    await query(service, 'UPDATE messages SET session_id = $2, seq = 99 WHERE id = $1', [message, other.id]);
    mismatch(await other.read(message, token));
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
    mismatch(await session.read(message, token));
  });

  it.each<[string, (parts: string[]) => string[]]>([
    ['its tag cut short', (parts) => [...parts.slice(0, 4), parts[4]!.slice(0, 10)]],
    ['its text cut short', (parts) => [...parts.slice(0, 3), parts[3]!.slice(0, -4), parts[4]!]],
    ['no text', (parts) => [...parts.slice(0, 3), '', parts[4]!]],
    ['a part missing', (parts) => parts.slice(0, 4)],
  ])('a text with %s', async (_, cut) => {
    await setContent(message, cut((await contentOf(message)).split('.')).join('.'));
    mismatch(await session.read(message, token));
  });

  it('a key id changed on the message, and in its text as well', async () => {
    await query(service, `UPDATE messages SET key_id = 'another' WHERE id = $1`, [message]);
    mismatch(await session.read(message, token));
    await setContent(message, await textOf(session, message, { kid: 'another' }));
    mismatch(await session.read(message, token));
  });

  it('a text under another key of the same name', async () => {
    const [row] = await query<{ local_id: string }>(service, 'SELECT local_id FROM messages WHERE id = $1', [message]);
    const svc = { a: ada.accountId, s: session.tag, l: row!.local_id, r: 'user' };
    await setContent(message, await encrypt(new Uint8Array(32), { kid: session.key.kid, svc }, SECRET));
    mismatch(await session.read(message, token));
  });

  it('a grant of another session, whose data key is the same', async () => {
    const other = await GrantedSession.open(ada, ada, session.key);
    const there = await other.say(SECRET);
    await query(service, 'UPDATE key_grants SET session_id = $2 WHERE session_id = $1', [session.id, other.id]);
    mismatch(await other.read(there, token));
  });

  it('a grant and a session taken over by another account, text and all', async () => {
    const eve = await AccountDevice.signUp(service.http);
    const { token: hers } = await eve.createToken(['sessions:content']);
    await setContent(message, await textOf(session, message, { a: eve.accountId }));
    for (const [table, column] of [
      ['key_grants', 'session_id'],
      ['sessions', 'id'],
    ]) {
      await query(service, `UPDATE ${table} SET account_id = $2 WHERE ${column} = $1`, [session.id, eve.accountId]);
    }
    mismatch(await session.read(message, hers));
  });

  it('a grant bound to another token', async () => {
    const bound = await GrantedSession.open(ada);
    const there = await bound.say(SECRET);
    ok(await bound.grant({ tokenId }), 201);
    const other = await ada.createToken(['sessions:content']);
    await query(service, 'UPDATE key_grants SET token_id = $2 WHERE session_id = $1', [bound.id, other.id]);
    mismatch(await bound.read(there, other.token));
    await query(service, 'UPDATE key_grants SET token_id = NULL WHERE session_id = $1', [bound.id]);
    mismatch(await bound.read(there, token));
  });

  it('a grant made to last longer', async () => {
    const short = await GrantedSession.open(ada);
    const there = await short.say(SECRET);
    ok(await short.grant({ expiresAt: Date.now() + 60_000 }), 201);
    await query(service, 'UPDATE key_grants SET expires_at = NULL WHERE session_id = $1', [short.id]);
    mismatch(await short.read(there, token));
  });

  it('an artifact’s text of an earlier version', async () => {
    const artifact = await GrantedArtifact.keep(ada, SECRET);
    ok(await artifact.grant(), 201);
    await query(service, 'UPDATE artifacts SET version = 2 WHERE id = $1', [artifact.id]);
    mismatch(await artifact.read(token));
    const raw = await artifact.read(token, '', { Accept: 'application/octet-stream' });
    mismatch(raw);
  });

  it('is noticed in sealed content too, as far as the service can see it', async () => {
    const parts = (await contentOf(message)).split('.');
    const header = JSON.parse(Buffer.from(parts[0]!, 'base64url').toString()) as { svc: object };
    header.svc = { ...header.svc, l: 'another' };
    parts[0] = Buffer.from(JSON.stringify(header)).toString('base64url');
    await setContent(message, parts.join('.'));
    mismatch(await session.read(message, token));
  });
});
