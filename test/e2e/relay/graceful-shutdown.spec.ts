import { ShutdownState } from '../../../src/common/shutdown-state';
import { createBackend, type Backend } from '../../support/backend';
import { queryDatabase } from '../../support/database';
import { DeviceSocket } from '../../support/device/device-socket';
import { waitFor } from '../../support/wait-for';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { Service } from '../../support/service';

describe('a graceful shutdown', () => {
  let backend: Backend;
  let fixture: RelayFixture;
  let connectedMachine: ConnectedMachine;
  let release: () => void;

  beforeEach(async () => {
    backend = await createBackend();
    fixture = await RelayFixture.start({}, backend);
    connectedMachine = await fixture.createMachine();
    const released = new Promise<void>((resolve) => (release = resolve));
    connectedMachine.socket.setHandler(() => released.then(() => ({ ok: true, result: { finished: true } })));
  });
  afterEach(() => backend?.dispose());

  it('finishes calls in flight, rejects new ones, and reports not ready', async () => {
    const { service } = fixture;
    for (let n = 0; n < 4; n++) await fixture.createMachine();
    expect((await service.http.get('/health/ready')).status).toBe(200);
    const inFlight = fixture.invokeMachine(connectedMachine.id);
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(1));

    const shutdownState = service.app.get(ShutdownState, { strict: false });
    const closed = service.app.close();
    // An instance that is busy isn't ready for a moment either, and accepts calls.
    await waitFor(() => expect(shutdownState.isClosing).toBe(true));
    const notReady = await service.http.get('/health/ready');
    expect(expectProblem(notReady, 503, 'service_unavailable').detail).toContain('draining');
    expect(notReady.headers.get('retry-after')).toBe('5');
    const refused = await fixture.invokeMachine(connectedMachine.id);
    expect(expectProblem(refused, 503, 'service_unavailable').outcome).toBe('not_delivered');
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    const { device } = connectedMachine;
    await expect(fixture.connectDevice(device)).rejects.toMatchObject({
      data: { code: 'service_unavailable' },
    });
    expect((await service.http.get('/health/live')).status).toBe(200);

    release();
    const httpResponse = await inFlight;
    expect(httpResponse.status).toBe(200);
    expect(httpResponse.body.result).toEqual({ finished: true });
    await closed;
    await connectedMachine.socket.disconnected;
    await expect(service.http.get('/health/live')).rejects.toThrow();
    expect(connectedMachine.socket.requests).toHaveLength(1);
    // All devices were recorded as offline before the database connection closed.
    expect(service.logs.filter((line) => line.includes('presence write failed'))).toEqual([]);
  });

  it('stores the answer of a call with a key whose caller has disconnected', async () => {
    const options = { headers: { 'Idempotency-Key': 'drained' } };
    const hangUp = new AbortController();
    const call = fixture
      .invokeMachine(connectedMachine.id, {}, { ...options, signal: hangUp.signal })
      .catch(() => undefined);
    await waitFor(() => expect(connectedMachine.socket.requests).toHaveLength(1));
    hangUp.abort();
    await call;
    const closed = fixture.service.app.close();
    release();
    await closed;
    const next = await Service.start({}, backend);
    const socket = await DeviceSocket.connect(next.url, connectedMachine.device.token, ['machine.invoke']);
    const path = `/external/v1/machines/${connectedMachine.id}/invoke`;
    const httpResponse = await next.http.post(path, fixture.token, { command: 'true' }, options);
    expect(httpResponse.body.result).toEqual({ finished: true });
    expect(httpResponse.headers.get('idempotency-replayed')).toBe('true');
    expect(socket.requests).toEqual([]);
    const [row] = await queryDatabase<{ state: string }>(next, 'SELECT count(*)::int AS n FROM relay_calls');
    expect(row).toEqual({ n: 1 });
    socket.close();
    await next.app.close();
  });
});
