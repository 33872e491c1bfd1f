import { NO_ANSWER } from '../../support/device/device-socket';
import { ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { faultPaths, problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';

const HOUR = 3_600_000;
const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

describe('an Idempotency-Key', () => {
  let scene: RelayScene;
  let machine: Machine;
  let executions: number;

  beforeAll(async () => {
    scene = await RelayScene.start();
    machine = await scene.machine();
  });
  beforeEach(() => {
    executions = 0;
    machine.socket.answerWith(() => ({ ok: true, result: { execution: ++executions } }));
  });
  afterAll(() => scene?.stop());

  it('replays the first answer, under a request id of its own in the header alone', async () => {
    const first = await scene.invoke(machine.id, { args: ['a'] }, withKey('replayed'));
    const second = await scene.invoke(machine.id, { args: ['a'] }, withKey('replayed'));
    expect(first.status).toBe(200);
    expect(first.headers.has('idempotency-replayed')).toBe(false);
    expect(second.status).toBe(200);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
    expect(second.headers.get('cache-control')).toBe('no-store');
    expect(executions).toBe(1);
  });

  it('replays while the device is offline', async () => {
    const other = await scene.machine();
    const first = await scene.invoke(other.id, {}, withKey('offline'));
    other.socket.close();
    await eventually(async () => expect((await scene.invoke(other.id)).status).toBe(503));
    expect((await scene.invoke(other.id, {}, withKey('offline'))).body).toEqual(first.body);
  });

  it('replays into a session that has ended meanwhile', async () => {
    const session = await scene.ada.openSession(machine.device);
    const first = await scene.message(session.id, 'hi', withKey('session'));
    expect(first.status).toBe(200);
    const path = `/v1/sessions/${session.id}`;
    const options = { token: scene.ada.token, json: { state: 'ended' } };
    ok(await scene.service.http.request('PATCH', path, options), 200);
    expect((await scene.message(session.id, 'hi', withKey('session'))).body).toEqual(first.body);
    problem(await scene.message(session.id, 'hi'), 409, 'session_not_active');
  });

  it('is 422 with another request, which is not run', async () => {
    await scene.invoke(machine.id, { args: ['a'] }, withKey('reused'));
    problem(await scene.invoke(machine.id, { args: ['b'] }, withKey('reused')), 422, 'idempotency_key_reused');
    expect(executions).toBe(1);
  });

  it('takes another order of members for the same request', async () => {
    const http = scene.service.http;
    const send = (raw: string) =>
      http.request('POST', `/external/v1/machines/${machine.id}/invoke`, {
        token: scene.token,
        raw,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'order' },
      });
    const first = await send('{"command":"x","args":["1","2"],"timeoutMs":900}');
    const second = await send('{ "timeoutMs": 900, "args": ["1", "2"], "cwd": null, "command": "x" }');
    expect(second.body).toEqual(first.body);
    problem(await send('{"command":"x","args":["2","1"],"timeoutMs":900}'), 422, 'idempotency_key_reused');
    expect(executions).toBe(1);
  });

  it('is 409 while the first call runs, and 422 with another request then', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    machine.socket.answerWith(() => released.then(() => ({ ok: true, result: { execution: ++executions } })));
    const seen = machine.socket.requests.length;
    const first = scene.invoke(machine.id, {}, withKey('running'));
    await eventually(() => expect(machine.socket.requests).toHaveLength(seen + 1));
    problem(await scene.invoke(machine.id, {}, withKey('running')), 409, 'idempotency_in_progress');
    problem(await scene.invoke(machine.id, { cwd: '/' }, withKey('running')), 422, 'idempotency_key_reused');
    release();
    expect((await first).status).toBe(200);
    expect((await scene.invoke(machine.id, {}, withKey('running'))).status).toBe(200);
    expect(executions).toBe(1);
  });

  it('executes once what is sent ten times at once', async () => {
    const calls = Array.from({ length: 10 }, () => scene.invoke(machine.id, {}, withKey('parallel')));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(executions).toBe(1);
    expect(statuses).toContain(200);
    expect(statuses.every((status) => status === 200 || status === 409)).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['beyond ASCII', 'clé'],
  ])('%s is 400', async (_, key) => {
    expect(faultPaths(await scene.invoke(machine.id, {}, withKey(key)))).toEqual(['/Idempotency-Key']);
    expect(executions).toBe(0);
  });

  it('may have 255 visible characters of any kind', async () => {
    const key = '!"#$%&\'()*+,-./:;<=>?@[]^_`{|}~'.padEnd(255, 'k');
    expect((await scene.invoke(machine.id, {}, withKey(key))).status).toBe(200);
    expect((await scene.invoke(machine.id, {}, withKey(key))).headers.get('idempotency-replayed')).toBe('true');
  });

  it('is another one under another token, and on another path', async () => {
    const { token } = await scene.ada.createToken(['machines:invoke']);
    const other = await scene.machine();
    await scene.invoke(machine.id, {}, withKey('scope'));
    const elsewhere = await scene.invoke(other.id, { args: ['else'] }, withKey('scope'));
    expect(elsewhere.status).toBe(200);
    const path = `/external/v1/machines/${machine.id}/invoke`;
    const foreign = await scene.service.http.post(path, token, { command: 'x' }, withKey('scope'));
    expect(foreign.body.result).toEqual({ execution: 2 });
    expect(foreign.headers.has('idempotency-replayed')).toBe(false);
    other.socket.close();
  });

  it('is kept for 24 hours and free after them', async () => {
    await scene.invoke(machine.id, {}, withKey('day'));
    scene.service.advance(24 * HOUR - 60_000);
    expect((await scene.invoke(machine.id, {}, withKey('day'))).body.result).toEqual({ execution: 1 });
    scene.service.advance(60_000);
    expect((await scene.invoke(machine.id, { args: ['b'] }, withKey('day'))).body.result).toEqual({
      execution: 2,
    });
  });

  it('runs on when its caller hangs up, and keeps the answer', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    machine.socket.answerWith(() => released.then(() => ({ ok: true, result: { execution: ++executions } })));
    const seen = machine.socket.requests.length;
    const hangUp = new AbortController();
    const options = { ...withKey('hung-up'), signal: hangUp.signal };
    const call = scene.invoke(machine.id, {}, options).catch(() => NO_ANSWER);
    await eventually(() => expect(machine.socket.requests).toHaveLength(seen + 1));
    hangUp.abort();
    expect(await call).toBe(NO_ANSWER);
    problem(await scene.invoke(machine.id, {}, withKey('hung-up')), 409, 'idempotency_in_progress');
    release();
    const answer = await eventually(async () => {
      const again = await scene.invoke(machine.id, {}, withKey('hung-up'));
      expect(again.status).toBe(200);
      return again;
    });
    expect(answer.body.result).toEqual({ execution: 1 });
    expect(machine.socket.cancels).toEqual([]);
  });
});
