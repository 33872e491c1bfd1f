import { setTimeout as sleep } from 'node:timers/promises';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { waitFor } from '../../support/wait-for';
import type { HttpResponse } from '../../support/http-client';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

describe('the response of a relayed call', () => {
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

  it('is 200 with the request id of the header and the device’s result', async () => {
    const result = { exitCode: 3, stdout: 'é\u0000\ud83d\ude00', nested: [null, { a: 1.5 }], '': false };
    connectedMachine.socket.setHandler(() => ({ ok: true, result }));
    const httpResponse = await fixture.invokeMachine(connectedMachine.id);
    expect(httpResponse.status).toBe(200);
    expect(httpResponse.body).toEqual({ requestId: httpResponse.headers.get('x-request-id'), result });
    expect(httpResponse.body.requestId).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(connectedMachine.socket.requests[0].requestId).toBe(httpResponse.body.requestId);
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
  });

  it('is 504 timeout, unknown, two seconds after the device’s time limit, without blocking other devices', async () => {
    const other = await fixture.createMachine();
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    await fixture.expectSoonerThanCall(1_200, async () => {
      const startedAt = performance.now();
      let isEnded = false;
      const call = fixture.invokeMachine(connectedMachine.id, { timeoutMs: 200 }).finally(() => (isEnded = true));
      expect((await fixture.invokeMachine(other.id)).status).toBe(200);
      expect(isEnded).toBe(false);
      expect(expectProblem(await call, 504, 'timeout').outcome).toBe('unknown');
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(2_190);
    });
  });

  it('is 502 device_disconnected, unknown, when the device closes', async () => {
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const call = fixture.invokeMachine(connectedMachine.id);
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(1));
    const httpResponse = await fixture.expectSoonerThanCall(1, () => {
      connectedMachine.socket.close();
      return call;
    });
    expect(expectProblem(httpResponse, 502, 'device_disconnected').outcome).toBe('unknown');
  });

  it('doesn’t log device failures as errors of the service', async () => {
    const lineOf = async ({ headers }: HttpResponse) => {
      const id = headers.get('x-request-id')!;
      const lines = () => fixture.service.logs.filter((line) => line.includes(`"requestId":"${id}"`));
      await waitFor(() => expect(lines()).toHaveLength(1));
      return JSON.parse(lines()[0]!);
    };
    const { id } = await fixture.createOfflineMachine();
    connectedMachine.socket.setHandler(() => ({
      ok: false,
      error: { code: 'command_not_found', message: 'x' },
    }));
    const failed = await fixture.invokeMachine(connectedMachine.id);
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const slow = await fixture.invokeMachine(connectedMachine.id, { timeoutMs: 10 });
    const lost = fixture.invokeMachine(connectedMachine.id);
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(3));
    connectedMachine.socket.close();
    for (const [answer, status, code] of [
      [failed, 502, 'device_error'],
      [slow, 504, 'timeout'],
      [await lost, 502, 'device_disconnected'],
      [await fixture.invokeMachine(id), 503, 'no_online_device'],
    ] as const) {
      expect(await lineOf(answer)).toMatchObject({ level: 30, msg: 'request', status, code });
    }
  });

  it('is 502 device_error, answered, with the code and message of the device', async () => {
    const error = { code: 'command_not_found', message: 'no such command: «x»' };
    connectedMachine.socket.setHandler(() => ({ ok: false, error }));
    const httpResponse = await fixture.invokeMachine(connectedMachine.id);
    expect(expectProblem(httpResponse, 502, 'device_error')).toMatchObject({
      deviceError: error,
      outcome: 'answered',
    });
    expect(httpResponse.headers.has('retry-after')).toBe(false);
  });

  it('is 429 device_busy, not_delivered, if the device refuses the call before it does anything', async () => {
    connectedMachine.socket.setHandler(() => ({ ok: false, error: { code: 'busy', message: 'The queue is full.' } }));
    const httpResponse = await fixture.invokeMachine(connectedMachine.id);
    const problem = expectProblem(httpResponse, 429, 'device_busy');
    expect(problem.outcome).toBe('not_delivered');
    expect(problem).not.toHaveProperty('deviceError');
    expect(httpResponse.headers.get('retry-after')).toBe('5');
    expect(await fixture.readAuditRecord(httpResponse)).toMatchObject({
      deviceId: connectedMachine.device.id,
      status: 429,
      code: 'device_busy',
      outcome: 'not_delivered',
    });
  });

  it('contains only code and message of a device error', async () => {
    const error = { code: 'some.future-code', message: '', stack: 'at /home/ada', status: 200 };
    connectedMachine.socket.setHandler(() => ({ ok: false, error, result: { hidden: true } }));
    const body = expectProblem(await fixture.invokeMachine(connectedMachine.id), 502, 'device_error');
    expect(body.deviceError).toEqual({ code: 'some.future-code', message: '' });
    expect(JSON.stringify(body)).not.toMatch(/stack|hidden/);
  });

  it('is 503 no_online_device, not_delivered, at once without an online device', async () => {
    const { id } = await fixture.createOfflineMachine();
    const httpResponse = await fixture.expectSoonerThanCall(1, () => fixture.invokeMachine(id));
    expect(expectProblem(httpResponse, 503, 'no_online_device').outcome).toBe('not_delivered');
    expect(httpResponse.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('drops a late answer of a call without a key', async () => {
    connectedMachine.socket.setHandler(() => sleep(2_150).then(() => ({ ok: true, result: {} })));
    expect((await fixture.invokeMachine(connectedMachine.id, { timeoutMs: 1 })).status).toBe(504);
    await sleep(300);
    connectedMachine.socket.setHandler(() => ({ ok: true, result: { fresh: true } }));
    expect((await fixture.invokeMachine(connectedMachine.id)).body.result).toEqual({ fresh: true });
  });
});
