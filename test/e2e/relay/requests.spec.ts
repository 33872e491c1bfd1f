import { computeTurnId } from '@external-api/protocol';
import { echoRequest } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { expectViolationPaths, expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const INVALID_INVOCATIONS: [body: object, faults: string[]][] = [
  [{ command: undefined }, ['/command']],
  [{ command: null }, ['/command']],
  [{ command: '' }, ['/command']],
  [{ command: 'c'.repeat(4_097) }, ['/command']],
  [{ command: 'a\0b' }, ['/command']],
  [{ command: 7 }, ['/command']],
  [{ command: ['ls'] }, ['/command']],
  [{ args: 'ls' }, ['/args']],
  [{ args: { 0: 'ls' } }, ['/args']],
  [{ args: Array.from({ length: 257 }, () => '') }, ['/args']],
  [{ args: ['a'.repeat(8_193)] }, ['/args']],
  [{ args: ['a', 1] }, ['/args']],
  [{ args: ['a', null] }, ['/args']],
  [{ args: ['a', 'a\0b'] }, ['/args/1']],
  [{ args: ['a', 'a\ud800b', '\udc00'] }, ['/args/1', '/args/2']],
  [{ command: 'a\ud800', cwd: '\udfff' }, ['/command', '/cwd']],
  [{ env: { 'A\ud800': 'b' } }, ['/env', '/env/A\ufffd']],
  [{ cwd: 'd'.repeat(4_097) }, ['/cwd']],
  [{ cwd: '/tmp\0' }, ['/cwd']],
  [{ cwd: 7 }, ['/cwd']],
  [{ timeoutMs: 0 }, ['/timeoutMs']],
  [{ timeoutMs: -1 }, ['/timeoutMs']],
  [{ timeoutMs: 30_001 }, ['/timeoutMs']],
  [{ timeoutMs: 1.5 }, ['/timeoutMs']],
  [{ timeoutMs: '1000' }, ['/timeoutMs']],
  [{ shell: true }, ['/shell']],
  [{ command: '', timeoutMs: 0, cwd: 1, shell: true }, ['/command', '/cwd', '/shell', '/timeoutMs']],
];

const VALID_INVOCATIONS: [body: object, given: object][] = [
  [{}, { timeoutMs: 20_000, params: { command: 'true', args: [], cwd: null } }],
  [
    { args: null, cwd: null, timeoutMs: null },
    { timeoutMs: 20_000, params: { command: 'true', args: [], cwd: null } },
  ],
  [{ timeoutMs: 1 }, { timeoutMs: 1 }],
  [{ timeoutMs: 28_000 }, { timeoutMs: 28_000 }],
  [{ timeoutMs: 28_001 }, { timeoutMs: 28_000 }],
  [{ timeoutMs: 30_000 }, { timeoutMs: 28_000 }],
  [{ command: ' $(rm) ; ' }, { params: { command: ' $(rm) ; ', args: [], cwd: null } }],
  [{ command: '\u{1f600}'.repeat(4_096) }, { method: 'machine.invoke' }],
  [{ args: ['', 'a\nb', 'a'.repeat(8_192)] }, { params: { args: ['', 'a\nb', 'a'.repeat(8_192)] } }],
  [{ args: Array.from({ length: 256 }, () => 'a') }, { method: 'machine.invoke' }],
  [{ cwd: 'd'.repeat(4_096) }, { params: { cwd: 'd'.repeat(4_096) } }],
];

describe('the request of a relayed call', () => {
  let fixture: RelayFixture;
  let connectedMachine: ConnectedMachine;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    connectedMachine = await fixture.createMachine();
    sessionId = (await fixture.ada.createSession(connectedMachine.device)).id;
  });
  afterAll(() => fixture?.stop());

  const lastRequest = () => connectedMachine.socket.requests.at(-1);

  it.each(INVALID_INVOCATIONS)('refuses the invocation %#, naming each fault', async (body, faults) => {
    const before = connectedMachine.socket.requests.length;
    expect(expectViolationPaths(await fixture.invokeMachine(connectedMachine.id, body)).sort()).toEqual(faults);
    expect(connectedMachine.socket.requests).toHaveLength(before);
  });

  it.each(VALID_INVOCATIONS)('passes the invocation %# on to the device', async (body, given) => {
    expect((await fixture.invokeMachine(connectedMachine.id, body)).status).toBe(200);
    expect(lastRequest()).toMatchObject({
      method: 'machine.invoke',
      machineId: connectedMachine.id,
      caller: 'pat',
      ...given,
    });
    expect(lastRequest()).not.toHaveProperty('sessionId');
  });

  it.each([[''], [' \n\t '], ['c'.repeat(100_001)], [7], [null], [{}], ['a\ud800b']])(
    'rejects message content %#',
    async (content) => {
      expect(expectViolationPaths(await fixture.sendMessage(sessionId, content as string))).toEqual(['/content']);
    },
  );

  it.each([['x'], [' x '], ['c'.repeat(100_000)], ['\u{1f600}'.repeat(100_000)], ['a\0b']])(
    'sends message content %# to the device with a limit of 28 seconds',
    async (content) => {
      expect((await fixture.sendMessage(sessionId, content)).status).toBe(200);
      const given = { method: 'session.message', sessionId, timeoutMs: 28_000, caller: 'pat' };
      expect(lastRequest()).toMatchObject(given);
      expect(lastRequest().params).toEqual({ content, waitMs: 25_000 });
      expect(lastRequest()).not.toHaveProperty('machineId');
    },
  );

  const sendWithWait = (waitMs: unknown) =>
    fixture.service.http.post(`/external/v1/sessions/${sessionId}/messages`, fixture.token, { content: 'x', waitMs });

  it.each([0, 1, 25_000])('tells the device how long the caller waits for the turn: %i ms', async (waitMs) => {
    expect((await sendWithWait(waitMs)).status).toBe(200);
    expect(lastRequest()).toMatchObject({ timeoutMs: 28_000, params: { waitMs } });
  });

  it.each([[-1], [25_001], [0.5], ['0']])('refuses to wait for %j ms', async (waitMs) => {
    expect(expectViolationPaths(await sendWithWait(waitMs))).toEqual(['/waitMs']);
  });

  it('returns the turn as the device reports it', async () => {
    const createResult = (requestId: string) => ({
      accepted: true,
      messageId: null,
      reply: null,
      turn: { id: computeTurnId(requestId), state: 'running', stopReason: null },
    });
    connectedMachine.socket.setHandler(({ requestId }) => ({ ok: true, result: createResult(requestId) }));
    const { requestId, result } = expectStatus(await fixture.sendMessage(sessionId), 200);
    expect(result).toEqual(createResult(requestId));
    connectedMachine.socket.setHandler(echoRequest);
  });

  it('reports missing and unknown fields together', async () => {
    const path = `/external/v1/sessions/${sessionId}/messages`;
    const httpResponse = await fixture.service.http.post(path, fixture.token, { role: 'user' });
    expect(expectViolationPaths(httpResponse).sort()).toEqual(['/content', '/role']);
  });

  it('is the same 404 for an id that is unknown, malformed or another account’s', async () => {
    const eve = await ForeignAccountDevice.signUp(fixture.service.http);
    const foreign = { session: (await eve.createSession(eve)).id, machine: '' };
    const box = await eve.pairDevice('machine');
    const details = { name: 'box', platform: 'linux' };
    foreign.machine = expectStatus(await fixture.service.http.post('/v1/machines', box.token, details), 201).data.id;
    const bodies = new Set<string>();
    const note = ({ requestId: _, ...body }: Record<string, unknown>) => bodies.add(JSON.stringify(body));
    const odd = ['nonsense', '%00', '%27', 'x'.repeat(2_000), '%F0%9F%98%80'];
    for (const id of [
      foreign.session,
      'ses_00000000000000000000000000',
      connectedMachine.id,
      sessionId.toUpperCase(),
      ...odd,
    ]) {
      note(expectProblem(await fixture.sendMessage(id), 404, 'not_found'));
    }
    expect(bodies.size).toBe(1);
    bodies.clear();
    for (const id of [
      foreign.machine,
      'mch_00000000000000000000000000',
      sessionId,
      connectedMachine.id.toUpperCase(),
      ...odd,
    ]) {
      note(expectProblem(await fixture.invokeMachine(id), 404, 'not_found'));
    }
    expect(bodies.size).toBe(1);
  });

  it('is 409 session_not_active for a session that has ended, until it is active again', async () => {
    const patch = (state: string) =>
      fixture.service.http.request('PATCH', `/v1/sessions/${sessionId}`, {
        token: fixture.ada.token,
        json: { state },
      });
    expectStatus(await patch('ended'), 200);
    expectProblem(await fixture.sendMessage(sessionId), 409, 'session_not_active');
    expectStatus(await patch('active'), 200);
    expect((await fixture.sendMessage(sessionId)).status).toBe(200);
  });

  it('requires the scope of the call before it validates the body', async () => {
    const { token } = await fixture.ada.createToken(['sessions:read', 'machines:read']);
    const http = fixture.service.http;
    const message = await http.post(`/external/v1/sessions/${sessionId}/messages`, token, {});
    expect(expectProblem(message, 403, 'insufficient_scope').required).toEqual(['sessions:write']);
    const invoke = await http.post(`/external/v1/machines/${connectedMachine.id}/invoke`, token, {});
    expect(expectProblem(invoke, 403, 'insufficient_scope').required).toEqual(['machines:invoke']);
  });

  it('validates the body before it looks up the resource', async () => {
    expectProblem(await fixture.sendMessage('ses_00000000000000000000000000', ''), 400, 'invalid_request');
    expectProblem(
      await fixture.invokeMachine('mch_00000000000000000000000000', { command: '' }),
      400,
      'invalid_request',
    );
  });
});
