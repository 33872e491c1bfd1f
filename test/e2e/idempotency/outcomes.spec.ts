import { setTimeout as sleep } from 'node:timers/promises';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { waitFor } from '../../support/wait-for';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const withKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

describe('the stored outcome of a call', () => {
  let fixture: RelayFixture;
  let connectedMachine: ConnectedMachine;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
  });
  beforeEach(async () => {
    connectedMachine = await fixture.createMachine();
  });
  afterEach(() => connectedMachine.socket.close());
  afterAll(() => fixture?.stop());

  it('is nothing of a call that was not delivered: the key is free', async () => {
    connectedMachine.socket.close();
    await waitFor(async () => {
      expectProblem(await fixture.invokeMachine(connectedMachine.id, {}, withKey('free')), 503, 'no_online_device');
    });
    expectProblem(
      await fixture.invokeMachine(connectedMachine.id, { args: ['b'] }, withKey('free')),
      503,
      'no_online_device',
    );
    connectedMachine.socket = await fixture.connectDevice(connectedMachine.device);
    const httpResponse = await fixture.invokeMachine(connectedMachine.id, { args: ['c'] }, withKey('free'));
    expect(httpResponse.status).toBe(200);
    expect(httpResponse.headers.has('idempotency-replayed')).toBe(false);
  });

  it('is nothing of a call that a busy device refused', async () => {
    const { socket, id } = connectedMachine;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    socket.setHandler(() => released.then(() => ({ ok: true, result: {} })));
    const calls = Array.from({ length: 16 }, () => fixture.invokeMachine(id));
    await waitFor(() => expect(socket.requests).toHaveLength(16));
    expectProblem(await fixture.invokeMachine(id, {}, withKey('busy')), 429, 'device_busy');
    release();
    await Promise.all(calls);
    expect((await fixture.invokeMachine(id, {}, withKey('busy'))).status).toBe(200);
  });

  it('is nothing of a call that the device itself refused, also if it does so late', async () => {
    const { socket, id } = connectedMachine;
    const refusal = { ok: false, error: { code: 'busy', message: 'The queue is full.' } };
    socket.setHandler(() => refusal);
    expectProblem(await fixture.invokeMachine(id, {}, withKey('refused')), 429, 'device_busy');
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    socket.setHandler(() => released.then(() => refusal));
    const late = () => fixture.invokeMachine(id, { timeoutMs: 1 }, withKey('refused-late'));
    expectProblem(await late(), 504, 'timeout');
    release();
    socket.setHandler(() => ({ ok: true, result: {} }));
    expect((await fixture.invokeMachine(id, {}, withKey('refused'))).status).toBe(200);
    await waitFor(async () => expect((await late()).status).toBe(200));
    expect(socket.requests).toHaveLength(4);
  });

  it('is nothing of a call that named nothing, or an ended session', async () => {
    const unknown = 'mch_00000000000000000000000000';
    expectProblem(await fixture.invokeMachine(unknown, {}, withKey('nothing')), 404, 'not_found');
    expectProblem(await fixture.invokeMachine(unknown, { args: ['b'] }, withKey('nothing')), 404, 'not_found');
    const session = await fixture.ada.createSession(connectedMachine.device);
    const patch = (state: string) =>
      fixture.service.http.request('PATCH', `/v1/sessions/${session.id}`, {
        token: fixture.ada.token,
        json: { state },
      });
    await patch('ended');
    expectProblem(await fixture.sendMessage(session.id, 'a', withKey('ended')), 409, 'session_not_active');
    await patch('active');
    expect((await fixture.sendMessage(session.id, 'b', withKey('ended'))).status).toBe(200);
  });

  it('is a device error, with the body of the first call', async () => {
    const error = { code: 'cwd_not_found', message: 'no such folder' };
    connectedMachine.socket.setHandler(() => ({ ok: false, error }));
    const first = await fixture.invokeMachine(connectedMachine.id, {}, withKey('error'));
    connectedMachine.socket.setHandler(() => ({ ok: true, result: {} }));
    const second = await fixture.invokeMachine(connectedMachine.id, {}, withKey('error'));
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(expectProblem(second, 502, 'device_error')).toEqual(first.body);
    expect(connectedMachine.socket.requests).toHaveLength(1);
  });

  it('is a disconnection, as unknown', async () => {
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const call = fixture.invokeMachine(connectedMachine.id, {}, withKey('gone'));
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(1));
    connectedMachine.socket.close();
    const first = await call;
    connectedMachine.socket = await fixture.connectDevice(connectedMachine.device);
    const second = await fixture.invokeMachine(connectedMachine.id, {}, withKey('gone'));
    expect(expectProblem(second, 502, 'device_disconnected')).toEqual(first.body);
    expect(second.body.outcome).toBe('unknown');
    expect(connectedMachine.socket.requests).toHaveLength(0);
  });

  it('is a timeout until the device answers late', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    connectedMachine.socket.setHandler(() => released.then(() => ({ ok: true, result: { late: true } })));
    const first = await fixture.invokeMachine(connectedMachine.id, { timeoutMs: 1 }, withKey('late'));
    expectProblem(first, 504, 'timeout');
    const kept = await fixture.invokeMachine(connectedMachine.id, { timeoutMs: 1 }, withKey('late'));
    expect(expectProblem(kept, 504, 'timeout')).toEqual(first.body);
    expect(kept.headers.get('idempotency-replayed')).toBe('true');
    release();
    const replaced = await waitFor(async () => {
      const httpResponse = await fixture.invokeMachine(connectedMachine.id, { timeoutMs: 1 }, withKey('late'));
      expect(httpResponse.status).toBe(200);
      return httpResponse;
    });
    expect(replaced.body).toEqual({ requestId: first.body.requestId, result: { late: true } });
    expect(replaced.headers.get('idempotency-replayed')).toBe('true');
    expect(connectedMachine.socket.requests).toHaveLength(1);
  });

  it('is the device’s answer even if it crosses the timeout', async () => {
    let sent = 0;
    connectedMachine.socket.setHandler(async () => {
      await sleep(1_995 + sent++);
      return { ok: true, result: { crossed: true } };
    });
    const keys = Array.from({ length: 16 }, (_, n) => `crossing-${n}`);
    await Promise.all(keys.map((key) => fixture.invokeMachine(connectedMachine.id, { timeoutMs: 1 }, withKey(key))));
    for (const key of keys) {
      await waitFor(async () => {
        const httpResponse = await fixture.invokeMachine(connectedMachine.id, { timeoutMs: 1 }, withKey(key));
        expect(httpResponse.body).toMatchObject({ result: { crossed: true } });
      }, 10_000);
    }
    expect(connectedMachine.socket.requests).toHaveLength(16);
  });
});
