import { AskingSession } from '../../support/content/asking-session';
import { encryptWithJose } from '../../support/content/jose-keys';
import { findTablesContaining } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse, RequestOptions } from '../../support/http-client';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const CAPABILITIES = ['session.message', 'session.permission', 'session.question', 'permission.message'];
const SCOPES = ['sessions:read', 'sessions:write', 'sessions:approve', 'sessions:content'];
const MESSAGE = 'Use the unmistakable cache.';
const QUESTION = { kind: 'question', options: [] };

describe('a message with a decision', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let session: AskingSession;
  let token: string;
  let permissionId: string;
  let contentHash: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine(CAPABILITIES);
    ({ token } = await fixture.ada.createToken(SCOPES));
  });
  beforeEach(async () => {
    machine.socket.requests.length = 0;
    machine.socket.setHandler(({ requestId, params: { optionId = null, message, sealedMessage } }) => {
      const turn = { id: requestId.replace('req_', 'turn_'), state: 'queued', stopReason: null };
      const result = { state: optionId === 'o1' ? 'allowed' : 'rejected', optionId };
      return { ok: true, result: message || sealedMessage ? { ...result, turn } : result };
    });
    await ask(machine);
  });
  afterAll(() => fixture?.stop());

  async function ask({ device }: ConnectedMachine, change: object = {}): Promise<void> {
    session = await AskingSession.createSession(fixture.service, fixture.ada, device);
    expectStatus(await session.granted.grantToService({}), 201);
    permissionId = (await session.requestPermission('p1', change)).record.id;
    const content = await fixture.http.get(session.getPath(permissionId, '/content'), token);
    contentHash = expectStatus(content, 200).data.contentHash;
  }
  const decide = (body: object, options: RequestOptions = {}, by = token): Promise<HttpResponse> =>
    fixture.http.post(session.getPath(permissionId, '/decision'), by, { contentHash, ...body }, options);
  const readState = async () =>
    expectStatus(await fixture.http.get(session.getPath(permissionId), token), 200).data.state;
  const sealMessage = (svc: object = {}) => {
    const { key, tag } = session.granted;
    const place = { a: fixture.ada.accountId, s: tag, h: contentHash, r: 'user', ...svc };
    return encryptWithJose(key.bytes, { kid: key.kid, cty: 'text/plain', svc: place }, MESSAGE);
  };

  it.each([
    [{ decision: 'reject' }, { optionId: 'o3' }, 'rejected'],
    [{ decision: 'allow' }, { optionId: 'o1' }, 'allowed'],
    [{ optionId: 'o3' }, { optionId: 'o3' }, 'rejected'],
  ])('reaches the device with %j, and its turn exists when the call returns', async (choice, params, state) => {
    const decided = await decide({ ...choice, message: MESSAGE });
    const turnId = decided.body.requestId.replace('req_', 'turn_');
    const turn = { id: turnId, state: 'queued', stopReason: null };
    expect(expectStatus(decided, 200).result).toEqual({ state, ...params, turn });
    expect(machine.socket.requests).toMatchObject([
      { method: 'session.permission', params: { localId: 'p1', contentHash, ...params, message: MESSAGE } },
    ]);
    const path = `/external/v1/sessions/${session.id}/turns/${turnId}`;
    expect(expectStatus(await fixture.http.get(path, token), 200).data).toMatchObject({ state: 'queued' });
    expect(await readState()).toBe(state);
    expect(await fixture.readAuditRecord(decided)).toMatchObject({ method: 'session.permission', status: 200 });
  });

  it('comes with answers to a question, or declines it', async () => {
    await ask(machine, QUESTION);
    expectStatus(await decide({ decision: 'decline', message: MESSAGE }), 200);
    await ask(machine, QUESTION);
    expectStatus(await decide({ answers: { a: 1 }, message: MESSAGE }), 200);
    expect(machine.socket.requests.map(({ params }) => [params.answers, params.message])).toEqual([
      [null, MESSAGE],
      [{ a: 1 }, MESSAGE],
    ]);
  });

  it('can be sealed, and is passed on as it is', async () => {
    const sealedMessage = await sealMessage();
    expectStatus(await decide({ decision: 'reject', sealedMessage }), 200);
    expect(machine.socket.requests[0]!.params).toEqual({ localId: 'p1', contentHash, optionId: 'o3', sealedMessage });
  });

  it.each([
    ['another request', () => sealMessage({ h: 'A'.repeat(43) })],
    ['answers', () => sealMessage({ r: undefined })],
    ['nothing', () => Promise.resolve('text')],
  ])('is refused if it is sealed for %s', async (_, seal) => {
    const refused = await decide({ decision: 'reject', sealedMessage: await seal() });
    expect(expectViolationPaths(refused)).toEqual(['/sealedMessage']);
    expect([machine.socket.requests, await readState()]).toEqual([[], 'pending']);
  });

  it.each([
    [{ message: '' }, ['/message']],
    [{ message: ' \n' }, ['/message']],
    [{ message: 7 }, ['/message']],
    [{ message: 'x'.repeat(2_001) }, ['/message']],
    [{ message: MESSAGE, sealedMessage: 'x' }, ['/sealedMessage']],
    [{ sealedMessage: '' }, ['/sealedMessage']],
  ])('refuses the message %j', async (body, paths) => {
    expect(expectViolationPaths(await decide({ decision: 'reject', ...body }))).toEqual(paths);
    expect([machine.socket.requests, await readState()]).toEqual([[], 'pending']);
  });

  it('needs a decision, and may have the full length', async () => {
    expect(expectViolationPaths(await decide({ message: MESSAGE }))).toEqual(['/decision']);
    expectStatus(await decide({ decision: 'reject', message: 'x'.repeat(2_000) }), 200);
  });

  it('needs the scope that prompts agents', async () => {
    const { token: approver } = await fixture.ada.createToken(SCOPES.filter((scope) => scope !== 'sessions:write'));
    const refused = await decide({ decision: 'reject', message: MESSAGE }, {}, approver);
    expect(expectProblem(refused, 403, 'insufficient_scope').required).toContain('sessions:write');
    expect([machine.socket.requests, await readState()]).toEqual([[], 'pending']);
    expectStatus(await decide({ decision: 'reject', message: null }, {}, approver), 200);
  });

  it('goes to no device that would ignore it', async () => {
    await ask(await fixture.createMachine(['session.message', 'session.permission', 'session.question']));
    for (const body of [{ message: MESSAGE }, { sealedMessage: await sealMessage() }]) {
      const refused = expectProblem(await decide({ decision: 'reject', ...body }), 503, 'no_online_device');
      expect(refused.outcome).toBe('not_delivered');
    }
    expect(await readState()).toBe('pending');
  });

  it('is sent once under an Idempotency-Key', async () => {
    const options = { headers: { 'Idempotency-Key': `once-${permissionId}` } };
    const body = { decision: 'reject', message: MESSAGE };
    const [first, again] = [await decide(body, options), await decide(body, options)];
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expectProblem(await decide({ ...body, message: 'Other.' }, options), 422, 'idempotency_key_reused');
    expect(machine.socket.requests).toHaveLength(1);
  });

  it('is not sent again after somebody has decided', async () => {
    expectStatus(await decide({ decision: 'reject', message: MESSAGE }), 200);
    const late = await decide({ decision: 'reject', message: 'Other.' });
    expectProblem(late, 409, 'permission_not_pending');
    expect(machine.socket.requests).toHaveLength(1);
  });

  it('is in no table', async () => {
    expectStatus(await decide({ decision: 'reject', message: MESSAGE }), 200);
    expect(await findTablesContaining(fixture.service, 'unmistakable')).toEqual([]);
  });
});
