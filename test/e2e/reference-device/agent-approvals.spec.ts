import { compactDecrypt, importJWK, type JWK } from 'jose';
import { createHash } from 'node:crypto';
import { ApprovalFixture } from '../../support/approval-fixture';
import { createReaderKey } from '../../support/content/jose-keys';
import { CallerDataKey } from '../../support/content/granted-session';
import { expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';

describe('a permission request of an agent of the reference device', () => {
  let fixture: ApprovalFixture;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    sessionId = await fixture.startSession(await fixture.startMachine());
  });
  afterAll(() => fixture?.stop());

  it('is decrypted with a key grant, and once it is allowed, the tool runs', async () => {
    const request = await fixture.askToWrite(sessionId, 'allowed.txt');
    const reader = await createReaderKey('X25519', 'reader-1');
    const key = await CallerDataKey.openSessionKey(fixture.ada, sessionId);
    expectStatus(await key.grantToReader(reader.publicKey, { sessionId }), 201);
    const sealed = await fixture.get(`${request.path}/content?encoding=sealed`);
    const opened = await compactDecrypt(sealed.key.sealed, await importJWK(reader.privateKey, 'ECDH-ES+A256KW'));
    const { k } = JSON.parse(Buffer.from(opened.plaintext).toString()) as JWK;
    const content = await compactDecrypt(sealed.content, Buffer.from(k!, 'base64url'));
    expect(JSON.parse(Buffer.from(content.plaintext).toString())).toEqual({
      title: 'Edit allowed.txt',
      tool: 'edit',
      input: { path: expect.stringMatching(/allowed\.txt$/), text: 'written\n' },
      options: [
        { optionId: 'o1', name: 'Allow', kind: 'allow_once' },
        { optionId: 'o2', name: 'Always allow', kind: 'allow_always' },
        { optionId: 'o3', name: 'Reject', kind: 'reject_once' },
      ],
      diff: expect.stringContaining('+written'),
    });
    const contentHash = createHash('sha256').update(sealed.content, 'ascii').digest('base64url');
    expect(contentHash).toBe(request.contentHash);
    expect(fixture.hasFile('allowed.txt')).toBe(false);

    const decided = expectStatus(await fixture.decide({ ...request, contentHash }, { decision: 'allow' }), 200);
    expect(decided.result).toEqual({ state: 'allowed', optionId: 'o1' });
    await fixture.waitForTurn(sessionId, request.turnId, 'completed');
    expect(fixture.hasFile('allowed.txt')).toBe(true);
    expect(await fixture.get(request.path)).toMatchObject({
      state: 'allowed',
      decidedBy: { tokenId: fixture.tokenId, deviceId: null },
    });
  });

  it('is rejected, and the tool does not run', async () => {
    const request = await fixture.askToWrite(sessionId, 'rejected.txt');
    const decided = expectStatus(await fixture.decide(request, { decision: 'reject' }), 200);
    expect(decided.result).toEqual({ state: 'rejected', optionId: 'o3' });
    await fixture.waitForTurn(sessionId, request.turnId, 'completed');
    expect(fixture.hasFile('rejected.txt')).toBe(false);
  });

  it('after the end of a turn is one of a turn that the agent has begun', async () => {
    const message = { content: 'later 300 edit later.txt written\nsay started' };
    const { result } = expectStatus(await fixture.post(`/sessions/${sessionId}/messages`, message), 200);
    expect(result.turn).toMatchObject({ state: 'completed' });
    const [request] = await waitFor(async () => {
      const requests = await fixture.get(`/sessions/${sessionId}/permission-requests?state=pending`);
      expect(requests).toHaveLength(1);
      return requests as { id: string; turnId: string }[];
    }, 10_000);
    const { turnId } = request!;
    const turnPath = `/sessions/${sessionId}/turns/${turnId}`;
    await waitFor(async () => expect(await fixture.get(turnPath)).toMatchObject({ state: 'requires_action' }));
    expect(await fixture.get(turnPath)).toMatchObject({ origin: 'agent', requestId: null });
    expect(await fixture.get(`/sessions/${sessionId}`)).toMatchObject({ activity: 'requires_action' });
    const path = `/sessions/${sessionId}/permission-requests/${request!.id}`;
    const { contentHash } = await fixture.get(`${path}/content`);
    const decided = await fixture.decide({ turnId, path, contentHash }, { decision: 'allow' });
    expect(expectStatus(decided, 200).result).toEqual({ state: 'allowed', optionId: 'o1' });
    await fixture.waitForTurn(sessionId, turnId, 'completed', 30_000);
    expect(fixture.hasFile('later.txt')).toBe(true);
    expect(await fixture.get(`/sessions/${sessionId}`)).toMatchObject({ activity: 'idle' });
  });

  it('is decided only about the content that the caller was shown, and only once', async () => {
    const request = await fixture.askToWrite(sessionId, 'once.txt');
    const contentHash = createHash('sha256').update('other').digest('base64url');
    expect(await fixture.decide({ ...request, contentHash }, { decision: 'allow' })).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect(await fixture.get(request.path)).toMatchObject({ state: 'pending' });
    expectStatus(await fixture.decide(request, { decision: 'reject' }), 200);
    expect(await fixture.decide(request, { decision: 'allow' })).toMatchObject({
      status: 409,
      body: { code: 'permission_not_pending' },
    });
    await fixture.waitForTurn(sessionId, request.turnId, 'completed');
    expect(fixture.hasFile('once.txt')).toBe(false);
  });

  it('is cancelled with its turn', async () => {
    const request = await fixture.askToWrite(sessionId, 'cancelled.txt');
    const cancelled = await fixture.post(`/sessions/${sessionId}/turns/${request.turnId}/cancel`);
    expect(cancelled).toMatchObject({ status: 200, body: { result: { state: 'cancelled' } } });
    await waitFor(async () => expect(await fixture.get(request.path)).toMatchObject({ state: 'cancelled' }));
    expect(await fixture.decide(request, { decision: 'allow' })).toMatchObject({
      status: 409,
      body: { code: 'permission_not_pending' },
    });
    expect(fixture.hasFile('cancelled.txt')).toBe(false);
  });

  it('is rejected when nobody decides within the time of the machine', async () => {
    const machine = await fixture.startMachine('--permission-timeout', '2s');
    const otherId = await fixture.startSession(machine);
    const request = await fixture.askToWrite(otherId, 'expired.txt');
    await fixture.waitForTurn(otherId, request.turnId, 'completed');
    expect(await fixture.get(request.path)).toMatchObject({ state: 'expired', decidedBy: null });
    expect(await fixture.decide(request, { decision: 'allow' })).toMatchObject({
      status: 409,
      body: { code: 'permission_not_pending' },
    });
    expect(fixture.hasFile('expired.txt')).toBe(false);
  });
});
