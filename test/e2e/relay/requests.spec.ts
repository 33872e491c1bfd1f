import { AccountDevice, ok } from '../../support/device/foreign-device';
import { faultPaths, problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';

const BAD_INVOCATIONS: [body: object, faults: string[]][] = [
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

const GOOD_INVOCATIONS: [body: object, given: object][] = [
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
  let scene: RelayScene;
  let machine: Machine;
  let sessionId: string;

  beforeAll(async () => {
    scene = await RelayScene.start();
    machine = await scene.machine();
    sessionId = (await scene.ada.openSession(machine.device)).id;
  });
  afterAll(() => scene?.stop());

  const lastRequest = () => machine.socket.requests.at(-1);

  it.each(BAD_INVOCATIONS)('refuses the invocation %#, naming each fault', async (body, faults) => {
    const before = machine.socket.requests.length;
    expect(faultPaths(await scene.invoke(machine.id, body)).sort()).toEqual(faults);
    expect(machine.socket.requests).toHaveLength(before);
  });

  it.each(GOOD_INVOCATIONS)('passes the invocation %# on to the device', async (body, given) => {
    expect((await scene.invoke(machine.id, body)).status).toBe(200);
    expect(lastRequest()).toMatchObject({ method: 'machine.invoke', machineId: machine.id, ...given });
    expect(lastRequest()).not.toHaveProperty('sessionId');
  });

  it.each([[''], [' \n\t '], ['c'.repeat(100_001)], [7], [null], [{}]])(
    'refuses message content %#',
    async (content) => {
      expect(faultPaths(await scene.message(sessionId, content as string))).toEqual(['/content']);
    },
  );

  it.each([['x'], [' x '], ['c'.repeat(100_000)], ['\u{1f600}'.repeat(100_000)], ['a\0b']])(
    'passes message content %# on to the device, which has 28 seconds',
    async (content) => {
      expect((await scene.message(sessionId, content)).status).toBe(200);
      const given = { method: 'session.message', sessionId, timeoutMs: 28_000, params: { content } };
      expect(lastRequest()).toMatchObject(given);
      expect(lastRequest()).not.toHaveProperty('machineId');
    },
  );

  it('names a field that is missing beside one that a message does not have', async () => {
    const path = `/external/v1/sessions/${sessionId}/messages`;
    const answer = await scene.service.http.post(path, scene.token, { role: 'user' });
    expect(faultPaths(answer).sort()).toEqual(['/content', '/role']);
  });

  it('is the same 404 for an id that is unknown, malformed or another account’s', async () => {
    const eve = await AccountDevice.signUp(scene.service.http);
    const foreign = { session: (await eve.openSession(eve)).id, machine: '' };
    const box = await eve.adopt('machine');
    const details = { name: 'box', platform: 'linux' };
    foreign.machine = ok(await scene.service.http.post('/v1/machines', box.token, details), 201).data.id;
    const bodies = new Set<string>();
    const note = ({ requestId: _, ...body }: Record<string, unknown>) => bodies.add(JSON.stringify(body));
    const odd = ['nonsense', '%00', '%27', 'x'.repeat(2_000), '%F0%9F%98%80'];
    for (const id of [foreign.session, 'ses_00000000000000000000000000', machine.id, sessionId.toUpperCase(), ...odd]) {
      note(problem(await scene.message(id), 404, 'not_found'));
    }
    expect(bodies.size).toBe(1);
    bodies.clear();
    for (const id of [foreign.machine, 'mch_00000000000000000000000000', sessionId, machine.id.toUpperCase(), ...odd]) {
      note(problem(await scene.invoke(id), 404, 'not_found'));
    }
    expect(bodies.size).toBe(1);
  });

  it('is 409 session_not_active for a session that has ended, until it is active again', async () => {
    const patch = (state: string) =>
      scene.service.http.request('PATCH', `/v1/sessions/${sessionId}`, {
        token: scene.ada.token,
        json: { state },
      });
    ok(await patch('ended'), 200);
    problem(await scene.message(sessionId), 409, 'session_not_active');
    ok(await patch('active'), 200);
    expect((await scene.message(sessionId)).status).toBe(200);
  });

  it('asks for the scope of the call, before it looks at the body', async () => {
    const { token } = await scene.ada.createToken(['sessions:read', 'machines:read']);
    const http = scene.service.http;
    const message = await http.post(`/external/v1/sessions/${sessionId}/messages`, token, {});
    expect(problem(message, 403, 'insufficient_scope').required).toEqual(['sessions:write']);
    const invoke = await http.post(`/external/v1/machines/${machine.id}/invoke`, token, {});
    expect(problem(invoke, 403, 'insufficient_scope').required).toEqual(['machines:invoke']);
  });

  it('looks at the body before it looks the resource up', async () => {
    problem(await scene.message('ses_00000000000000000000000000', ''), 400, 'invalid_request');
    problem(await scene.invoke('mch_00000000000000000000000000', { command: '' }), 400, 'invalid_request');
  });
});
