import { generateId } from '../../../src/common/ids';
import { DeviceSocket } from '../../support/device/device-socket';
import { expectStatus } from '../../support/device/foreign-device';
import { buildInvocationReport, InvocationFixture, type ReportedState } from '../../support/invocation-fixture';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { waitFor } from '../../support/wait-for';

describe('PUT /v1/machines/{id}/invocations/{localId}', () => {
  let fixture: InvocationFixture;
  let invocation: { id: string; requestId: string };

  beforeAll(async () => {
    fixture = await InvocationFixture.start();
  });
  beforeEach(async () => {
    fixture.reset();
    invocation = await fixture.startInvocation();
  });
  afterAll(() => fixture?.stop());

  const report = async (state: ReportedState, revision: number, change: object = {}) =>
    expectStatus(await fixture.report(invocation, buildInvocationReport(state, revision, change)), 200).data;

  it('stores what the command has left, large numbers included', async () => {
    const change = { exitCode: 3, stdoutBytes: 5_000_000_000, stderrBytes: 7 };
    const stored = await report('completed', 2, change);
    expect(stored).toMatchObject({ id: invocation.id, state: 'completed', version: 3, ...change });
    expect(await fixture.readInvocation(invocation.id)).toEqual(stored);
  });

  it('changes nothing with a revision that is not greater, and answers with the stored record', async () => {
    const stored = await report('running', 5, { stdoutBytes: 1 });
    for (const revision of [5, 1]) expect(await report('completed', revision)).toEqual(stored);
  });

  it.each<[ReportedState]>([['completed'], ['cancelled'], ['timed_out'], ['failed']])(
    'never leaves the final state %s',
    async (state) => {
      const stored = await report(state, 2);
      for (const next of ['running', 'completed', 'failed'] as const) expect(await report(next, 9)).toEqual(stored);
    },
  );

  it.each([
    ['a state that only the service writes', { state: 'lost' }, ['/state']],
    ['a state before the start', { state: 'starting' }, ['/state']],
    ['an unknown error', { state: 'failed', errorCode: 'no' }, ['/errorCode']],
    ['a signal that is none', { signal: 'TERM' }, ['/signal']],
    ['a revision that is none', { revision: 0 }, ['/revision']],
    ['members that do not fit together', { exitCode: 0 }, ['/exitCode']],
    ['a negative number', { stdoutBytes: -1 }, ['/stdoutBytes']],
    ['an unknown member', { command: 'make' }, ['/command']],
  ])('refuses %s', async (_, change, paths) => {
    const body = buildInvocationReport('running', 2, change);
    expect(expectViolationPaths(await fixture.report(invocation, body))).toEqual(paths);
  });

  it('belongs to the device of the machine', async () => {
    const body = buildInvocationReport('completed', 2);
    const other = await fixture.relay.createOfflineMachine();
    expectProblem(await fixture.report(invocation, body, other.device), 403, 'forbidden');
    expectProblem(await fixture.report(invocation, body, fixture.relay.ada), 403, 'forbidden');
    const foreignPath = fixture.getDevicePath(invocation, other.id);
    const moved = { token: other.device.token, json: body };
    expectProblem(await fixture.relay.http.request('PUT', foreignPath, moved), 404, 'not_found');
    expect(await fixture.readInvocation(invocation.id)).toMatchObject({ state: 'running' });
  });

  it('is 404 for an invocation that the service does not know', async () => {
    for (const requestId of [generateId('req'), 'nonsense', invocation.id]) {
      expectProblem(await fixture.report({ requestId }, buildInvocationReport('completed', 2)), 404, 'not_found');
    }
  });

  it('stores one of many reports at the same time, the newest', async () => {
    const reports = Array.from({ length: 20 }, (_, index) => report('running', index + 2, { stderrBytes: index }));
    await Promise.all(reports);
    expect(await fixture.readInvocation(invocation.id)).toMatchObject({ state: 'running', stderrBytes: 19 });
  });

  it('notifies account devices of the end, once', async () => {
    const phone = await DeviceSocket.connect(fixture.relay.service.url, fixture.relay.ada.token, []);
    const hints: object[] = [];
    phone.socket.on('change', (hint) => hints.push(hint));
    await report('completed', 2);
    await report('completed', 3);
    await waitFor(() => expect(hints).toEqual([{ type: 'invocation.ended', id: fixture.machine.id }]));
    phone.close();
  });

  it('lists them for the device, by state', async () => {
    await report('completed', 2);
    const running = await fixture.startInvocation();
    const path = `/v1/machines/${fixture.machine.id}/invocations`;
    const read = async (query: string, token = fixture.machine.device.token) =>
      fixture.relay.http.get(path + query, token);
    const { data } = expectStatus(await read('?state=running'), 200);
    expect(data.map(({ id }: { id: string }) => id)).toContain(running.id);
    expect(data.map(({ id }: { id: string }) => id)).not.toContain(invocation.id);
    const other = await fixture.relay.createOfflineMachine();
    expectProblem(await read('', other.device.token), 403, 'forbidden');
  });
});
