import { runProgram } from '../support/clients/client-package';
import { AskingSession, QUESTION } from '../support/content/asking-session';
import { GrantedArtifact, GrantedSession } from '../support/content/granted-session';
import { createReaderKey, encryptWithJose, type ReaderKey } from '../support/content/jose-keys';
import { expectStatus } from '../support/device/foreign-device';
import { QueuedSession } from '../support/queued-session';
import { RelayFixture, type ConnectedMachine } from '../support/relay-fixture';

const SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
  'sessions:approve',
  'machines:read',
  'artifacts:read',
  'artifacts:content',
  'webhooks:manage',
  'usage:read',
];
const TEXT = 'Grüße aus der Sitzung 🙂\n';
const BYTES = Buffer.from([0xff, 0x00, 0xfe, 0x0a]);

describe('resources of the client', () => {
  let relay: RelayFixture;
  let machine: ConnectedMachine;
  let token: string;
  let reader: ReaderKey;

  beforeAll(async () => {
    relay = await RelayFixture.start();
    machine = await relay.createMachine(['session.message', 'session.permission', 'session.options', 'session.busy']);
    ({ token } = await relay.ada.createToken(SCOPES));
    reader = await createReaderKey('X25519');
  });
  afterAll(() => relay?.stop());

  const run = (code: string, env: NodeJS.ProcessEnv = {}) =>
    runProgram(
      `const { SESSION: session, MESSAGE: message, ARTIFACT: artifact, PERMISSION: permission } = process.env;
      const key = JSON.parse(process.env.KEY);
      ${code}`,
      { env: { BASE_URL: relay.service.url, TOKEN: token, KEY: JSON.stringify(reader.privateKey), ...env } },
    );

  describe('content of a message', () => {
    let session: GrantedSession;
    let env: NodeJS.ProcessEnv;
    beforeEach(async () => {
      session = await GrantedSession.createSession(relay.ada);
      env = { SESSION: session.id, MESSAGE: await session.appendMessage(TEXT, 'text/markdown') };
    });
    const READ = `print(await client.content(session, message, { key }).catch(describe));`;

    it('is decrypted with the key of the grant, by ID or by record', async () => {
      const { id: grantId } = expectStatus(
        await session.key.grantToReader(reader.publicKey, session.resource),
        201,
      ).data;
      const byRecord = `const [record] = await client.sessions.messages(session).toArray();
        print(await client.content(session, record, { key }));`;
      const content = { id: env.MESSAGE, encoding: 'sealed', text: TEXT, mediaType: 'text/markdown', grantId };
      expect(await run(READ + byRecord, env)).toMatchObject([content, content]);
    });

    it('is decrypted with a P-256 key', async () => {
      const { publicKey, privateKey } = await createReaderKey('P-256');
      expectStatus(await session.key.grantToReader(publicKey, session.resource), 201);
      const KEY = JSON.stringify(privateKey);
      expect(await run(READ, { ...env, KEY })).toMatchObject([{ text: TEXT, encoding: 'sealed' }]);
    });

    it('is rejected with another key, and without one', async () => {
      expectStatus(await session.key.grantToReader(reader.publicKey, session.resource), 201);
      const KEY = JSON.stringify((await createReaderKey('X25519')).privateKey);
      const withoutKey = `print(await client.content(session, message).catch(describe));`;
      expect(await run(READ + withoutKey, { ...env, KEY })).toMatchObject([
        { name: 'SealedContentError', code: 'other_key' },
        { name: 'SealedContentError', code: 'key_required' },
      ]);
    });

    it('is rejected at the place of another message', async () => {
      expectStatus(await session.key.grantToReader(reader.publicKey, session.resource), 201);
      await session.appendMessage('another text');
      const code = `const records = await client.sessions.messages(session, { order: 'asc' }).toArray();
        const moved = { ...records[0], localId: records[1].localId };
        print(await client.content(session, moved, { key }).catch(describe));`;
      expect(await run(code, env)).toMatchObject([{ name: 'SealedContentError', code: 'misplaced' }]);
    });

    it('is read as plaintext through a grant to the service', async () => {
      const code = `print(await client.content(session, message).catch(describe));`;
      expect(await run(code, env)).toMatchObject([{ name: 'ApiError', code: 'no_content_grant' }]);
      expectStatus(await session.grantToService(), 201);
      expect(await run(code, env)).toMatchObject([{ text: TEXT, encoding: 'plaintext' }]);
    });
  });

  describe('sessions.content', () => {
    it.each(['sealed', 'plaintext'])('returns the title and the folder of a session, %s', async (encoding) => {
      const session = await GrantedSession.createSession(relay.ada);
      const svc = { a: relay.ada.accountId, s: session.tag, m: 2 };
      const header = { kid: session.key.kid, cty: 'application/json', svc };
      const metadata = await encryptWithJose(session.key.bytes, header, '{"title":"Grüße","name":"x","cwd":7}');
      const json = { metadata };
      const { http, token: device } = relay.ada;
      expectStatus(await http.request('PATCH', `/v1/sessions/${session.id}`, { token: device, json }), 200);
      const isSealed = encoding === 'sealed';
      const grant = isSealed ? session.key.grantToReader(reader.publicKey, session.resource) : session.grantToService();
      expectStatus(await grant, 201);
      const code = `print(await client.sessions.content(session, { key: process.env.SEALED ? key : undefined }));`;
      const env = { SESSION: session.id, SEALED: isSealed ? '1' : '' };
      expect(await run(code, env)).toMatchObject([{ id: session.id, encoding, title: 'Grüße', cwd: null }]);
    });
  });

  describe('artifacts.content', () => {
    const READ = `
      const [listed] = await client.artifacts.list({ limit: 1 }).toArray();
      const content = await client.artifacts.content(artifact, { key: process.env.SEALED ? key : undefined });
      const { id } = await client.artifacts.get(artifact);
      print([listed.id === id, content.encoding, content.mediaType, ...content.bytes]);`;

    it.each(['sealed', 'plaintext'])('returns the bytes of a %s artifact in its latest version', async (encoding) => {
      const artifact = await GrantedArtifact.createArtifact(relay.ada, 'first', { cty: 'image/png' });
      expectStatus(await artifact.replaceContent(BYTES, 1), 200);
      const isSealed = encoding === 'sealed';
      const grant = isSealed
        ? artifact.key.grantToReader(reader.publicKey, artifact.resource)
        : artifact.grantToService();
      expectStatus(await grant, 201);
      const env = { ARTIFACT: artifact.id, SEALED: isSealed ? '1' : '' };
      expect(await run(READ, env)).toEqual([[true, encoding, expect.any(String), ...BYTES]]);
    });
  });

  describe('decide', () => {
    it('sends the decision on the content that was shown, and rejects one on other content', async () => {
      const asking = await AskingSession.createSession(relay.service, relay.ada, machine.device);
      expectStatus(await asking.granted.key.grantToReader(reader.publicKey, asking.granted.resource), 201);
      const { record } = await asking.requestPermission('p1');
      machine.socket.setHandler(({ params }) => ({
        ok: true,
        result: { state: 'rejected', optionId: params.optionId },
      }));
      const code = `
        const [request] = await client.sessions.permissionRequests(session, { state: 'pending' }).toArray();
        const { text, contentHash } = await client.sessions.permissionContent(session, request.id, { key });
        print([request.id, text]);
        const decide = (hash) => client.sessions.decide(session, permission, { decision: 'reject', contentHash: hash });
        print(await decide(contentHash.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))).catch(describe));
        print(await decide(contentHash));
        print((await client.sessions.getPermissionRequest(session, permission)).state);
        print(await decide(contentHash).catch(describe));`;
      const env = { SESSION: asking.id, PERMISSION: record.id };
      expect(await run(code, env)).toMatchObject([
        [record.id, QUESTION],
        { name: 'ApiError', code: 'conflict' },
        { state: 'rejected', optionId: 'o3' },
        'rejected',
        { name: 'ApiError', code: 'permission_not_pending' },
      ]);
    });
  });

  describe('answer', () => {
    it('sends answers to a question, or declines it', async () => {
      const asker = await relay.createMachine(['session.message', 'session.permission', 'session.question']);
      const asking = await AskingSession.createSession(relay.service, relay.ada, asker.device);
      expectStatus(await asking.granted.grantToService(), 201);
      for (const localId of ['p1', 'p2']) await asking.requestPermission(localId, { kind: 'question', options: [] });
      asker.socket.setHandler(({ params }) => ({
        ok: true,
        result: { state: params.answers === null ? 'rejected' : 'allowed', optionId: null },
      }));
      const code = `
        const query = { state: 'pending', order: 'asc' };
        const [first, second] = await client.sessions.permissionRequests(session, query).toArray();
        const answer = async ({ id }, answers) => {
          const { contentHash } = await client.sessions.permissionContent(session, id);
          return client.sessions.answer(session, id, answers, contentHash);
        };
        print(await answer(first, { database: 'sqlite' }));
        print(await answer(second, null));`;
      expect(await run(code, { SESSION: asking.id })).toEqual([
        { state: 'allowed', optionId: null },
        { state: 'rejected', optionId: null },
      ]);
      expect(asker.socket.requests.map(({ params }) => params.answers)).toEqual([{ database: 'sqlite' }, null]);
    });
  });

  describe('options', () => {
    it('are read and changed, and a message says whether it has joined a turn', async () => {
      const { id } = await relay.ada.createSession(machine.device);
      const offer = { options: [], commands: [{ name: 'compact', description: 'Summarizes' }] };
      const turn = { id: 'turn_00000000000000000000000000', state: 'running', stopReason: null };
      machine.socket.setHandler(({ method }) => ({
        ok: true,
        result: method === 'session.message' ? { reply: null, turn, steered: true } : offer,
      }));
      const code = `
        print(await client.sessions.options(session));
        print(await client.sessions.changeOptions(session, { model: 'opus' }));
        const { steered, turnId } = await client.sessions.send(session, 'More.', { ifBusy: 'steer' });
        print([steered, turnId]);`;
      expect(await run(code, { SESSION: id })).toEqual([offer, offer, [true, turn.id]]);
    });
  });

  describe('queue', () => {
    it('stores a message once per key, and cancels or delivers it', async () => {
      const { id } = await relay.ada.createSession(machine.device);
      machine.socket.requests.length = 0;
      machine.socket.setHandler(() => ({ ok: true, result: {} }));
      const code = `
        const notBefore = Date.now() + 3_600_000;
        const queue = () => client.sessions.queue(session, 'later', { notBefore, idempotencyKey: 'one-message' });
        const { queuedMessageId } = await queue();
        print((await queue()).queuedMessageId === queuedMessageId);
        const list = () => client.sessions.queuedMessages(session).toArray();
        print((await list()).map(({ state }) => state));
        await client.sessions.cancelQueuedMessage(session, queuedMessageId);
        print((await list()).map(({ state }) => state));
        print((await client.sessions.queue(session, 'now')).queuedMessageId);`;
      const [isSame, before, after, delivered] = await run(code, { SESSION: id });
      expect([isSame, before, after]).toEqual([true, ['queued'], ['cancelled']]);
      await new QueuedSession(relay.http, token, id).waitForState(delivered, 'delivered');
      expect(machine.socket.requests.map(({ params }) => params.content)).toEqual(['now']);
    });
  });

  describe('webhooks', () => {
    it('are created with a secret, listed with the events to choose from, and deleted', async () => {
      const code = `
        const body = { url: 'https://example.com/hooks', events: ['turn.ended'] };
        const created = await client.webhooks.create(body, { idempotencyKey: 'one-webhook' });
        print(created);
        print((await client.webhooks.create(body, { idempotencyKey: 'one-webhook' })).signingSecret);
        const list = async () => (await client.webhooks.list().toArray()).map(({ id }) => id);
        print([await list(), (await client.webhooks.list().page()).availableEvents.includes('turn.ended')]);
        print((await client.webhooks.get(created.data.id)).url);
        await client.webhooks.delete(created.data.id);
        print(await list());
        print(await client.webhooks.delete(created.data.id).catch(describe));`;
      const [created, replayedSecret, listed, url, remaining, error] = await run(code);
      expect(created.signingSecret).toMatch(/^whsec_[\w+/]+=*$/);
      expect(replayedSecret).toBeNull();
      expect(listed).toEqual([[created.data.id], true]);
      expect(url).toBe('https://example.com/hooks');
      expect(remaining).toEqual([]);
      expect(error).toMatchObject({ name: 'ApiError', status: 404, code: 'not_found', attempts: 1 });
    });
  });

  describe('usage', () => {
    it('counts the calls of the account by token and operation', async () => {
      const { token: counted, id: tokenId } = await relay.ada.createToken(['usage:read']);
      const code = `
        for (let i = 0; i < 3; i++) await client.me();
        const rows = await client.usage.get({ groupBy: 'token,operation', granularity: 'hour', limit: 1 }).toArray();
        print(rows.filter(({ operation }) => operation === 'getMe'));`;
      const [rows] = await run(code, { TOKEN: counted });
      const own = rows.filter((row: any) => row.tokenId === tokenId);
      // An hour may end between the calls.
      expect(own.reduce((sum: number, row: any) => sum + row.requests, 0)).toBe(3);
    });
  });
});
