import { setTimeout as sleep } from 'node:timers/promises';
import { NO_ANSWER } from '../../support/device/device-socket';
import { eventually } from '../../support/eventually';
import { problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';

const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

describe('what an Idempotency-Key keeps', () => {
  let scene: RelayScene;
  let machine: Machine;

  beforeAll(async () => {
    scene = await RelayScene.start();
  });
  beforeEach(async () => {
    machine = await scene.machine();
  });
  afterEach(() => machine.socket.close());
  afterAll(() => scene?.stop());

  it('is nothing of a call that was not delivered: the key is free', async () => {
    machine.socket.close();
    await eventually(async () => {
      problem(await scene.invoke(machine.id, {}, withKey('free')), 503, 'no_online_device');
    });
    problem(await scene.invoke(machine.id, { args: ['b'] }, withKey('free')), 503, 'no_online_device');
    machine.socket = await scene.connect(machine.device);
    const answer = await scene.invoke(machine.id, { args: ['c'] }, withKey('free'));
    expect(answer.status).toBe(200);
    expect(answer.headers.has('idempotency-replayed')).toBe(false);
  });

  it('is nothing of a call that a busy device refused', async () => {
    const { socket, id } = machine;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    socket.answerWith(() => released.then(() => ({ ok: true, result: {} })));
    const calls = Array.from({ length: 16 }, () => scene.invoke(id));
    await eventually(() => expect(socket.requests).toHaveLength(16));
    problem(await scene.invoke(id, {}, withKey('busy')), 429, 'device_busy');
    release();
    await Promise.all(calls);
    expect((await scene.invoke(id, {}, withKey('busy'))).status).toBe(200);
  });

  it('is nothing of a call that named nothing, or an ended session', async () => {
    const unknown = 'mch_00000000000000000000000000';
    problem(await scene.invoke(unknown, {}, withKey('nothing')), 404, 'not_found');
    problem(await scene.invoke(unknown, { args: ['b'] }, withKey('nothing')), 404, 'not_found');
    const session = await scene.ada.openSession(machine.device);
    const patch = (state: string) =>
      scene.service.http.request('PATCH', `/v1/sessions/${session.id}`, {
        token: scene.ada.token,
        json: { state },
      });
    await patch('ended');
    problem(await scene.message(session.id, 'a', withKey('ended')), 409, 'session_not_active');
    await patch('active');
    expect((await scene.message(session.id, 'b', withKey('ended'))).status).toBe(200);
  });

  it('is a device error, with the body of the first call', async () => {
    const error = { code: 'cwd_not_found', message: 'no such folder' };
    machine.socket.answerWith(() => ({ ok: false, error }));
    const first = await scene.invoke(machine.id, {}, withKey('error'));
    machine.socket.answerWith(() => ({ ok: true, result: {} }));
    const second = await scene.invoke(machine.id, {}, withKey('error'));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(problem(second, 502, 'device_error')).toEqual(first.body);
    expect(machine.socket.requests).toHaveLength(1);
  });

  it('is a disconnection, as unknown', async () => {
    machine.socket.answerWith(() => NO_ANSWER);
    const call = scene.invoke(machine.id, {}, withKey('gone'));
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    machine.socket.close();
    const first = await call;
    machine.socket = await scene.connect(machine.device);
    const second = await scene.invoke(machine.id, {}, withKey('gone'));
    expect(problem(second, 502, 'device_disconnected')).toEqual(first.body);
    expect(second.body.outcome).toBe('unknown');
    expect(machine.socket.requests).toHaveLength(0);
  });

  it('is a timeout, until the device answers after all', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    machine.socket.answerWith(() => released.then(() => ({ ok: true, result: { late: true } })));
    const first = await scene.invoke(machine.id, { timeoutMs: 1 }, withKey('late'));
    problem(first, 504, 'timeout');
    const kept = await scene.invoke(machine.id, { timeoutMs: 1 }, withKey('late'));
    expect(problem(kept, 504, 'timeout')).toEqual(first.body);
    expect(kept.headers.get('idempotency-replayed')).toBe('true');
    release();
    const replaced = await eventually(async () => {
      const answer = await scene.invoke(machine.id, { timeoutMs: 1 }, withKey('late'));
      expect(answer.status).toBe(200);
      return answer;
    });
    expect(replaced.body).toEqual({ requestId: first.body.requestId, result: { late: true } });
    expect(replaced.headers.get('idempotency-replayed')).toBe('true');
    expect(machine.socket.requests).toHaveLength(1);
  });

  it('is the answer of the device also where it crosses the time-out', async () => {
    let sent = 0;
    machine.socket.answerWith(async () => {
      await sleep(1_995 + sent++);
      return { ok: true, result: { crossed: true } };
    });
    const keys = Array.from({ length: 16 }, (_, n) => `crossing-${n}`);
    await Promise.all(keys.map((key) => scene.invoke(machine.id, { timeoutMs: 1 }, withKey(key))));
    await sleep(300);
    for (const key of keys) {
      const answer = await scene.invoke(machine.id, { timeoutMs: 1 }, withKey(key));
      expect(answer.body.result).toEqual({ crossed: true });
    }
    expect(machine.socket.requests).toHaveLength(16);
  });
});
