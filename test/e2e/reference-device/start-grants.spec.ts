import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compactDecrypt, importJWK } from 'jose';
import { MemoryKeyStore, signUp } from '@external-api/device';
import { AGENT_SCOPES, AgentFixture } from '../../support/agent-fixture';
import { createReaderKey } from '../../support/content/jose-keys';
import { expectStatus } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { ReferenceMachine } from '../../support/reference-machine';
import { waitFor } from '../../support/wait-for';

describe('a start of the reference device with a grant', () => {
  let fixture: AgentFixture;
  let starter: { id: string; token: string };

  beforeAll(async () => {
    fixture = await AgentFixture.start('ada-who-starts');
    starter = await createToken();
  });
  afterEach(() => expect(fixture.problems).toEqual([]));
  afterAll(() => fixture?.stop());

  async function createToken() {
    const { record, token } = await fixture.ada.createToken({ name: 'ci', scopes: AGENT_SCOPES });
    return { id: record.id, token };
  }
  const get = (path: string, { token } = starter) => fixture.service.http.get(`/external/v1${path}`, token);
  async function startSession(body: object) {
    const path = `/external/v1/machines/${fixture.machine.machineService.identity.machineId}/sessions`;
    return expectStatus(await fixture.service.http.post(path, starter.token, body), 200).result;
  }
  const listGrants = async (sessionId: string) =>
    expectStatus(
      await fixture.service.http.get(`/v1/sessions/${sessionId}/key-grants`, await fixture.ada.getToken()),
      200,
    ).data;
  const readReply = async (sessionId: string, turnId: string, by = starter) => {
    const path = `/sessions/${sessionId}/messages`;
    // The answer to the start may come before the service has stored the reply.
    const message = await waitFor(async () => {
      const { data } = expectStatus(await get(`${path}?turnId=${turnId}&role=assistant`), 200);
      expect(data).not.toHaveLength(0);
      return data[0];
    });
    return get(`${path}/${message.id}/content`, by);
  };

  it('lets the token that started the session read it and decide in it, and no other token', async () => {
    const { sessionId, turn, grant } = await startSession({
      content: 'say Hello.\nedit granted.txt text',
      grant: true,
    });
    expect(turn.state).toBe('requires_action');
    expect(await listGrants(sessionId)).toMatchObject([
      { id: grant.id, sessionId, recipient: 'service', tokenId: starter.id, appId: null, expiresAt: null },
    ]);
    const requests = `/sessions/${sessionId}/permission-requests`;
    // The answer waits for the service to store the request, but not longer than a second.
    const asked = await waitFor(async () => {
      const { data } = expectStatus(await get(`${requests}?state=pending`), 200);
      expect(data).toHaveLength(1);
      return data[0];
    });
    const { content, contentHash } = expectStatus(await get(`${requests}/${asked.id}/content`), 200).data;
    expect(JSON.parse(content).title).toContain('granted.txt');
    const decision = { decision: 'allow', contentHash };
    const decide = (token: string) =>
      fixture.service.http.post(`/external/v1${requests}/${asked.id}/decision`, token, decision);
    expectProblem(await decide(fixture.token), 403, 'no_content_grant');
    expectStatus(await decide(starter.token), 200);
    await fixture.waitForTurn(sessionId, turn.id, 'completed');
    expect(readFileSync(join(fixture.folder, 'granted.txt'), 'utf8')).toBe('text\n');
    expect(expectStatus(await readReply(sessionId, turn.id), 200).data).toMatchObject({
      encoding: 'plaintext',
      grantId: grant.id,
    });
    expectProblem(await readReply(sessionId, turn.id, { id: '', token: fixture.token }), 403, 'no_content_grant');
  });

  it('lets only the holder of the key read if the caller names one', async () => {
    const reader = await createReaderKey('X25519', 'mine');
    const { sessionId, turn } = await startSession({
      content: 'say Secret.',
      grant: { recipient: reader.publicKey },
    });
    const { data } = expectStatus(await readReply(sessionId, turn.id), 200);
    expect(data).toMatchObject({ encoding: 'sealed', key: { recipientKeyId: 'mine' } });
    const { plaintext } = await compactDecrypt(data.key.sealed, await importJWK(reader.privateKey, 'ECDH-ES+A256KW'));
    const { k } = JSON.parse(Buffer.from(plaintext).toString());
    const text = await compactDecrypt(data.content, Buffer.from(k, 'base64url'));
    expect(Buffer.from(text.plaintext).toString()).toBe('Secret.');
  });

  it('is in the security log, and ends with its token or a revocation', async () => {
    const own = starter;
    starter = await createToken();
    const { sessionId, turn, grant } = await startSession({ content: 'say Hello.', grant: true });
    expectStatus(await readReply(sessionId, turn.id), 200);
    const token = await fixture.ada.getToken();
    const [event] = expectStatus(await fixture.service.http.get('/v1/audit-events?limit=1', token), 200).data;
    expect(event).toMatchObject({
      act: 'key_grant.created',
      actor: { kind: 'device', id: fixture.machine.machineService.identity.deviceId },
      target: { id: grant.id },
    });
    const path = `/v1/sessions/${sessionId}/key-grants/${grant.id}`;
    expect((await fixture.service.http.request('DELETE', path, { token })).status).toBe(204);
    expectProblem(await readReply(sessionId, turn.id), 403, 'no_content_grant');
    starter = own;
  });

  it('is not made without being asked for', async () => {
    const started = await startSession({});
    expect(started).toEqual({ sessionId: started.sessionId, turn: null, agentState: 'ready' });
    expect(await listGrants(started.sessionId)).toEqual([]);
  });

  it('can not be made by another machine of the account, or of another one, for the same session', async () => {
    const { sessionId } = await startSession({});
    const eve = await signUp({ url: fixture.service.url, store: new MemoryKeyStore(), username: 'eve' });
    const owners = [
      ['ada-who-starts', fixture.ada, 403],
      ['eve', eve, 404],
    ] as const;
    for (const [account, owner, status] of owners) {
      const machine = await ReferenceMachine.start({ url: fixture.service.url, account }, (code, fingerprint) =>
        owner.approveByFingerprint(code, fingerprint),
      );
      const { token } = (await machine.store.loadState('machine'))!;
      const body = { recipient: 'service', sealedKey: 'x', tokenId: starter.id };
      const refused = await fixture.service.http.post(`/v1/sessions/${sessionId}/key-grants`, token!.value, body);
      expect(refused.status).toBe(status);
      await machine.stop();
    }
    expect(await listGrants(sessionId)).toEqual([]);
  });
});
