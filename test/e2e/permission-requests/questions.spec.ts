import { AskingSession } from '../../support/content/asking-session';
import { encryptWithJose } from '../../support/content/jose-keys';
import { queryDatabase } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse, RequestOptions } from '../../support/http-client';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const CAPABILITIES = ['session.message', 'session.permission', 'session.question'];
const SCOPES = ['sessions:read', 'sessions:approve', 'sessions:content'];
const QUESTION = { kind: 'question', options: [] };
const ANSWERS = { database: 'postgres', port: 5432, tests: true, tags: ['a', 'b'] };

describe('questions of agents', () => {
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
    machine.socket.setHandler(({ params }) => ({
      ok: true,
      result: { state: params.answers === null ? 'rejected' : 'allowed', optionId: null },
    }));
    await ask(machine);
  });
  afterAll(() => fixture?.stop());

  /** Reports a question of the agent, and reads its hash. */
  async function ask({ device }: ConnectedMachine, change: object = QUESTION): Promise<void> {
    session = await AskingSession.createSession(fixture.service, fixture.ada, device);
    expectStatus(await session.granted.grantToService({}), 201);
    permissionId = (await session.requestPermission('p1', change)).record.id;
    const content = await fixture.http.get(session.getPath(permissionId, '/content'), token);
    contentHash = expectStatus(content, 200).data.contentHash;
  }
  const decide = (body: object, options: RequestOptions = {}): Promise<HttpResponse> =>
    fixture.http.post(session.getPath(permissionId, '/decision'), token, { contentHash, ...body }, options);
  const readRecord = async () => expectStatus(await fixture.http.get(session.getPath(permissionId), token), 200).data;
  const sealAnswers = (svc: object = {}) => {
    const { key, tag } = session.granted;
    const place = { a: fixture.ada.accountId, s: tag, h: contentHash, ...svc };
    return encryptWithJose(key.bytes, { kid: key.kid, cty: 'application/json', svc: place }, JSON.stringify(ANSWERS));
  };

  it('are requests without options, whose answers reach the device of the turn', async () => {
    expect(await readRecord()).toMatchObject({ ...QUESTION, state: 'pending' });
    const answered = await decide({ answers: ANSWERS });
    expect(expectStatus(answered, 200).result).toEqual({ state: 'allowed', optionId: null });
    expect(machine.socket.requests).toMatchObject([
      { method: 'session.permission', caller: 'pat', params: { localId: 'p1', contentHash, answers: ANSWERS } },
    ]);
    expect(await readRecord()).toMatchObject({ state: 'allowed', decidedBy: { tokenId, deviceId: null } });
    expect(await fixture.readAuditRecord(answered)).toMatchObject({
      method: 'session.permission',
      outcome: 'answered',
    });
  });

  it('can be declined', async () => {
    expect(expectStatus(await decide({ decision: 'decline' }), 200).result).toEqual({
      state: 'rejected',
      optionId: null,
    });
    expect(machine.socket.requests).toMatchObject([{ params: { localId: 'p1', contentHash, answers: null } }]);
    expect(await readRecord()).toMatchObject({ state: 'rejected', decidedBy: { tokenId } });
    expectProblem(await decide({ answers: ANSWERS }), 409, 'permission_not_pending');
  });

  it('take sealed answers, which the service passes on as they are', async () => {
    const sealedAnswers = await sealAnswers();
    expectStatus(await decide({ sealedAnswers }), 200);
    expect(machine.socket.requests).toMatchObject([{ params: { localId: 'p1', contentHash, sealedAnswers } }]);
    expect(await readRecord()).toMatchObject({ state: 'allowed' });
  });

  it.each([
    ['another question', () => sealAnswers({ h: 'A'.repeat(43) })],
    ['another place', () => sealAnswers({ p: 'p1' })],
    ['nothing', () => Promise.resolve('text')],
  ])('refuse answers that are sealed for %s', async (_, seal) => {
    expect(expectViolationPaths(await decide({ sealedAnswers: await seal() }))).toEqual(['/sealedAnswers']);
    expect(machine.socket.requests).toEqual([]);
  });

  it.each([
    [{}, ['/decision']],
    [{ decision: 'allow' }, ['/decision']],
    [{ decision: 'reject' }, ['/decision']],
    [{ optionId: 'o1' }, ['/optionId']],
    [{ answers: {}, decision: 'decline' }, ['/answers']],
    [{ answers: {}, sealedAnswers: 'x' }, ['/sealedAnswers']],
    [{ answers: [] }, ['/answers']],
    [{ answers: 'text' }, ['/answers']],
    [{ answers: { a: { b: 'nested' } } }, ['/answers']],
    [{ answers: { a: [['nested']] } }, ['/answers']],
    [{ answers: { a: 'x'.repeat(8_192) } }, ['/answers']],
    [{ answers: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`f${i}`, i])) }, ['/answers']],
  ])('refuse the decision %j', async (body, paths) => {
    expect(expectViolationPaths(await decide(body))).toEqual(paths);
    expect(machine.socket.requests).toEqual([]);
    expect(await readRecord()).toMatchObject({ state: 'pending' });
  });

  it.each([
    [{ answers: ANSWERS }, ['/answers']],
    [{ decision: 'decline' }, ['/decision']],
    [{ sealedAnswers: 'x' }, ['/sealedAnswers']],
  ])('are no other requests: those refuse %j', async (body, paths) => {
    await ask(machine, {});
    expect(expectViolationPaths(await decide(body))).toEqual(paths);
    expect(machine.socket.requests).toEqual([]);
  });

  it('wait on after answers that the device finds unfit, and say why without invisible characters', async () => {
    const message = 'The field "port" must be at least 1024.';
    const error = { code: 'invalid_answers', message: `${message}\u202e` };
    machine.socket.setHandler(() => ({ ok: false, error }));
    const refused = expectProblem(await decide({ answers: { port: 80 } }), 400, 'invalid_request');
    const shown = { in: 'body', path: '/answers', message: `${message}\ufffd` };
    expect(refused).toMatchObject({ outcome: 'answered', errors: [shown] });
    expect(await readRecord()).toMatchObject({ state: 'pending', decidedBy: null });
  });

  it.each([
    ['a state that nobody decides', { state: 'expired', optionId: null }],
    ['an option', { state: 'allowed', optionId: 'o1' }],
  ])('stay pending if the device confirms %s', async (_, result) => {
    machine.socket.setHandler(() => ({ ok: true, result }));
    expectStatus(await decide({ answers: ANSWERS }), 200);
    expect(await readRecord()).toMatchObject({ state: 'pending', decidedBy: null });
  });

  it('go to no device that cannot be answered', async () => {
    await ask(await fixture.createMachine(['session.message', 'session.permission']));
    for (const body of [{ answers: ANSWERS }, { decision: 'decline' }, { sealedAnswers: await sealAnswers() }])
      expect(expectProblem(await decide(body), 503, 'no_online_device').outcome).toBe('not_delivered');
  });

  it('are answered once under an Idempotency-Key', async () => {
    const options = { headers: { 'Idempotency-Key': `once-${permissionId}` } };
    const first = await decide({ answers: ANSWERS }, options);
    const again = await decide({ answers: ANSWERS }, options);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expectProblem(await decide({ answers: {} }, options), 422, 'idempotency_key_reused');
    expect(machine.socket.requests).toHaveLength(1);
  });

  it('have final states without an option', async () => {
    const report = await session.buildReport('p2', QUESTION);
    const states = [
      { state: 'allowed', decidedAt: session.now },
      { state: 'rejected', decidedAt: session.now },
      { state: 'expired' },
    ];
    for (const [index, state] of states.entries()) {
      const localId = `q${index}`;
      const content = await session.encryptContent(localId);
      const stored = await session.putReport(localId, { ...report, content, ...state });
      expect(expectStatus(stored, 201).data).toMatchObject({ ...QUESTION, state: state.state });
    }
    const withOption = { ...report, state: 'allowed', optionId: 'o1', decidedAt: session.now };
    expect(expectViolationPaths(await session.putReport('p2', withOption))).toEqual(['/optionId']);
  });

  it('leave no answers in the database', async () => {
    await decide({ answers: { database: 'unmistakable' } });
    const rows = await queryDatabase(fixture.service, 'SELECT * FROM permission_requests WHERE id = $1', [
      permissionId,
    ]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('unmistakable');
  });
});
