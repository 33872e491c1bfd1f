import { DAY, HOUR, MINUTE } from '../../../src/common/clock';
import { findTablesContaining, queryDatabase } from '../../support/database';
import { NO_RESPONSE } from '../../support/device/device-socket';
import { expectStatus, ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import { expectProblem, expectViolationPaths } from '../../support/problems';
import { QueuedSession } from '../../support/queued-session';
import { RelayFixture } from '../../support/relay-fixture';
import { waitFor } from '../../support/wait-for';

describe('queuing a message', () => {
  let fixture: RelayFixture;
  let device: ForeignDevice;
  let session: QueuedSession;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
  });
  beforeEach(async () => {
    device = await fixture.ada.pairDevice('machine');
    session = await createSession();
  });
  afterAll(() => fixture?.stop());

  const createSession = async () =>
    new QueuedSession(fixture.http, fixture.token, (await fixture.ada.createSession(device)).id);

  it('answers 202 with an id made from that of the request, and delivers when the device connects', async () => {
    const response = await session.postMessage('hello');
    const { requestId, result } = expectStatus(response, 202);
    expect(requestId).toBe(response.headers.get('x-request-id'));
    expect(result).toEqual({ queued: true, queuedMessageId: requestId.replace('req_', 'qmsg_') });
    const { createdAt, ...queued } = await session.waitForState(result.queuedMessageId, 'queued');
    expect(queued).toEqual({
      id: result.queuedMessageId,
      object: 'queued_message',
      sessionId: session.id,
      requestId: queued.requestId,
      turnId: null,
      version: queued.version,
      state: 'queued',
      errorCode: null,
      attempts: queued.attempts,
      notBefore: null,
      expiresAt: createdAt + 7 * DAY,
      endedAt: null,
    });
    const socket = await fixture.connectDevice(device);
    const delivered = await session.waitForState(result.queuedMessageId, 'delivered');
    expect(delivered).toMatchObject({ turnId: null, errorCode: null });
    expect(delivered.endedAt).toBeGreaterThanOrEqual(createdAt);
    expect(socket.requests).toEqual([
      expect.objectContaining({
        requestId: delivered.requestId,
        method: 'session.message',
        sessionId: session.id,
        caller: 'pat',
        params: { content: 'hello', waitMs: 0 },
      }),
    ]);
  });

  it('does not wait for devices of another account that never answer', async () => {
    const grace = await ForeignAccountDevice.signUp(fixture.http);
    const { token } = await grace.createToken(['sessions:write', 'sessions:read']);
    const machine = await grace.pairDevice('machine');
    const silent = await fixture.connectDevice(machine);
    silent.setHandler(() => NO_RESPONSE);
    for (let n = 0; n < 12; n++)
      await new QueuedSession(fixture.http, token, (await grace.createSession(machine)).id).queueMessage('hello');
    await waitFor(() => expect(silent.requests).toHaveLength(10));
    await fixture.connectDevice(device);
    await session.waitForState(await session.queueMessage('hello'), 'delivered');
    expect(silent.requests).toHaveLength(10);
    silent.close();
  });

  it('names the turn that the message begins, and leaves an audit row of the delivery', async () => {
    const socket = await fixture.connectDevice(device);
    socket.setHandler(({ requestId }) => ({
      ok: true,
      result: { accepted: true, turn: { id: requestId.replace('req_', 'turn_'), state: 'queued', stopReason: null } },
    }));
    const record = await session.waitForState(await session.queueMessage('hello'), 'delivered');
    expect(record.turnId).toBe(record.requestId.replace('req_', 'turn_'));
    const audit = expectStatus(
      await fixture.http.get(`/v1/relay-calls/${record.requestId}`, fixture.ada.token),
      200,
    ).data;
    expect(audit).toMatchObject({
      method: 'session.message',
      sessionId: session.id,
      deviceId: device.id,
      tokenId: fixture.tokenId,
      requestBytes: JSON.stringify({ content: 'hello', waitMs: 0 }).length,
      status: 200,
      outcome: 'answered',
    });
  });

  it('stores the text encrypted until the message ends, and nowhere after that', async () => {
    const text = `a secret of ${session.id}`;
    const id = await session.queueMessage(text, { notBefore: fixture.service.now + HOUR });
    expect(await findTablesContaining(fixture.service, text)).toEqual([]);
    const listed = await fixture.http.get(session.listPath, fixture.token);
    expect(JSON.stringify(listed.body)).not.toContain(text);
    const exported = await fixture.http.get('/v1/account/export', fixture.ada.token);
    expect(exported.body.data.queuedMessages).toContainEqual(expect.objectContaining({ id, content: text }));
    expectStatus(await session.cancelMessage(id), 204);
    const later = await fixture.http.get('/v1/account/export', fixture.ada.token);
    expect(later.body.data.queuedMessages).toContainEqual(expect.objectContaining({ id, content: null }));
    expect(fixture.service.logs.filter((line) => line.includes(text))).toEqual([]);
  });

  it('charges the text to the storage of the account until the message ends', async () => {
    const readBytes = () =>
      queryDatabase<{ account: number; session: number }>(
        fixture.service,
        `SELECT a.storage_bytes::integer AS account, s.message_bytes::integer AS session
           FROM accounts a JOIN sessions s ON s.account_id = a.id WHERE s.id = $1`,
        [session.id],
      );
    const [before] = await readBytes();
    const later = { notBefore: fixture.service.now + HOUR };
    const id = await session.queueMessage('x'.repeat(50_000), later);
    expect(await readBytes()).toEqual([{ account: before!.account + 51_024, session: before!.session + 51_024 }]);
    expectStatus(await session.cancelMessage(id), 204);
    expect(await readBytes()).toEqual([before]);
  });

  it.each([
    { name: 'an unknown mode', body: { delivery: { mode: 'later' } }, paths: ['/delivery/mode'] },
    { name: 'no mode', body: { delivery: {} }, paths: ['/delivery/mode'] },
    { name: 'an unknown member', body: { delivery: { mode: 'queue', at: 1 } }, paths: ['/delivery/at'] },
    { name: 'a wait', body: { delivery: { mode: 'queue' }, waitMs: 1 }, paths: ['/waitMs'] },
    { name: 'a time as text', body: { delivery: { mode: 'queue', notBefore: '1' } }, paths: ['/delivery/notBefore'] },
  ])('refuses $name', async ({ body, paths }) => {
    const path = `/external/v1/sessions/${session.id}/messages`;
    const response = await fixture.http.post(path, fixture.token, { content: 'hello', ...body });
    expect(expectViolationPaths(response)).toEqual(paths);
    expect(await session.list()).toEqual([]);
  });

  it.each([
    { name: 'that expires in the past', notBefore: undefined, expiresAt: -1, path: '/delivery/expiresAt' },
    { name: 'for more than 7 days', notBefore: undefined, expiresAt: 7 * DAY + HOUR, path: '/delivery/expiresAt' },
    { name: 'that begins when it expires', notBefore: HOUR, expiresAt: HOUR, path: '/delivery/notBefore' },
    { name: 'that begins after 7 days', notBefore: 8 * DAY, expiresAt: undefined, path: '/delivery/notBefore' },
  ])('refuses a message $name', async ({ notBefore, expiresAt, path }) => {
    const { now } = fixture.service;
    const delivery = {
      ...(notBefore !== undefined && { notBefore: now + notBefore }),
      ...(expiresAt !== undefined && { expiresAt: now + expiresAt }),
    };
    expect(expectViolationPaths(await session.postMessage('hello', delivery))).toEqual([path]);
  });

  it('accepts null members and times at the limits', async () => {
    const expiresAt = fixture.service.now + 7 * DAY;
    const id = await session.queueMessage('hello', { notBefore: null, expiresAt });
    expect(await session.getMessage(id)).toMatchObject({ notBefore: null, expiresAt });
    expect((await session.postMessage('hello', { notBefore: 0, expiresAt: null })).status).toBe(202);
  });

  it('accepts the wait of 0 ms that clients may always send', async () => {
    const path = `/external/v1/sessions/${session.id}/messages`;
    const body = { content: 'hello', waitMs: 0, ifBusy: null, delivery: { mode: 'queue' } };
    expectStatus(await fixture.http.post(path, fixture.token, body), 202);
  });

  it('is not possible in an ended, unknown or foreign session, nor without the scope', async () => {
    const ended = await createSession();
    expectStatus(
      await fixture.http.request('PATCH', `/v1/sessions/${ended.id}`, {
        token: device.token,
        json: { state: 'ended' },
      }),
      200,
    );
    expectProblem(await ended.postMessage('hello'), 409, 'session_not_active');
    expectProblem(await new QueuedSession(fixture.http, fixture.token, 'ses_x').postMessage('hi'), 404, 'not_found');
    const bob = await ForeignAccountDevice.signUp(fixture.http);
    const foreign = await bob.createToken(['sessions:read', 'sessions:write']);
    const asBob = session.via({ token: foreign.token });
    const id = await session.queueMessage('hello');
    expectProblem(await asBob.postMessage('hello'), 404, 'not_found');
    expectProblem(await asBob.cancelMessage(id), 404, 'not_found');
    expectProblem(await fixture.http.get(session.listPath, foreign.token), 404, 'not_found');
    const reader = await fixture.ada.createToken(['sessions:read']);
    expectProblem(await session.via(reader).postMessage('hello'), 403, 'insufficient_scope');
    expectProblem(await session.via(reader).cancelMessage(id), 403, 'insufficient_scope');
    const writer = await fixture.ada.createToken(['sessions:write']);
    expectProblem(await fixture.http.get(session.listPath, writer.token), 403, 'insufficient_scope');
  });

  it('is cancelled under its own session only', async () => {
    const id = await session.queueMessage('hello', { notBefore: fixture.service.now + HOUR });
    const other = await createSession();
    expectProblem(await other.cancelMessage(id), 404, 'not_found');
    expect(await session.getMessage(id)).toMatchObject({ state: 'queued' });
    expect(await other.list()).toEqual([]);
  });

  it('can be cancelled again, which changes nothing', async () => {
    const id = await session.queueMessage('hello', { notBefore: fixture.service.now + HOUR });
    expectStatus(await session.cancelMessage(id), 204);
    const cancelled = await session.getMessage(id);
    expectStatus(await session.cancelMessage(id), 204);
    expect(await session.getMessage(id)).toEqual(cancelled);
  });

  it('notifies account devices of its end, by its session', async () => {
    const phone = await fixture.connectDevice(fixture.ada, []);
    const hints: object[] = [];
    phone.socket.on('change', (hint: { type: string }) => hint.type === 'queued_message.ended' && hints.push(hint));
    const id = await session.queueMessage('hello', { notBefore: fixture.service.now + HOUR });
    expectStatus(await session.cancelMessage(id), 204);
    await waitFor(() => expect(hints).toEqual([{ type: 'queued_message.ended', id: session.id }]));
    phone.close();
  });

  it('runs once per Idempotency-Key and replays the 202', async () => {
    const headers = { 'Idempotency-Key': `key of ${session.id}`.replaceAll(' ', '-') };
    const responses = await Promise.all(Array.from({ length: 4 }, () => session.postMessage('hello', {}, { headers })));
    const settled = responses.filter(({ status }) => status === 202);
    for (const response of responses.filter(({ status }) => status !== 202)) {
      expectProblem(response, 409, 'idempotency_in_progress');
    }
    const replay = await session.postMessage('hello', {}, { headers });
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    const { queuedMessageId } = expectStatus(replay, 202).result;
    for (const { body } of settled) expect(body.result.queuedMessageId).toBe(queuedMessageId);
    expect(await session.list()).toHaveLength(1);
    expectProblem(await session.postMessage('other', {}, { headers }), 422, 'idempotency_key_reused');
  });

  it('lists a page of messages in their order, by state', async () => {
    const ids = [];
    for (let n = 0; n < 3; n++)
      ids.push(await session.queueMessage(`m${n}`, { notBefore: fixture.service.now + HOUR }));
    expectStatus(await session.cancelMessage(ids[1]!), 204);
    expect((await session.list()).map(({ id }) => id)).toEqual(ids);
    expect((await session.list('&state=queued')).map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    expect((await session.list('&state=cancelled')).map(({ id }) => id)).toEqual([ids[1]]);
    const newest = expectStatus(await fixture.http.get(`${session.listPath}?limit=2`, fixture.token), 200);
    expect(newest.data.map(({ id }: any) => id)).toEqual([ids[2], ids[1]]);
    const next = await fixture.http.get(`${session.listPath}?cursor=${newest.nextCursor}`, fixture.token);
    expect(expectStatus(next, 200).data.map(({ id }: any) => id)).toEqual([ids[0]]);
  });

  it('works for account devices under /v1/control', async () => {
    const asDevice = new QueuedSession(fixture.http, fixture.ada.token, session.id, '/v1/control');
    const waiting = await asDevice.queueMessage('later', { notBefore: fixture.service.now + HOUR });
    expectStatus(await asDevice.cancelMessage(waiting), 204);
    const socket = await fixture.connectDevice(device);
    await asDevice.waitForState(await asDevice.queueMessage('hello'), 'delivered');
    expect(socket.requests).toEqual([expect.objectContaining({ caller: 'device' })]);
  });

  it('delivers in the order of creation, and later what may not begin before its time', async () => {
    const early = await session.queueMessage('later', { notBefore: fixture.service.now + 10 * MINUTE });
    const ids = [];
    for (let n = 0; n < 4; n++) ids.push(await session.queueMessage(`m${n}`));
    const socket = await fixture.connectDevice(device);
    for (const id of ids) await session.waitForState(id, 'delivered');
    expect(socket.requests.map(({ params }) => params.content)).toEqual(['m0', 'm1', 'm2', 'm3']);
    expect(await session.getMessage(early)).toMatchObject({ state: 'queued', attempts: 0 });
    fixture.service.advanceClock(10 * MINUTE);
    await session.waitForState(early, 'delivered');
    expect(socket.requests.at(-1).params.content).toBe('later');
  });
});
