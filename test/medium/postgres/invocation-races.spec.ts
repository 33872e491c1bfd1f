import { createBackend } from '../../support/backend';
import { DeviceSocket } from '../../support/device/device-socket';
import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { buildInvocationReport, INVOCATION_CAPABILITIES, type ReportedState } from '../../support/invocation-fixture';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';

const ROUNDS = 6;
/** Fewer than the calls that a device accepts at a time. */
const INVOCATIONS_PER_ROUND = 8;
const LIMITS = { RATE_LIMIT_RELAY: '100000', RATE_LIMIT_METADATA: '100000' };

/** The device is connected to the first instance and reports to both. Callers use the second one. */
describeWithServices('invocations on two instances', () => {
  let first: Service;
  let second: Service;
  let device: ForeignDevice;
  let machineId: string;
  let socket: DeviceSocket;
  let token: string;

  beforeAll(async () => {
    const backend = await createBackend('services');
    first = await Service.start(LIMITS, backend);
    second = await Service.start(LIMITS, { env: backend.env, dispose: () => Promise.resolve() });
    const ada = await ForeignAccountDevice.signUp(first.http);
    ({ token } = await ada.createToken(['machines:invoke']));
    device = await ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    machineId = expectStatus(await first.http.post('/v1/machines', device.token, body), 201).data.id;
    socket = await DeviceSocket.connect(first.url, device.token, INVOCATION_CAPABILITIES);
  });
  afterAll(async () => {
    socket?.close();
    await second?.stop();
    await first?.stop();
  });

  const getPath = (suffix = '') => `/external/v1/machines/${machineId}/invocations${suffix}`;
  const report = async (requestId: string, state: ReportedState, revision: number, via = first) => {
    const json = buildInvocationReport(state, revision);
    const path = `/v1/machines/${machineId}/invocations/${requestId}`;
    return expectStatus(await via.http.request('PUT', path, { token: device.token, json }), 200).data;
  };
  const start = async () => expectStatus(await second.http.post(getPath(), token, { command: 'make' }), 202).data;
  const startMany = async () => {
    const started: any[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      started.push(...(await Promise.all(Array.from({ length: INVOCATIONS_PER_ROUND }, start))));
    }
    return started;
  };
  const read = async (id: string, query = '') =>
    expectStatus(await second.http.get(getPath(`/${id}${query}`), token), 200).data;

  it('end the same way, whether the report or the answer of the start arrives first', async () => {
    socket.setHandler(async ({ requestId }) => {
      // Not awaited, so that the report and the answer race over two instances.
      void report(requestId, 'completed', 2, second);
      await Promise.resolve();
      return { ok: true, result: buildInvocationReport('running', 1) };
    });
    const started = await startMany();
    for (const { id, state, version } of started) {
      expect(['running', 'completed']).toContain(state);
      expect(await read(id, '?waitMs=20000')).toMatchObject({ state: 'completed', exitCode: 0 });
      expect(version).toBeLessThanOrEqual(3);
    }
  });

  it('keep the end that was stored first when a cancellation meets the end of the command', async () => {
    socket.setHandler(() => ({ ok: true, result: buildInvocationReport('running', 1) }));
    const started = await startMany();
    socket.setHandler(async ({ params: { invocationId } }) => {
      const record = await report(invocationId.replace('inv_', 'req_'), 'cancelled', 2);
      return { ok: true, result: { state: record.state } };
    });
    const ends = await Promise.all(
      started.map(async ({ id, requestId }) => {
        const [cancelled, ended] = await Promise.all([
          second.http.post(getPath(`/${id}/cancel`), token, undefined),
          report(requestId, 'completed', 2, second),
        ]);
        const record = await read(id);
        // Four cancellations at a time reach a device. The others must not have ended anything.
        const isCancelled = cancelled.status === 200;
        const answer = isCancelled ? [200, cancelled.body.result.state] : [cancelled.status, 'completed'];
        expect(answer).toEqual([isCancelled ? 200 : 429, record.state]);
        expect(ended.state).toBe(record.state);
        expect(record.version).toBe(3);
        return { state: record.state, status: cancelled.status };
      }),
    );
    expect(new Set([...ends.map(({ state }) => state), 'completed', 'cancelled']).size).toBe(2);
    expect(ends.map(({ status }) => status)).toContain(200);
  });

  it('wake a caller on another instance than the report', async () => {
    socket.setHandler(() => ({ ok: true, result: buildInvocationReport('running', 1) }));
    const { id, requestId, version } = await start();
    const answer = read(id, `?waitMs=20000&afterVersion=${version}`);
    await report(requestId, 'timed_out', 2, first);
    expect(await answer).toMatchObject({ state: 'timed_out', timedOut: true });
  });
});
