import { AskingSession } from '../../support/content/asking-session';
import { queryDatabase } from '../../support/database';
import { expectStatus } from '../../support/device/foreign-device';
import { createGate } from '../../support/gate';
import type { RequestOptions } from '../../support/http-client';
import { expectProblem } from '../../support/problems';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { waitFor } from '../../support/wait-for';

const SCOPES = ['sessions:read', 'sessions:approve', 'sessions:content', 'webhooks:manage'];

describe('a decision and the report of the device', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let session: AskingSession;
  let token: string;
  let tokenId: string;
  let permissionId: string;
  let contentHash: string;
  let report: Awaited<ReturnType<AskingSession['buildReport']>>;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    machine = await fixture.createMachine(['session.message', 'session.permission']);
    ({ id: tokenId, token } = await fixture.ada.createToken(SCOPES));
    const webhook = { url: 'https://hooks.example/decisions', events: ['permission.decided'] };
    expectStatus(await fixture.http.post('/external/v1/webhooks', token, webhook), 201);
  });
  beforeEach(async () => {
    session = await AskingSession.createSession(fixture.service, fixture.ada, machine.device);
    expectStatus(await session.granted.grantToService(), 201);
    const request = await session.requestPermission('p1');
    [permissionId, report] = [request.record.id, request.report];
    const content = await fixture.http.get(session.getPath(permissionId, '/content'), token);
    contentHash = expectStatus(content, 200).data.contentHash;
    machine.socket.requests.length = 0;
    machine.socket.setHandler(() => ({ ok: true, result: { state: 'allowed', optionId: 'o1' } }));
  });
  afterAll(() => fixture?.stop());

  const decide = (body: object = { decision: 'allow' }, options: RequestOptions = {}) =>
    fixture.http.post(session.getPath(permissionId, '/decision'), token, { contentHash, ...body }, options);
  const readRecord = async () => expectStatus(await fixture.http.get(session.getPath(permissionId), token), 200).data;
  const buildDecidedReport = (changes: object = {}) => ({
    ...report,
    revision: 2,
    state: 'allowed',
    optionId: 'o1',
    decidedAt: session.now - 1_000,
    ...changes,
  });
  const readEvents = async () => {
    const rows = await queryDatabase<{ payload: any }>(
      fixture.service,
      `SELECT payload::jsonb AS payload FROM event_log WHERE type = 'permission.decided'`,
    );
    return rows.map(({ payload }) => payload.data ?? payload).filter(({ id }) => id === permissionId);
  };
  const readRevision = async () => {
    const path = `/v1/sessions/${session.id}/permission-requests`;
    return expectStatus(await fixture.http.get(path, fixture.ada.token), 200).data[0].revision;
  };

  it('counts the first of two decisions, and the other one is 409', async () => {
    const release = createGate(2);
    let isDecided = false;
    machine.socket.setHandler(async () => {
      const isFirst = !isDecided;
      isDecided = true;
      await release();
      if (isFirst) return { ok: true, result: { state: 'allowed', optionId: 'o1' } };
      return { ok: false, error: { code: 'permission_not_pending', message: 'Too late.' } };
    });
    const responses = await Promise.all([decide(), decide()]);
    expect(machine.socket.requests).toHaveLength(2);
    const lost = responses.find(({ status }) => status !== 200)!;
    expect(expectProblem(lost, 409, 'permission_not_pending').outcome).toBe('answered');
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await readRecord()).toMatchObject({ state: 'allowed', decidedBy: { tokenId, deviceId: null } });
    expect(await readEvents()).toHaveLength(1);
  });

  it('is announced once, with who decided, if the report follows', async () => {
    expectStatus(await decide(), 200);
    const decided = await readRecord();
    const later = expectStatus(await session.putReport('p1', buildDecidedReport()), 200).data;
    expect(later).toEqual(decided);
    expect(await readRevision()).toBe(2);
    expect(await readEvents()).toMatchObject([{ state: 'allowed', decidedBy: { tokenId, deviceId: null } }]);
  });

  it('is not changed by a report of another state', async () => {
    expectStatus(await decide(), 200);
    const decided = await readRecord();
    const other = buildDecidedReport({ state: 'cancelled', optionId: null, decidedAt: null });
    expect(expectStatus(await session.putReport('p1', other), 200).data).toEqual(decided);
    expect([await readRecord(), await readRevision()]).toEqual([decided, 1]);
  });

  it('adds who decided without another event if the report came first', async () => {
    const decidedReport = buildDecidedReport();
    machine.socket.setHandler(async () => {
      expectStatus(await session.putReport('p1', decidedReport), 200);
      return { ok: true, result: { state: 'allowed', optionId: 'o1' } };
    });
    expectStatus(await decide(), 200);
    expect(await readRecord()).toMatchObject({
      state: 'allowed',
      decidedBy: { tokenId, deviceId: null },
      decidedAt: decidedReport.decidedAt,
    });
    expect(await readEvents()).toMatchObject([{ state: 'allowed', decidedBy: null }]);
  });

  it('never replaces a cancellation that the device reported meanwhile', async () => {
    machine.socket.setHandler(async () => {
      const cancelled = buildDecidedReport({ state: 'cancelled', optionId: null, decidedAt: null });
      expectStatus(await session.putReport('p1', cancelled), 200);
      return { ok: true, result: { state: 'allowed', optionId: 'o1' } };
    });
    expectStatus(await decide(), 200);
    expect(await readRecord()).toMatchObject({ state: 'cancelled', decidedBy: null });
  });

  it('is stored when the caller has hung up', async () => {
    const hangUp = new AbortController();
    const answered = createGate(2);
    machine.socket.setHandler(async () => {
      await answered();
      return { ok: true, result: { state: 'allowed', optionId: 'o1' } };
    });
    const call = decide({ decision: 'allow' }, { signal: hangUp.signal }).catch(() => null);
    await waitFor(() => expect(machine.socket.requests).toHaveLength(1));
    hangUp.abort();
    expect(await call).toBeNull();
    void answered();
    await waitFor(async () =>
      expect(await readRecord()).toMatchObject({ state: 'allowed', decidedBy: { tokenId, deviceId: null } }),
    );
  });
});
