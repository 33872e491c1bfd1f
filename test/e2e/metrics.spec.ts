import { setTimeout as sleep } from 'node:timers/promises';
import { RetentionService } from '../../src/core/database';
import { DAY } from '../../src/common/clock';
import { queryDatabase } from '../support/database';
import { expectStatus, type ForeignDevice } from '../support/device/foreign-device';
import { RawSocket } from '../support/device/raw-socket';
import { EventStreamClient } from '../support/event-stream-client';
import { buildInvocationReport, InvocationFixture } from '../support/invocation-fixture';
import { createGate } from '../support/gate';
import { readMetric } from '../support/metrics';
import { QueuedSession } from '../support/queued-session';
import { ReportedTurn } from '../support/turns/turn-reports';
import { waitFor } from '../support/wait-for';

/** Metrics of docs/monitoring.md that tests of their own subject don't read. */
describe('the metrics of an instance', () => {
  let fixture: InvocationFixture;
  beforeAll(async () => {
    fixture = await InvocationFixture.start({ TURN_LOST_AFTER_SECONDS: '4' });
  });
  beforeEach(() => fixture.reset());
  afterAll(() => fixture?.stop());

  const read = (line: string) => readMetric(fixture.relay.service, line);
  const waitForValue = (line: string, value: number) =>
    waitFor(async () => expect([line, await read(line)]).toEqual([line, value]), 20_000);
  /** Expects the counters to grow by these numbers while `act` runs, or soon after. */
  const expectGrowth = async (growth: Record<string, number>, act: () => Promise<unknown>) => {
    const before = new Map<string, number>();
    for (const line of Object.keys(growth)) before.set(line, await read(line));
    await act();
    for (const [line, value] of Object.entries(growth)) await waitForValue(line, before.get(line)! + value);
  };
  const createSession = (device: ForeignDevice = fixture.relay.ada) => fixture.relay.ada.createSession(device);

  it('count relayed calls by outcome, and measure their stages in seconds', async () => {
    const { id, socket } = await fixture.relay.createMachine();
    socket.setHandler(async () => {
      await sleep(300);
      return { ok: true, result: {} };
    });
    const before = await read('relay_stage_seconds_sum{stage="device"}');
    await expectGrowth(
      {
        'relay_calls_total{method="machine.invoke",status="200",outcome="answered"}': 1,
        'relay_stage_seconds_count{stage="device"}': 1,
        'relay_stage_seconds_count{stage="total"}': 1,
      },
      async () => expectStatus(await fixture.relay.invokeMachine(id), 200),
    );
    const duration = (await read('relay_stage_seconds_sum{stage="device"}')) - before;
    expect(duration).toBeGreaterThan(0.29);
    expect(duration).toBeLessThan(30);
    socket.close();
  });

  it('show the devices, and the calls that wait for one', async () => {
    await waitForValue('relay_connected_devices', 1);
    const { id, socket } = await fixture.relay.createMachine();
    expect(await read('relay_connected_devices')).toBe(2);
    const meet = createGate(2);
    socket.setHandler(async () => {
      await meet();
      return { ok: true, result: {} };
    });
    const call = fixture.relay.invokeMachine(id);
    await waitForValue('relay_pending_calls', 1);
    await waitForValue('relay_in_flight_calls', 1);
    await meet();
    expectStatus(await call, 200);
    await waitForValue('relay_pending_calls', 0);
    await waitForValue('relay_in_flight_calls', 0);
    socket.close();
    await waitForValue('relay_connected_devices', 1);
  });

  it('count turns that end, lost ones included, and show who waits for one', async () => {
    const machine = await fixture.relay.ada.pairDevice('machine');
    const session = await createSession(machine);
    const [completed, lost] = [new ReportedTurn(machine, session.id), new ReportedTurn(machine, session.id)];
    await expectGrowth(
      { 'turns_ended_total{state="completed"}': 1, 'turns_ended_total{state="lost"}': 1 },
      async () => {
        expectStatus(await completed.report('completed'), 201);
        expectStatus(await lost.report('running'), 201);
        const wait = fixture.relay.http.get(`${lost.path}?waitMs=28000&afterVersion=1`, fixture.relay.token);
        await waitForValue('turn_waits', 1);
        expect(expectStatus(await wait, 200).data.state).toBe('lost');
      },
    );
    expect(await read('turn_waits')).toBe(0);
  });

  it('count invocations that end, and show who waits for one', async () => {
    const invocation = await fixture.startInvocation();
    await expectGrowth({ 'invocations_ended_total{state="completed"}': 1 }, async () => {
      const wait = fixture.readInvocation(invocation.id, `?waitMs=28000&afterVersion=${invocation.version}`);
      await waitForValue('invocation_waits', 1);
      expectStatus(await fixture.report(invocation, buildInvocationReport('completed', 2)), 200);
      expect((await wait).state).toBe('completed');
    });
    expect(await read('invocation_waits')).toBe(0);
  });

  it('count queued messages that end, and show those that are being sent', async () => {
    const { relay } = fixture;
    const { device, socket } = await relay.createMachine();
    const { id } = await createSession(device);
    const meet = createGate(2);
    socket.setHandler(async () => {
      await meet();
      return { ok: true, result: { accepted: true, messageId: null, reply: null } };
    });
    const session = new QueuedSession(relay.http, relay.token, id);
    await expectGrowth({ 'queued_messages_ended_total{state="delivered"}': 1 }, async () => {
      const messageId = await session.queueMessage('later');
      await waitForValue('queued_message_attempts', 1);
      await meet();
      await session.waitForState(messageId, 'delivered');
    });
    await waitForValue('queued_message_attempts', 0);
    socket.close();
  });

  it('count event streams', async () => {
    const { service, token } = fixture.relay;
    const open = await read('event_streams');
    await expectGrowth({ event_streams_opened_total: 1 }, async () => {
      const stream = await EventStreamClient.open(`${service.url}/external/v1/events`, token);
      expect(await read('event_streams')).toBe(open + 1);
      await stream.close();
    });
    await waitForValue('event_streams', open);
  });

  it('count sockets that are refused or closed, and show those before their join', async () => {
    const { service } = fixture.relay;
    const open = () => RawSocket.openSocket(service.url, {});
    await expectGrowth(
      {
        'relay_closed_sockets_total{violation="unexpected_packet"}': 1,
        'relay_refused_sockets_total{limit="address"}': 1,
      },
      async () => {
        const sockets = await Promise.all(Array.from({ length: 20 }, open));
        await waitForValue('relay_unjoined_sockets', 20);
        await expect(open()).rejects.toThrow();
        sockets[0]!.sendPacket('garbage');
        for (const socket of sockets) socket.close();
      },
    );
    await waitForValue('relay_unjoined_sockets', 0);
  });

  it('count expired rows that were deleted, and say whether some were left', async () => {
    const { service } = fixture.relay;
    const [expired] = await queryDatabase<{ count: number }>(
      service,
      'SELECT count(*)::integer AS count FROM used_challenges',
    );
    expect(expired!.count).toBeGreaterThan(0);
    await expectGrowth({ 'retention_deleted_rows_total{table="used_challenges"}': expired!.count }, async () => {
      service.advanceClock(DAY);
      await service.app.get(RetentionService, { strict: false }).deleteExpiredRows();
      service.advanceClock(-DAY);
    });
    expect(await read('retention_unfinished{table="used_challenges"}')).toBe(0);
  });
});
