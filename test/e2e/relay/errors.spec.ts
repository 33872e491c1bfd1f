import { setTimeout as sleep } from 'node:timers/promises';
import { NO_ANSWER } from '../../support/device/device-socket';
import { eventually } from '../../support/eventually';
import { problem } from '../../support/problems';
import { RelayScene, type Machine } from '../../support/relay-scene';

describe('the ends of a relayed call', () => {
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

  it('is 200 with the request id of the header and the result as the device sent it', async () => {
    const result = { exitCode: 3, stdout: 'é\u0000\ud83d\ude00', nested: [null, { a: 1.5 }], '': false };
    machine.socket.answerWith(() => ({ ok: true, result }));
    const answer = await scene.invoke(machine.id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ requestId: answer.headers.get('x-request-id'), result });
    expect(answer.body.requestId).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(machine.socket.requests[0].requestId).toBe(answer.body.requestId);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('is 504 timeout, unknown, two seconds after the time that the device had; other devices serve meanwhile', async () => {
    const other = await scene.machine();
    machine.socket.answerWith(() => NO_ANSWER);
    const startedAt = performance.now();
    const call = scene.invoke(machine.id, { timeoutMs: 200 });
    expect((await scene.invoke(other.id)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    const answer = await call;
    const waited = performance.now() - startedAt;
    expect(problem(answer, 504, 'timeout').outcome).toBe('unknown');
    expect(waited).toBeGreaterThanOrEqual(2_190);
    expect(waited).toBeLessThan(3_200);
  });

  it('is 502 device_disconnected, unknown, within a second of the device closing', async () => {
    machine.socket.answerWith(() => NO_ANSWER);
    const call = scene.invoke(machine.id);
    await eventually(() => expect(machine.socket.requests).toHaveLength(1));
    const closedAt = performance.now();
    machine.socket.close();
    expect(problem(await call, 502, 'device_disconnected').outcome).toBe('unknown');
    expect(performance.now() - closedAt).toBeLessThan(1_000);
  });

  it('is 502 device_error, answered, with the code and message of the device', async () => {
    const error = { code: 'command_not_found', message: 'no such command: «x»' };
    machine.socket.answerWith(() => ({ ok: false, error }));
    const answer = await scene.invoke(machine.id);
    expect(problem(answer, 502, 'device_error')).toMatchObject({ deviceError: error, outcome: 'answered' });
    expect(answer.headers.has('retry-after')).toBe(false);
  });

  it('passes on nothing but code and message of a device error', async () => {
    const error = { code: 'some.future-code', message: '', stack: 'at /home/ada', status: 200 };
    machine.socket.answerWith(() => ({ ok: false, error, result: { hidden: true } }));
    const body = problem(await scene.invoke(machine.id), 502, 'device_error');
    expect(body.deviceError).toEqual({ code: 'some.future-code', message: '' });
    expect(JSON.stringify(body)).not.toMatch(/stack|hidden/);
  });

  it('is 503 no_online_device at once, not delivered, where no device is online', async () => {
    const { id } = await scene.offlineMachine();
    const startedAt = performance.now();
    const answer = await scene.invoke(id);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(problem(answer, 503, 'no_online_device').outcome).toBe('not_delivered');
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('drops an answer that comes too late for a call without a key', async () => {
    machine.socket.answerWith(() => sleep(2_150).then(() => ({ ok: true, result: {} })));
    expect((await scene.invoke(machine.id, { timeoutMs: 1 })).status).toBe(504);
    await sleep(300);
    machine.socket.answerWith(() => ({ ok: true, result: { fresh: true } }));
    expect((await scene.invoke(machine.id)).body.result).toEqual({ fresh: true });
  });
});
