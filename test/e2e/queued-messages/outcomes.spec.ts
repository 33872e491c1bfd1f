import { HOUR, MINUTE } from '../../../src/common/clock';
import { generateId } from '../../../src/common/ids';
import { RetentionService } from '../../../src/core/database';
import { QueuedMessageDeliveriesService } from '../../../src/modules/queued-messages';
import { queryDatabase } from '../../support/database';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { createGate } from '../../support/gate';
import { expectProblem } from '../../support/problems';
import { QueuedSession } from '../../support/queued-session';
import { RelayFixture } from '../../support/relay-fixture';
import { waitFor } from '../../support/wait-for';

const ACCEPTED = { ok: true, result: { accepted: true, messageId: null, reply: null } };
/** After so many attempts, the next one follows after 15 minutes. */
const MANY_ATTEMPTS = 20;
const failWith = (code: string) => ({ ok: false, error: { code, message: 'No.' } });

describe('the delivery of a queued message', () => {
  let fixture: RelayFixture;
  let device: ForeignDevice;
  let session: QueuedSession;

  beforeEach(async () => {
    fixture = await RelayFixture.start();
    device = await fixture.ada.pairDevice('machine');
    session = new QueuedSession(fixture.http, fixture.token, (await fixture.ada.createSession(device)).id);
  });
  afterEach(() => fixture?.stop());

  /** Lets a message have had this many attempts, which determines when the next one follows. */
  const setAttempts = (id: string, attempts: number) =>
    queryDatabase(fixture.service, 'UPDATE queued_messages SET attempts = $2 WHERE id = $1', [id, attempts]);
  const getContents = (requests: any[]) => requests.map(({ params }) => params.content);

  it('fails with the code of the device, and the next message follows', async () => {
    const socket = await fixture.connectDevice(device);
    socket.setHandler(({ params }) => (params.content === 'bad' ? failWith('agent_not_found') : ACCEPTED));
    const bad = await session.queueMessage('bad');
    const good = await session.queueMessage('good');
    expect(await session.waitForState(bad, 'failed')).toMatchObject({ errorCode: 'agent_not_found', attempts: 1 });
    await session.waitForState(good, 'delivered');
  });

  it.each([
    ['a turn without an id that the message has joined', { steered: true, turn: {} }],
    ['the turn of another call', { turn: { id: generateId('turn'), state: 'running', stopReason: null } }],
  ])('fails if the device answers with %s', async (_, result) => {
    const socket = await fixture.connectDevice(device);
    socket.setHandler(() => ({ ok: true, result: { ...ACCEPTED.result, ...result } }));
    const id = await session.queueMessage('hello');
    expect(await session.waitForState(id, 'failed')).toMatchObject({ errorCode: 'invalid_answer', turnId: null });
  });

  it('is repeated after a device was busy, before the messages behind it', async () => {
    const socket = await fixture.connectDevice(device);
    let isBusy = true;
    socket.setHandler(() => (isBusy ? failWith('busy') : ACCEPTED));
    const first = await session.queueMessage('first');
    await waitFor(async () => expect(await session.getMessage(first)).toMatchObject({ state: 'queued', attempts: 1 }));
    const second = await session.queueMessage('second');
    isBusy = false;
    fixture.service.advanceClock(MINUTE);
    await session.waitForState(second, 'delivered');
    expect(await session.getMessage(first)).toMatchObject({ state: 'delivered', attempts: 2, errorCode: null });
    expect(getContents(socket.requests)).toEqual(['first', 'first', 'second']);
    // A device refuses to run a call with the same id twice.
    expect(new Set(socket.requests.map(({ requestId }) => requestId)).size).toBe(3);
  });

  it('follows that of an earlier message whose time came while a busy device was asked', async () => {
    const early = await session.queueMessage('early', { notBefore: fixture.service.now + MINUTE / 2 });
    const socket = await fixture.connectDevice(device);
    let refuse!: () => void;
    const refusal = new Promise<object>((resolve) => (refuse = () => resolve(failWith('busy'))));
    socket.setHandler(() => refusal);
    const later = await session.queueMessage('later');
    await waitFor(() => expect(getContents(socket.requests)).toEqual(['later']));
    fixture.service.advanceClock(MINUTE / 2);
    await waitFor(async () => {
      const sql = 'SELECT due_at = expires_at AS "isPostponed" FROM queued_messages WHERE id = $1';
      expect(await queryDatabase(fixture.service, sql, [early])).toEqual([{ isPostponed: true }]);
    });
    socket.setHandler(() => ACCEPTED);
    refuse();
    await session.waitForState(early, 'delivered');
    await session.waitForState(later, 'delivered');
    expect(getContents(socket.requests)).toEqual(['later', 'early', 'later']);
  });

  it('leaves an audit row of the attempt that reached the device only', async () => {
    const id = await session.queueMessage('hello');
    const { requestId } = await waitFor(async () => {
      const record = await session.getMessage(id);
      expect(record).toMatchObject({ state: 'queued', attempts: 1 });
      return record;
    });
    const path = `/v1/relay-calls/${requestId}`;
    expectProblem(await fixture.http.get(path, fixture.ada.token), 404, 'not_found');
    await fixture.connectDevice(device);
    const delivered = await session.waitForState(id, 'delivered');
    expect(delivered.requestId).not.toBe(requestId);
    expectStatus(await fixture.http.get(`/v1/relay-calls/${delivered.requestId}`, fixture.ada.token), 200);
  });

  it('keeps the audit row of an answer that could not be recorded before the lease of the attempt ended', async () => {
    const deliveries = fixture.service.app.get(QueuedMessageDeliveriesService, { strict: false });
    // As in an outage of the database of more than a minute.
    jest.spyOn(deliveries, 'recordOutcome').mockResolvedValueOnce(undefined);
    await fixture.connectDevice(device);
    const id = await session.queueMessage('hello');
    const { requestId } = await session.waitForState(id, 'sending');
    const readRow = async () =>
      expectStatus(await fixture.http.get(`/v1/relay-calls/${requestId}`, fixture.ada.token), 200).data;
    const row = await waitFor(readRow);
    expect(row).toMatchObject({ outcome: 'answered', totalMs: expect.any(Number) });
    fixture.service.advanceClock(MINUTE);
    await session.waitForState(id, 'unknown');
    expect(await readRow()).toEqual(row);
    const sql = `SELECT type FROM event_log WHERE account_id = $1 AND type LIKE 'relay.%'`;
    expect(await queryDatabase(fixture.service, sql, [fixture.ada.accountId])).toEqual([{ type: 'relay.completed' }]);
  });

  it('is unknown if the device disconnects before it answers, and is not repeated', async () => {
    const socket = await fixture.connectDevice(device);
    socket.setHandler(() => NO_RESPONSE);
    const id = await session.queueMessage('hello');
    await waitFor(() => expect(socket.requests).toHaveLength(1));
    expectProblem(await session.cancelMessage(id), 409, 'conflict');
    socket.close();
    expect(await session.waitForState(id, 'unknown')).toMatchObject({ attempts: 1, errorCode: null });
    expectProblem(await session.cancelMessage(id), 409, 'conflict');
    const again = await fixture.connectDevice(device);
    await session.waitForState(await session.queueMessage('next'), 'delivered');
    expect(getContents(again.requests)).toEqual(['next']);
  });

  it('is unknown after the end of the process that marked the message, and is not repeated', async () => {
    const socket = await fixture.connectDevice(device);
    const deliveries = fixture.service.app.get(QueuedMessageDeliveriesService, { strict: false });
    const takeDueStep = deliveries.takeDueStep.bind(deliveries);
    const marked: object[] = [];
    // Another dispatcher of this process marks the message and publishes nothing.
    jest.spyOn(deliveries, 'takeDueStep').mockImplementation(async (exceptAccountIds) => {
      const step = await takeDueStep(exceptAccountIds);
      if (step?.kind !== 'send') return step;
      marked.push(step.text);
      return { kind: 'done' };
    });
    const id = await session.queueMessage('hello');
    const next = await session.queueMessage('next');
    await session.waitForState(id, 'sending');
    await waitFor(() => expect(marked).toEqual([{ content: 'hello' }]));
    const restarted = await fixture.service.restart();
    fixture.service = restarted;
    const after = session.via({ http: restarted.http });
    restarted.advanceClock(MINUTE);
    const lost = await after.waitForState(id, 'unknown');
    expect(lost).toMatchObject({ attempts: 1 });
    await waitFor(async () => {
      const { body } = await restarted.http.get(`/v1/relay-calls/${lost.requestId}`, fixture.ada.token);
      const cause = { status: 502, code: 'device_disconnected', outcome: 'unknown' };
      expect(body.data).toMatchObject({ ...cause, sessionId: session.id, tokenId: fixture.tokenId });
    });
    socket.close();
    const again = await fixture.connectDevice(device);
    await after.waitForState(next, 'delivered');
    expect(getContents([...socket.requests, ...again.requests])).toEqual(['next']);
  });

  it('is cancelled or happens, but not both, when DELETE races with it', async () => {
    const socket = await fixture.connectDevice(device);
    for (let round = 0; round < 12; round++) {
      const id = await session.queueMessage(`m${round}`);
      const { status } = await session.cancelMessage(id);
      const state = status === 204 ? 'cancelled' : 'delivered';
      expect([204, 409]).toContain(status);
      await session.waitForState(id, state);
      expect(getContents(socket.requests).includes(`m${round}`)).toBe(state === 'delivered');
    }
  });

  it('does not happen after the expiry', async () => {
    const id = await session.queueMessage('hello', { expiresAt: fixture.service.now + HOUR });
    const behind = await session.queueMessage('behind');
    fixture.service.advanceClock(HOUR);
    const { createdAt, endedAt } = await session.waitForState(id, 'expired');
    expect(endedAt - createdAt).toBeGreaterThanOrEqual(HOUR);
    const socket = await fixture.connectDevice(device);
    await session.waitForState(behind, 'delivered');
    expect(getContents(socket.requests)).toEqual(['behind']);
  });

  it('goes to the device of the machine if the host does not connect', async () => {
    const phone = await fixture.ada.pairDevice('account');
    const machine = await fixture.createOfflineMachine();
    const hosted = await fixture.ada.createSession(phone, { machineId: machine.id });
    const moved = new QueuedSession(fixture.http, fixture.token, hosted.id);
    const id = await moved.queueMessage('hello');
    expectStatus(await fixture.http.delete(`/v1/devices/${phone.id}`, fixture.ada.token), 204);
    const socket = await fixture.connectDevice(machine.device);
    await moved.waitForState(id, 'delivered');
    expect(getContents(socket.requests)).toEqual(['hello']);
  });

  it('waits for the host while another device of the account serves messages', async () => {
    const other = await fixture.connectDevice(fixture.ada, ['session.message']);
    const id = await session.queueMessage('hello');
    await waitFor(async () => expect(await session.getMessage(id)).toMatchObject({ state: 'queued', attempts: 1 }));
    const socket = await fixture.connectDevice(device);
    await session.waitForState(id, 'delivered');
    expect([other.requests.length, socket.requests.length]).toEqual([0, 1]);
  });

  it('follows at once when the device connects, however rare the attempts have become', async () => {
    const id = await session.queueMessage('hello');
    await waitFor(async () => expect(await session.getMessage(id)).toMatchObject({ state: 'queued', attempts: 1 }));
    await setAttempts(id, MANY_ATTEMPTS);
    // The attempt that is due now is followed by one in 15 minutes.
    fixture.service.advanceClock(MINUTE);
    const attempts = MANY_ATTEMPTS + 1;
    await waitFor(
      async () => expect(await session.getMessage(id)).toMatchObject({ state: 'queued', attempts }),
      15_000,
    );
    await fixture.connectDevice(device);
    expect(await session.waitForState(id, 'delivered')).toMatchObject({ attempts: attempts + 1 });
  });

  it('reaches a device that connects while the attempt before looks for it', async () => {
    const deliveries = fixture.service.app.get(QueuedMessageDeliveriesService, { strict: false });
    const recordOutcome = deliveries.recordOutcome.bind(deliveries);
    const isConnected = createGate(2);
    jest.spyOn(deliveries, 'recordOutcome').mockImplementationOnce(async (...outcome) => {
      await isConnected();
      return recordOutcome(...outcome);
    });
    const wakeAccounts = jest.spyOn(deliveries, 'wakeAccounts');
    const id = await session.queueMessage('hello');
    await session.waitForState(id, 'sending');
    await setAttempts(id, MANY_ATTEMPTS);
    await fixture.connectDevice(device);
    await waitFor(() => expect(wakeAccounts).toHaveBeenCalled());
    await Promise.all(wakeAccounts.mock.results.map(({ value }) => value as Promise<void>));
    void isConnected();
    expect(await session.waitForState(id, 'delivered')).toMatchObject({ attempts: MANY_ATTEMPTS + 1 });
  });

  it('is forgotten 30 days after its end', async () => {
    const id = await session.queueMessage('hello', { notBefore: fixture.service.now + HOUR });
    expectStatus(await session.cancelMessage(id), 204);
    const waiting = await session.queueMessage('hello', { notBefore: fixture.service.now + HOUR });
    await queryDatabase(fixture.service, 'UPDATE queued_messages SET ended_at = ended_at - $1::interval', ['30 days']);
    await fixture.service.app.get(RetentionService, { strict: false }).deleteExpiredRows();
    expect((await session.list()).map((record) => record.id)).toEqual([waiting]);
  });
});
