import { AskingSession } from '../../support/content/asking-session';
import { queryDatabase } from '../../support/database';
import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import type { HttpResponse, RequestOptions } from '../../support/http-client';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const CAPABILITIES = ['session.message', 'session.permission'];
const SCOPES = ['sessions:read', 'sessions:approve', 'sessions:content'];

describe('POST /sessions/{id}/permission-requests/{permissionId}/decision', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let session: AskingSession;
  let token: string;
  let tokenId: string;
  let permissionId: string;
  let contentHash: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine(CAPABILITIES);
    ({ id: tokenId, token } = await fixture.ada.createToken(SCOPES));
  });
  beforeEach(async () => {
    machine.socket.requests.length = 0;
    machine.socket.setHandler(({ params }) => ({ ok: true, result: confirmOption(params.optionId) }));
    await createSession(machine.device);
  });
  afterAll(() => fixture?.stop());

  const confirmOption = (optionId: string) => ({ state: optionId === 'o3' ? 'rejected' : 'allowed', optionId });
  async function createSession(host: ForeignDevice, grantTerms: object = {}): Promise<void> {
    session = await AskingSession.createSession(fixture.service, fixture.ada, host);
    expectStatus(await session.granted.grantToService(grantTerms), 201);
    await ask('p1');
  }
  /** Reports a request of the agent, and reads its hash. */
  async function ask(localId: string, changes: object = {}): Promise<void> {
    permissionId = (await session.requestPermission(localId, changes)).record.id;
    const content = await fixture.http.get(session.getPath(permissionId, '/content'), token);
    contentHash = expectStatus(content, 200).data.contentHash;
  }
  const decide = (body: object, options: RequestOptions = {}, by = token): Promise<HttpResponse> =>
    fixture.http.post(session.getPath(permissionId, '/decision'), by, { contentHash, ...body }, options);
  const readRecord = async () => expectStatus(await fixture.http.get(session.getPath(permissionId), token), 200).data;

  it.each([
    { choice: { decision: 'allow' }, result: { state: 'allowed', optionId: 'o1' } },
    { choice: { decision: 'reject' }, result: { state: 'rejected', optionId: 'o3' } },
    { choice: { optionId: 'o2' }, result: { state: 'allowed', optionId: 'o2' } },
    { choice: { optionId: 'o3', decision: null }, result: { state: 'rejected', optionId: 'o3' } },
  ])('sends $choice to the device of the turn, and stores who decided', async ({ choice, result }) => {
    const httpResponse = await decide(choice);
    const { requestId } = httpResponse.body;
    expect(httpResponse).toMatchObject({ status: 200, body: { requestId, result } });
    expect(httpResponse.headers.get('ratelimit-policy')).toContain('metadata');
    expect(machine.socket.requests).toEqual([
      {
        requestId,
        method: 'session.permission',
        deadline: expect.any(Number),
        serverTime: expect.any(Number),
        timeoutMs: 28_000,
        caller: 'pat',
        sessionId: session.id,
        params: { localId: 'p1', optionId: result.optionId, contentHash },
      },
    ]);
    expect(await readRecord()).toMatchObject({
      state: result.state,
      decidedBy: { tokenId, deviceId: null },
      decidedAt: expect.any(Number),
    });
    expect(await fixture.readAuditRecord(httpResponse)).toMatchObject({
      method: 'session.permission',
      deviceId: machine.device.id,
      status: 200,
      outcome: 'answered',
    });
  });

  it('selects the first option of the kind, in the order of the agent', async () => {
    const options = [
      { optionId: 'o1', kind: 'allow_always' },
      { optionId: 'o2', kind: 'reject_always' },
      { optionId: 'o4', kind: 'allow_once' },
      { optionId: 'o5', kind: 'allow_once' },
    ];
    await ask('p2', { options });
    const refused = await decide({ decision: 'reject' });
    expect(expectViolationPaths(refused)).toEqual(['/decision']);
    expect(machine.socket.requests).toEqual([]);
    expect(expectStatus(await decide({ decision: 'allow' }), 200).result.optionId).toBe('o4');
  });

  it.each([
    { body: {}, paths: ['/decision'] },
    { body: { decision: 'allow', optionId: 'o1' }, paths: ['/optionId'] },
    { body: { decision: 'perhaps' }, paths: ['/decision'] },
    { body: { optionId: 'o9' }, paths: ['/optionId'] },
    { body: { optionId: '' }, paths: ['/optionId'] },
    { body: { decision: 'allow', contentHash: null }, paths: ['/contentHash'] },
    { body: { decision: 'allow', contentHash: 'short' }, paths: ['/contentHash'] },
    { body: { decision: 'allow', localId: 'p1' }, paths: ['/localId'] },
  ])('rejects $body', async ({ body, paths }) => {
    expect(expectViolationPaths(await decide(body))).toEqual(paths);
    expect(machine.socket.requests).toEqual([]);
  });

  it('is 409 conflict for the hash of other content', async () => {
    const problem = expectProblem(await decide({ decision: 'allow', contentHash: 'A'.repeat(43) }), 409, 'conflict');
    expect(problem).not.toHaveProperty('outcome');
    expect(machine.socket.requests).toEqual([]);
    expect(await readRecord()).toMatchObject({ state: 'pending', decidedBy: null });
  });

  it.each([
    { name: 'expired', request: () => ask('p2', { expiresAt: session.now - 1 }) },
    { name: 'cancelled', request: () => ask('p2', { state: 'cancelled' }) },
    { name: 'allowed', request: () => ask('p2', { state: 'allowed', optionId: 'o1', decidedAt: session.now }) },
    { name: 'rejected', request: () => ask('p2', { state: 'rejected', optionId: 'o3', decidedAt: session.now }) },
  ])('is 409 without asking the device if the request is $name', async ({ request }) => {
    await request();
    const options = { headers: { 'Idempotency-Key': `late-${permissionId}` } };
    for (let i = 0; i < 2; i++) {
      const late = await decide({ decision: 'allow' }, options);
      expect(expectProblem(late, 409, 'permission_not_pending')).not.toHaveProperty('outcome');
      expect(late.headers.has('idempotency-replayed')).toBe(false);
    }
    expect(machine.socket.requests).toEqual([]);
  });

  it('is 409 for a request whose content has been deleted', async () => {
    await queryDatabase(fixture.service, 'UPDATE permission_requests SET content = NULL WHERE id = $1', [permissionId]);
    expectProblem(await decide({ decision: 'allow' }), 409, 'permission_not_pending');
  });

  it.each(['permission_not_pending', 'conflict'] as const)('is 409 if the device answers %s', async (code) => {
    machine.socket.setHandler(() => ({ ok: false, error: { code, message: 'x' } }));
    const refused = await decide({ decision: 'allow' });
    expect(expectProblem(refused, 409, code).outcome).toBe('answered');
    expect(await readRecord()).toMatchObject({ state: 'pending', decidedBy: null });
    expect(await fixture.readAuditRecord(refused)).toMatchObject({ status: 409, code, outcome: 'answered' });
  });

  it.each(['internal', 'constructor', '__proto__'])('reports other errors of the device as such: %s', async (code) => {
    machine.socket.setHandler(() => ({ ok: false, error: { code, message: 'x' } }));
    expect(expectProblem(await decide({ decision: 'allow' }), 502, 'device_error').deviceError.code).toBe(code);
  });

  it.each([
    { name: 'another option', result: { state: 'allowed', optionId: 'o2' } },
    { name: 'a state that does not fit', result: { state: 'rejected', optionId: 'o1' } },
  ])('stores nothing if the device confirms $name', async ({ result }) => {
    machine.socket.setHandler(() => ({ ok: true, result }));
    expect(expectStatus(await decide({ decision: 'allow' }), 200).result).toEqual(result);
    expect(await readRecord()).toMatchObject({ state: 'pending', decidedBy: null });
  });

  it('is 502 and stores nothing if the device confirms nothing', async () => {
    machine.socket.setHandler(() => ({ ok: true, result: {} }));
    const { deviceError } = expectProblem(await decide({ decision: 'allow' }), 502, 'device_error');
    expect(deviceError.code).toBe('invalid_answer');
    expect(await readRecord()).toMatchObject({ state: 'pending', decidedBy: null });
  });

  it('goes to no other device while that of the turn is away or cannot decide', async () => {
    const { device } = await fixture.createOfflineMachine();
    const older = await fixture.createMachine(['session.message']);
    for (const host of [device, older.device]) {
      await createSession(host);
      const refused = await decide({ decision: 'allow' });
      expect(expectProblem(refused, 503, 'no_online_device').outcome).toBe('not_delivered');
    }
    expect([machine.socket.requests, older.socket.requests]).toEqual([[], []]);
    expect((await readRecord()).state).toBe('pending');
  });

  it('replays the first answer under an Idempotency-Key', async () => {
    const options = { headers: { 'Idempotency-Key': `once-${permissionId}` } };
    const first = await decide({ decision: 'allow' }, options);
    const again = await decide({ decision: 'allow' }, options);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expectProblem(await decide({ decision: 'reject' }, options), 422, 'idempotency_key_reused');
    expectProblem(await decide({ decision: 'allow' }), 409, 'permission_not_pending');
    expect(machine.socket.requests).toHaveLength(1);
  });

  it('requires a key grant that covers the caller, also to learn whether a hash is right', async () => {
    const { token: other } = await fixture.ada.createToken(SCOPES);
    await createSession(machine.device, { tokenId });
    for (const hash of [contentHash, 'A'.repeat(43)]) {
      const refused = await decide({ decision: 'allow', contentHash: hash }, {}, other);
      expectProblem(refused, 403, 'no_content_grant');
    }
    expect(machine.socket.requests).toEqual([]);
    expectStatus(await decide({ decision: 'allow' }), 200);
  });

  it.each(['sessions:approve', 'sessions:content'])('requires %s', async (scope) => {
    const { token: weak } = await fixture.ada.createToken(SCOPES.filter((each) => each !== scope));
    const refused = await decide({ decision: 'allow' }, {}, weak);
    expect(expectProblem(refused, 403, 'insufficient_scope').required).toEqual([
      'sessions:approve',
      'sessions:content',
    ]);
  });

  it('refuses apps, and callers of other accounts', async () => {
    const eve = await ForeignAccountDevice.signUp(fixture.http);
    const app = await ThirdPartyApp.register(eve);
    const tokens = await app.obtainTokens(fixture.service, fixture.ada, { scope: 'sessions:content' });
    expectProblem(await decide({ decision: 'allow' }, {}, tokens.access_token), 403, 'insufficient_scope');
    const { token: foreign } = await eve.createToken(SCOPES);
    expectProblem(await decide({ decision: 'allow' }, {}, foreign), 404, 'not_found');
    permissionId = 'nonsense';
    expectProblem(await decide({ decision: 'allow' }), 404, 'not_found');
    expect(machine.socket.requests).toEqual([]);
  });
});
