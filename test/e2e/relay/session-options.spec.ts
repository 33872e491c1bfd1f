import { expectStatus } from '../../support/device/foreign-device';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const CAPABILITIES = ['session.message', 'session.start', 'session.options'];
const OFFER = {
  options: [
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      value: 'opus',
      values: [{ value: 'opus', name: 'Opus' }],
    },
  ],
  commands: [{ name: 'compact', description: 'Summarizes' }],
};
const STARTED = { sessionId: 'ses_00000000000000000000000000', turn: null };

describe('the options of a session', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let sessionId: string;
  let writer: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine(CAPABILITIES);
    writer = (await fixture.ada.createToken(['sessions:read', 'sessions:write'])).token;
  });
  beforeEach(async () => {
    machine.socket.requests.length = 0;
    machine.socket.setHandler(({ method }) => ({ ok: true, result: method === 'session.start' ? STARTED : OFFER }));
    sessionId = (await fixture.ada.createSession(machine.device)).id;
  });
  afterAll(() => fixture?.stop());

  const read = (token = writer, id = sessionId) => fixture.http.get(`/external/v1/sessions/${id}/options`, token);
  const change = (body: object, token = writer, id = sessionId) =>
    fixture.http.request('PATCH', `/external/v1/sessions/${id}/options`, { token, json: body });
  const start = (body: object, machineId = machine.id) =>
    fixture.http.post(`/external/v1/machines/${machineId}/sessions`, fixture.token, body);

  it('are what the device answers, and are stored nowhere on the way', async () => {
    const response = await read();
    expect(expectStatus(response, 200).result).toEqual(OFFER);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('etag')).toBeNull();
    expect(response.headers.get('ratelimit-policy')).toContain('relay');
    expect(machine.socket.requests).toMatchObject([
      { method: 'session.options', sessionId, caller: 'pat', params: {} },
    ]);
    expect(await fixture.readAuditRecord(response)).toMatchObject({ method: 'session.options', outcome: 'answered' });
  });

  it('are read by a token that is limited to another machine, as all that changes nothing', async () => {
    const { id } = await fixture.createOfflineMachine();
    const { token } = await fixture.ada.createToken(['sessions:read', 'sessions:write'], { machineIds: [id] });
    expect(expectStatus(await read(token), 200).result).toEqual(OFFER);
    expectProblem(await change({ model: 'opus' }, token), 403, 'machine_not_allowed');
  });

  it('are changed on the device, which learns whether the caller may let the agent decide', async () => {
    const response = await change({ model: 'opus', 'x y': 'a' });
    expect(expectStatus(response, 200).result).toEqual(OFFER);
    expect(response.headers.get('ratelimit-policy')).toContain('relay');
    expectStatus(await change({ model: 'opus' }, fixture.token), 200);
    const control = `/v1/control/sessions/${sessionId}/options`;
    expectStatus(await fixture.http.request('PATCH', control, { token: fixture.ada.token, json: { mode: 'a' } }), 200);
    expect(machine.socket.requests.map(({ method, params }) => [method, params])).toEqual([
      ['session.configure', { options: { model: 'opus', 'x y': 'a' }, mayDecide: false }],
      ['session.configure', { options: { model: 'opus' }, mayDecide: true }],
      ['session.configure', { options: { mode: 'a' }, mayDecide: true }],
    ]);
    expect(await fixture.readAuditRecord(response)).toMatchObject({ method: 'session.configure', status: 200 });
  });

  it('require another scope where the device says that the agent would decide by itself', async () => {
    machine.socket.setHandler(() => ({ ok: false, error: { code: 'scope_required', message: 'It decides.' } }));
    const problem = expectProblem(await change({ mode: 'auto' }), 403, 'insufficient_scope');
    expect(problem).toMatchObject({ required: ['sessions:write', 'machines:invoke'], outcome: 'answered' });
  });

  it('have the errors of the device', async () => {
    machine.socket.setHandler(() => ({ ok: false, error: { code: 'option_not_found', message: 'No option.' } }));
    const problem = expectProblem(await change({ colour: 'red' }), 502, 'device_error');
    expect(problem).toMatchObject({ outcome: 'answered', deviceError: { code: 'option_not_found' } });
    machine.socket.setHandler(() => ({ ok: true, result: { options: 'all' } }));
    expect(expectProblem(await read(), 502, 'device_error').deviceError.code).toBe('invalid_answer');
  });

  it.each([
    [{}, ['']],
    [{ model: null }, ['']],
    [{ model: 7 }, ['/model']],
    [{ model: '' }, ['/model']],
    [{ model: { value: 'opus' } }, ['/model']],
    [{ model: 'a\nb', effort: 'low' }, ['/model']],
    [{ 'a\tb': 'a' }, ['/a\tb']],
    [Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`o${index}`, 'a'])), ['']],
  ])('are refused before anything is sent: %j', async (body, paths) => {
    expect(expectViolationPaths(await change(body))).toEqual(paths);
    expect(machine.socket.requests).toEqual([]);
  });

  it('are for tokens with the scope, active sessions and devices that know them', async () => {
    const reader = (await fixture.ada.createToken(['sessions:read'])).token;
    expectStatus(await read(reader), 200);
    expect(expectProblem(await change({ model: 'opus' }, reader), 403, 'insufficient_scope').required).toEqual([
      'sessions:write',
    ]);
    expectProblem(await read(writer, 'ses_00000000000000000000000000'), 404, 'not_found');
    const older = await fixture.createMachine(['session.message', 'session.start', 'session.grant']);
    const olderSession = (await fixture.ada.createSession(older.device)).id;
    expectProblem(await read(writer, olderSession), 503, 'no_online_device');
    expectProblem(await change({ model: 'opus' }, writer, olderSession), 503, 'no_online_device');
    await fixture.http.request('PATCH', `/v1/sessions/${sessionId}`, {
      token: fixture.ada.token,
      json: { state: 'ended' },
    });
    expectProblem(await change({ model: 'opus' }), 409, 'session_not_active');
    expectProblem(await read(), 409, 'session_not_active');
  });

  describe('that a start chooses', () => {
    it('are sent to the device', async () => {
      expectStatus(await start({ options: { model: 'opus' }, mode: 'plan' }), 200);
      expect(machine.socket.requests[0].params).toMatchObject({ options: { model: 'opus' }, mode: 'plan' });
      expectStatus(await start({}), 200);
      expect(machine.socket.requests[1].params).not.toHaveProperty('options');
    });

    it.each([[{}], [{ model: 7 }], ['opus'], [['opus']], [{ model: 'a\u0007' }]])(
      'are refused if they are not values: %j',
      async (options) => {
        expect(expectViolationPaths(await start({ options }))).toEqual(['/options']);
        expect(machine.socket.requests).toEqual([]);
      },
    );

    it('are refused with two modes, and for a device that would ignore them', async () => {
      expect(expectViolationPaths(await start({ mode: 'plan', options: { mode: 'build' } }))).toEqual([
        '/options/mode',
      ]);
      const older = await fixture.createRecordedMachine(['session.start', 'session.grant']);
      expect(expectViolationPaths(await start({ options: { model: 'opus' } }, older.id))).toEqual(['/options']);
      expect([machine.socket.requests, older.socket.requests]).toEqual([[], []]);
    });
  });

  it('are named by the machine that offers them, without their values', async () => {
    const { device, id } = await fixture.createOfflineMachine();
    const options = [{ id: 'model', category: 'model' }, { id: 'other' }];
    const body = { name: 'box', platform: 'linux', agents: [{ name: 'a', options }, { name: 'b' }] };
    expectStatus(await fixture.http.post('/v1/machines', device.token, body), 200);
    const { token } = await fixture.ada.createToken(['machines:read']);
    const { agents } = expectStatus(await fixture.http.get(`/external/v1/machines/${id}`, token), 200).data;
    expect(agents).toMatchObject([
      {
        name: 'a',
        options: [
          { id: 'model', category: 'model' },
          { id: 'other', category: null },
        ],
      },
      { name: 'b', options: [] },
    ]);
    const invalid = { ...body, agents: [{ name: 'a', options: [{ id: 'x\n' }] }] };
    expect(expectViolationPaths(await fixture.http.post('/v1/machines', device.token, invalid))).toEqual([
      '/agents/0/options/0/id',
    ]);
  });
});
