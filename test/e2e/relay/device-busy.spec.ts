import { NO_RESPONSE } from '../../support/device/device-socket';
import { waitFor } from '../../support/wait-for';
import type { HttpResponse } from '../../support/http-client';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';

const MAX_CALLS_IN_FLIGHT = 16;

describe('the limit of calls in flight per device', () => {
  let fixture: RelayFixture;
  let connectedMachine: ConnectedMachine;
  let release: () => void;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
  });
  beforeEach(async () => {
    connectedMachine = await fixture.createMachine();
    const released = new Promise<void>((resolve) => (release = resolve));
    connectedMachine.socket.setHandler(() => released.then(() => ({ ok: true, result: {} })));
  });
  afterEach(() => connectedMachine.socket.close());
  afterAll(() => fixture?.stop());

  async function fill(body: object = {}, signal?: AbortSignal): Promise<Promise<HttpResponse>[]> {
    const calls = Array.from({ length: MAX_CALLS_IN_FLIGHT }, () =>
      fixture.invokeMachine(connectedMachine.id, body, { signal }),
    );
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(MAX_CALLS_IN_FLIGHT));
    return calls;
  }

  it('rejects the 17th call with 429 device_busy, not_delivered, until one is answered', async () => {
    const calls = await fill();
    const httpResponse = await fixture.invokeMachine(connectedMachine.id);
    expect(expectProblem(httpResponse, 429, 'device_busy').outcome).toBe('not_delivered');
    expect(httpResponse.headers.get('retry-after')).toMatch(/^\d+$/);
    release();
    expect((await Promise.all(calls)).every(({ status }) => status === 200)).toBe(true);
    expect((await fixture.invokeMachine(connectedMachine.id)).status).toBe(200);
    expect(connectedMachine.socket.requests).toHaveLength(MAX_CALLS_IN_FLIGHT + 1);
  });

  it('counts each device separately', async () => {
    const other = await fixture.createMachine();
    const calls = await fill();
    expect((await fixture.invokeMachine(other.id)).status).toBe(200);
    release();
    await Promise.all(calls);
    other.socket.close();
  });

  it('frees a slot when the device answers, not when the caller closes the connection', async () => {
    const hangUp = new AbortController();
    const calls = await fill({}, hangUp.signal);
    const ended = Promise.allSettled(calls);
    hangUp.abort();
    await ended;
    await waitFor(() => expect(connectedMachine.socket.cancels).toHaveLength(MAX_CALLS_IN_FLIGHT));
    expectProblem(await fixture.invokeMachine(connectedMachine.id), 429, 'device_busy');
    release();
    await waitFor(async () => expect((await fixture.invokeMachine(connectedMachine.id)).status).toBe(200));
  });

  it('frees a slot when the deadline passes without an answer', async () => {
    connectedMachine.socket.setHandler(() => NO_RESPONSE);
    const calls = await fill({ timeoutMs: 1 });
    expectProblem(await fixture.invokeMachine(connectedMachine.id), 429, 'device_busy');
    expect((await Promise.all(calls)).every(({ status }) => status === 504)).toBe(true);
    connectedMachine.socket.setHandler(() => ({ ok: true, result: {} }));
    expect((await fixture.invokeMachine(connectedMachine.id)).status).toBe(200);
  });

  it('frees the slots of a disconnected device', async () => {
    const calls = await fill();
    connectedMachine.socket.close();
    expect((await Promise.all(calls)).every(({ status }) => status === 502)).toBe(true);
    connectedMachine.socket = await fixture.connectDevice(connectedMachine.device);
    expect((await fixture.invokeMachine(connectedMachine.id)).status).toBe(200);
  });
});
