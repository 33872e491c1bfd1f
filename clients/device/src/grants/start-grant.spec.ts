import { tmpdir } from 'node:os';
import type { EncryptionKey } from '@external-api/protocol';
import { compactDecrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { FakeServiceError } from '../testing/fake-accounts';
import { ScriptedAgents } from '../testing/scripted-agents';
import { createMessageRequest, createStartRequest, ServedMachine, waitUntil } from '../testing/served-machine';

/** Key of a caller or a service, to which devices seal data keys. */
class FakeGrantKey {
  private constructor(
    readonly publicKey: EncryptionKey,
    private readonly privateKey: JWK,
  ) {}

  static async generate(): Promise<FakeGrantKey> {
    const pair = await generateKeyPair('ECDH-ES+A256KW', { crv: 'X25519', extractable: true });
    const [publicKey, privateKey] = await Promise.all([exportJWK(pair.publicKey), exportJWK(pair.privateKey)]);
    return new FakeGrantKey(publicKey as unknown as EncryptionKey, privateKey);
  }

  /** @throws Error when the payload is sealed to another key */
  async open(sealedKey: string): Promise<Record<string, unknown>> {
    const { plaintext } = await compactDecrypt(sealedKey, await importJWK(this.privateKey, 'ECDH-ES+A256KW'));
    return JSON.parse(new TextDecoder().decode(plaintext)) as Record<string, unknown>;
  }
}

const TOKEN_ID = 'tok_01m7xsah51f6ctt8c84t8wbh7e';

let served: ServedMachine;
let agents: ScriptedAgents;
let serviceKey: FakeGrantKey;
const start = async ({ allowsGrants }: { allowsGrants?: boolean } = {}) => {
  agents = new ScriptedAgents({});
  const commands = [{ name: 'first', command: ['first'], environmentNames: [], mode: 'ask' }];
  serviceKey = await FakeGrantKey.generate();
  served = await ServedMachine.start({ cwd: tmpdir(), agents: { commands, provider: agents, allowsGrants } });
  served.service.grantKey = serviceKey.publicKey;
};
afterEach(() => served.stop());

const startSession = (params: object = {}, members: object = {}) =>
  served.service.callDevice({ ...createStartRequest(params), ...members });
const getGrants = () => served.service.keyGrants;

describe('a start with a grant', () => {
  beforeEach(() => start());

  it('grants the new session to the token of the call, through the service', async () => {
    const answer = await startSession({ tag: 'mine', grant: { tokenId: TOKEN_ID, recipient: null } });
    expect(answer).toEqual({
      ok: true,
      result: { sessionId: 'ses_2', turn: null, agentState: 'ready', grant: { id: 'grt_1' } },
    });
    const [grant, ...others] = getGrants();
    expect(others).toEqual([]);
    expect(grant).toMatchObject({ sessionId: 'ses_2', recipient: 'service', tokenId: TOKEN_ID });
    expect(Object.keys(grant!)).not.toContain('appId');
    expect(await serviceKey.open(grant!.sealedKey)).toMatchObject({
      key: { kty: 'oct' },
      aud: served.service.url,
      accountId: served.service.accounts.account!.id,
      sessionId: 'ses_2',
      artifactId: null,
      tokenId: TOKEN_ID,
      appId: null,
      expiresAt: null,
    });
  });

  it('seals the data key to the key of the caller alone', async () => {
    const reader = await FakeGrantKey.generate();
    const recipient = { ...reader.publicKey, kid: 'mine' };
    expect(await startSession({ grant: { tokenId: TOKEN_ID, recipient } })).toMatchObject({ ok: true });
    const [grant] = getGrants();
    expect(grant).toMatchObject({ recipient, tokenId: TOKEN_ID });
    expect(await reader.open(grant!.sealedKey)).toMatchObject({ kty: 'oct' });
    await expect(serviceKey.open(grant!.sealedKey)).rejects.toThrow();
    expect(served.service.requestLines).not.toContain('GET /v1/key-grants/recipient');
  });

  it('can be read before the agent sees the first message', async () => {
    await startSession({ content: 'hello', grant: { tokenId: TOKEN_ID, recipient: null } });
    const lines = served.service.requestLines;
    const isMessage = (line: string) => /^POST .+\/messages$/.test(line);
    await waitUntil(() => lines.some(isMessage));
    expect(lines.indexOf('POST /v1/sessions/ses_2/key-grants')).toBeGreaterThan(0);
    expect(lines.findIndex(isMessage)).toBeGreaterThan(lines.indexOf('POST /v1/sessions/ses_2/key-grants'));
  });

  it('starts the session and says why it is not granted', async () => {
    served.service.getRequestError = (route) =>
      route.endsWith('/key-grants') ? new FakeServiceError(403, 'plan_limit_exceeded') : undefined;
    const message = 'The key grant was not created: Refused with plan_limit_exceeded. (plan_limit_exceeded, req_1)';
    expect(await startSession({ grant: { tokenId: TOKEN_ID, recipient: null } })).toEqual({
      ok: true,
      result: {
        sessionId: 'ses_2',
        turn: null,
        agentState: 'ready',
        grant: null,
        grantError: { code: 'grant_failed', message },
      },
    });
  });

  it('grants nothing to nobody unless asked', async () => {
    expect(await startSession()).toEqual({ ok: true, result: { sessionId: 'ses_2', turn: null, agentState: 'ready' } });
    expect(getGrants()).toEqual([]);
  });

  // What a service that wants to read more could send.
  it.each([
    ['for an app', { tokenId: TOKEN_ID, recipient: null }, { caller: 'app' }],
    ['for a device', { tokenId: TOKEN_ID, recipient: null }, { caller: 'device' }],
    ['without a caller', { tokenId: TOKEN_ID, recipient: null }, { caller: undefined }],
    ['without a token, which would be a grant to all', { recipient: null }, {}],
    ['with an empty token', { tokenId: '', recipient: null }, {}],
    ['for the ID of an app', { tokenId: 'svc_oapp_01m7xsah51f6ctt8c84t8wbh7e', recipient: null }, {}],
    ['for all tokens by null', { tokenId: null, recipient: null }, {}],
    ['for the text of a recipient', { tokenId: TOKEN_ID, recipient: 'service' }, {}],
    ['for a key on another curve', { tokenId: TOKEN_ID, recipient: { kty: 'EC', crv: 'P-384', x: 'x', y: 'y' } }, {}],
    [
      'for a point that is not on the curve',
      { tokenId: TOKEN_ID, recipient: { kty: 'OKP', crv: 'X25519', x: 'AA' } },
      {},
    ],
    ['for a private key', { tokenId: TOKEN_ID, recipient: { kty: 'OKP', crv: 'X25519', x: 'x', d: 'secret' } }, {}],
    ['as text', 'true', {}],
  ])('is refused %s, before anything starts', async (_, grant, members) => {
    const answer = await startSession({ grant }, members);
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal' } });
    expect(JSON.stringify(answer)).not.toContain('secret');
    expect(served.service.sessions.size).toBe(1);
    expect(agents.requests).toEqual([]);
    expect(getGrants()).toEqual([]);
  });

  it('never grants a session that exists already', async () => {
    await startSession({ tag: 'existing' });
    const answer = await startSession({ tag: 'existing', grant: { tokenId: TOKEN_ID, recipient: null } });
    expect(answer).toMatchObject({ ok: false, error: { code: 'session_exists' } });
    expect(getGrants()).toEqual([]);
  });

  describe('with the tag of a session that the service hides', () => {
    const grant = { tokenId: TOKEN_ID, recipient: null };
    const hideSession = (tag: string) => {
      const { sessions } = served.service;
      sessions.set('hidden', { ...sessions.get(tag)!, tag: 'hidden' });
      sessions.delete(tag);
    };

    it('grants a new key, and that session ends', async () => {
      await startSession({ tag: 'existing', grant });
      hideSession('existing');
      expect(await startSession({ tag: 'existing', grant })).toMatchObject({
        ok: true,
        result: { sessionId: 'ses_3' },
      });
      const [first, second] = await Promise.all(getGrants().map(({ sealedKey }) => serviceKey.open(sealedKey)));
      expect(second!.key).not.toEqual(first!.key);
      const answer = await served.service.callDevice({ ...createMessageRequest('hello'), sessionId: 'ses_2' });
      expect(answer).toMatchObject({ ok: false, error: { code: 'agent_not_found' } });
      expect(agents.stoppedKeys).toEqual(['ses_2']);
    });

    it('is refused for the session that the machine hosts from its start', async () => {
      const { sessionTag: tag } = served.runner.identity;
      hideSession(tag);
      expect(await startSession({ tag, grant })).toMatchObject({ ok: false, error: { code: 'session_exists' } });
      expect(getGrants()).toEqual([]);
    });
  });
});

it('starts the session without a grant if the owner allows none', async () => {
  await start({ allowsGrants: false });
  const message = 'The owner of the machine has turned off key grants.';
  expect(await startSession({ grant: { tokenId: TOKEN_ID, recipient: null } })).toEqual({
    ok: true,
    result: {
      sessionId: 'ses_2',
      turn: null,
      agentState: 'ready',
      grant: null,
      grantError: { code: 'grants_disabled', message },
    },
  });
  expect(getGrants()).toEqual([]);
});
