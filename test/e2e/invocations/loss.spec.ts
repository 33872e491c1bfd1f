import { RetentionService } from '../../../src/core/database';
import { DAY } from '../../../src/common/clock';
import { queryDatabase } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import { buildInvocationReport, INVOCATION_CAPABILITIES, InvocationFixture } from '../../support/invocation-fixture';
import { waitFor } from '../../support/wait-for';
import { NO_RESPONSE } from '../../support/device/device-socket';

describe('an invocation without news', () => {
  let fixture: InvocationFixture;

  beforeAll(async () => {
    fixture = await InvocationFixture.start({ TURN_LOST_AFTER_SECONDS: '2' });
  });
  beforeEach(() => fixture.reset());
  afterAll(() => fixture?.stop());

  const waitForState = (id: string, state: string) =>
    waitFor(async () => expect(await fixture.readInvocation(id)).toMatchObject({ state }), 20_000);

  const listAnnouncedEnds = async (id: string) => {
    const rows = await queryDatabase<{ state: string }>(
      fixture.relay.service,
      `SELECT payload::jsonb -> 'data' ->> 'state' AS state FROM event_log
        WHERE type = 'invocation.ended' AND payload::jsonb -> 'data' ->> 'id' = $1 ORDER BY id`,
      [id],
    );
    return rows.map(({ state }) => state);
  };

  it('is lost if the device never reports it, and what the device reports then wins', async () => {
    fixture.machine.socket.setHandler(() => NO_RESPONSE);
    const controller = new AbortController();
    const call = fixture.start({}, { signal: controller.signal });
    await waitFor(() => expect(fixture.machine.socket.requests).toHaveLength(1));
    controller.abort();
    await expect(call).rejects.toThrow();
    const [{ requestId }] = fixture.machine.socket.requests;
    const id = requestId.replace('req_', 'inv_');
    await waitForState(id, 'lost');
    expect(await listAnnouncedEnds(id)).toEqual(['lost']);
    expectStatus(await fixture.report({ requestId }, buildInvocationReport('running', 1)), 200);
    expect(await fixture.readInvocation(id)).toMatchObject({ state: 'running', version: 3 });
    expectStatus(await fixture.report({ requestId }, buildInvocationReport('completed', 2)), 200);
    expect(await listAnnouncedEnds(id)).toEqual(['lost', 'completed']);
  });

  it('is lost while the device is away, and not while it is connected', async () => {
    const { id, requestId } = await fixture.startInvocation();
    expect(await fixture.readInvocation(id, '?waitMs=5000')).toMatchObject({ state: 'running' });
    fixture.machine.socket.close();
    await waitForState(id, 'lost');
    expectStatus(await fixture.report({ requestId }, buildInvocationReport('failed', 2)), 200);
    expect(await fixture.readInvocation(id)).toMatchObject({ state: 'failed', errorCode: 'process_lost', version: 4 });
    await fixture.relay.connectDevice(fixture.machine.device, INVOCATION_CAPABILITIES);
  });

  it('is deleted after 30 days', async () => {
    const machine = await fixture.relay.createMachine(['invocation']);
    machine.socket.setHandler(() => ({ ok: true, result: buildInvocationReport('completed', 1) }));
    const { id } = expectStatus(await fixture.start({}, {}, machine.id), 202).data;
    const path = fixture.getPath(`/${id}`, machine.id);
    const retention = fixture.relay.service.app.get(RetentionService, { strict: false });
    const readStatus = async () => (await fixture.relay.http.get(path, fixture.relay.token)).status;
    fixture.relay.service.advanceClock(29 * DAY);
    await retention.deleteExpiredRows();
    expect(await readStatus()).toBe(200);
    fixture.relay.service.advanceClock(2 * DAY);
    await retention.deleteExpiredRows();
    expect(await readStatus()).toBe(404);
  });
});
