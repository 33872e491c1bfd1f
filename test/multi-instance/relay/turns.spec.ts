import { setTimeout as sleep } from 'node:timers/promises';
import { AskingSession } from '../../support/content/asking-session';
import { expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { createGate } from '../../support/gate';
import type { HttpResponse } from '../../support/http-client';
import { expectProblem } from '../../support/problems';
import { buildTurnReport, type ReportedState } from '../../support/turns/turn-reports';
import { waitFor } from '../../support/wait-for';
import { Cluster } from '../support/cluster';
import { ClusterFixture, type ClusterMachine } from '../support/cluster-fixture';
import { timeCall } from '../support/timed-call';

const CAPABILITIES = ['session.message', 'session.permission', 'session.cancel'];
const APPROVAL_SCOPES = ['sessions:read', 'sessions:approve', 'sessions:content'];
/** Short, so that a turn would be lost before the test ends. */
const TURN_LOST_AFTER_SECONDS = 5;
/** After how long callers look again without a signal (`change-waits.service.ts`), with room for a run. */
const MAX_POLL_MS = 4_500;

const systemClock = {
  get now() {
    return Date.now();
  },
};

/** The devices connect to instance 0. Callers use instances 1 and 2. */
describe('turns on several instances', () => {
  let cluster: Cluster;
  let fixture: ClusterFixture;
  let machine: ClusterMachine;
  let session: AskingSession;

  beforeAll(async () => {
    const env = { TURN_LOST_AFTER_SECONDS: String(TURN_LOST_AFTER_SECONDS) };
    cluster = await Cluster.start({ redis: 'proxied', env });
    fixture = await ClusterFixture.start(cluster);
  });
  beforeEach(async () => {
    await Promise.all(cluster.instances.filter(({ isRunning }) => !isRunning).map((each) => each.start()));
    await cluster.waitUntilBalanced();
    machine = await fixture.createMachine(cluster.getInstance(0), undefined, CAPABILITIES);
    session = await createSession(machine.device);
  });
  afterEach(() => fixture.close());
  afterAll(() => cluster?.stop());

  const via = (index: number) => cluster.getInstance(index).http;
  const createSession = (host: ForeignDevice) => AskingSession.createSession(systemClock, fixture.ada, host);
  const getTurnPath = ({ id, turnId } = session) => `/external/v1/sessions/${id}/turns/${turnId}`;
  /** Waits on this instance for a later version. */
  const waitForTurn = (index: number, { version = 1, token = fixture.token } = {}): Promise<HttpResponse> =>
    via(index).get(`${getTurnPath()}?waitMs=28000&afterVersion=${version}`, token);
  const waitForWaits = (index: number, count: number) =>
    waitFor(async () => expect(await cluster.getInstance(index).sumMetric('turn_waits')).toBe(count), 20_000);
  const readTurn = async (asking = session) =>
    expectStatus(await via(1).get(getTurnPath(asking), fixture.token), 200).data;
  const reportTurn = async (state: ReportedState, revision: number, index = 0, asking = session) => {
    const path = `/v1/sessions/${asking.id}/turns/${asking.turnLocalId}`;
    const json = buildTurnReport(state, revision);
    return expectStatus(await via(index).request('PUT', path, { token: asking.host.token, json }), 200).data;
  };

  it('are found on every instance once a response has named them, before any report', async () => {
    machine.socket.setHandler(({ requestId }: { requestId: string }) => {
      const turn = { id: requestId.replace('req_', 'turn_'), state: 'queued', stopReason: null };
      return { ok: true, result: { accepted: true, messageId: null, reply: null, turn } };
    });
    for (const [sender, reader] of [
      [1, 2],
      [2, 0],
      [0, 1],
    ] as const) {
      const { result } = expectStatus(await fixture.sendMessage(session.id, 'hello', {}, via(sender)), 200);
      const path = `/external/v1/sessions/${session.id}/turns/${result.turn.id}`;
      expect(expectStatus(await via(reader).get(path, fixture.token), 200).data).toMatchObject({ state: 'queued' });
    }
  });

  it('end waits on other instances than the report by the signal', async () => {
    for (let version = 1; version <= 6; version++) {
      const wait = timeCall(() => waitForTurn(1, { version }));
      await waitForWaits(1, 1);
      const reportedAt = performance.now();
      await reportTurn(version % 2 ? 'requires_action' : 'running', version + 1);
      const { httpResponse, finishedAt } = await wait;
      expect(httpResponse.body.data).toMatchObject({ version: version + 1 });
      // Without signals, half of the waits would end later.
      expect(finishedAt - reportedAt).toBeLessThan(1_000);
    }
  });

  it('end a wait on another instance although the signal is lost', async () => {
    const wait = timeCall(() => waitForTurn(1));
    await waitForWaits(1, 1);
    cluster.getInstance(1).redisLink!.blockTraffic();
    try {
      const reportedAt = performance.now();
      await reportTurn('completed', 2);
      const { httpResponse, finishedAt } = await wait;
      expect(httpResponse.body.data).toMatchObject({ state: 'completed', version: 2 });
      expect(finishedAt - reportedAt).toBeLessThan(MAX_POLL_MS);
    } finally {
      await cluster.getInstance(1).redisLink!.restoreTraffic();
    }
  });

  it('answer two hundred callers of an account when their instance drains, and refuse one more', async () => {
    const { token: other } = await fixture.ada.createToken(['sessions:read']);
    const waits = Array.from({ length: 200 }, (_, n) => waitForTurn(1, { token: n % 2 ? other : fixture.token }));
    await waitForWaits(1, 200);
    for (const token of [other, fixture.token]) {
      expectProblem(await waitForTurn(1, { token }), 429, 'too_many_waits');
    }
    expect((await via(2).get(`${getTurnPath()}?waitMs=10&afterVersion=1`, other)).status).toBe(200);
    const exit = cluster.getInstance(1).stopGracefully();
    const answers = await Promise.all(waits);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { body } of answers) {
      expect(body.data).toMatchObject({ id: session.turnId, state: 'running', version: 1 });
    }
    expect((await exit).code).toBe(0);
  });

  it('execute one of two decisions through two instances', async () => {
    const tokens = [await fixture.ada.createToken(APPROVAL_SCOPES), await fixture.ada.createToken(APPROVAL_SCOPES)];
    expectStatus(await session.granted.grantToService(), 201);
    const decisions = ['allow', 'reject'];
    for (let round = 0; round < 8; round++) {
      const { id } = (await session.requestPermission(`p${round}`)).record;
      const content = await via(1).get(session.getPath(id, '/content'), tokens[0]!.token);
      const { contentHash } = expectStatus(content, 200).data;
      const executed: string[] = [];
      // Both have passed the check of the record before the device answers one.
      const haveArrived = createGate(2);
      machine.socket.setHandler(async ({ params: { optionId } }) => {
        executed.push(optionId);
        const isFirst = executed.length === 1;
        await haveArrived();
        const state = optionId === 'o1' ? 'allowed' : 'rejected';
        if (isFirst) return { ok: true, result: { state, optionId } };
        return { ok: false, error: { code: 'permission_not_pending', message: 'Another decision was first.' } };
      });
      const answers = await Promise.all(
        decisions.map((decision, n) =>
          via(n + 1).post(session.getPath(id, '/decision'), tokens[n]!.token, { decision, contentHash }),
        ),
      );
      expect(executed.toSorted()).toEqual(['o1', 'o3']);
      const first = executed[0] === 'o1' ? 0 : 1;
      const state = executed[0] === 'o1' ? 'allowed' : 'rejected';
      expect(expectStatus(answers[first]!, 200).result).toEqual({ state, optionId: executed[0] });
      expect(expectProblem(answers[1 - first]!, 409, 'permission_not_pending').outcome).toBe('answered');
      const record = expectStatus(await via(0).get(session.getPath(id), tokens[0]!.token), 200).data;
      expect(record).toMatchObject({ state, decidedBy: { tokenId: tokens[first]!.id, deviceId: null } });
    }
  });

  it('can be decided and cancelled while sixteen messages wait', async () => {
    const { token } = await fixture.ada.createToken(APPROVAL_SCOPES);
    expectStatus(await session.granted.grantToService(), 201);
    const { id } = (await session.requestPermission('p1')).record;
    const { contentHash } = expectStatus(await via(1).get(session.getPath(id, '/content'), token), 200).data;
    const release = createGate(17);
    machine.socket.setHandler(async ({ method, params }) => {
      if (method === 'session.cancel') return { ok: true, result: { state: 'cancelled' } };
      if (method === 'session.permission') {
        return { ok: true, result: { state: 'allowed', optionId: params.optionId } };
      }
      await release();
      return { ok: true, result: { turn: null } };
    });
    const sendMessage = (index: number) =>
      via(index).post(`/external/v1/sessions/${session.id}/messages`, fixture.token, {
        content: 'hello',
        waitMs: 25_000,
      });
    const messages = Array.from({ length: 16 }, (_, n) => sendMessage(1 + (n % 2)));
    await waitFor(() => expect(machine.socket.requests).toHaveLength(16));
    expectProblem(await sendMessage(1), 429, 'device_busy');
    const decision = { decision: 'allow', contentHash };
    const decided = expectStatus(await via(1).post(session.getPath(id, '/decision'), token, decision), 200);
    expect(decided.result).toEqual({ state: 'allowed', optionId: 'o1' });
    const cancelled = await via(2).post(`${getTurnPath()}/cancel`, fixture.token, undefined);
    expect(expectStatus(cancelled, 200).result).toEqual({ state: 'cancelled' });
    void release();
    for (const answer of await Promise.all(messages)) expect(answer.status).toBe(200);
  });

  it('are not lost when their instance is killed and their device connects elsewhere', async () => {
    const gone = await fixture.createMachine(cluster.getInstance(0), undefined, CAPABILITIES);
    const abandoned = await createSession(gone.device);
    // The last sign of life of both is older than the time after which a turn is lost.
    await sleep((TURN_LOST_AFTER_SECONDS + 1) * 1_000);
    await cluster.getInstance(0).killProcess();
    await sleep(2_000);
    await fixture.connectDevice(machine.device, cluster.getInstance(1), undefined, CAPABILITIES);
    // The device that stays away is given up, and its turn is lost. That takes about 20 seconds.
    await waitFor(async () => expect(await readTurn(abandoned)).toMatchObject({ state: 'lost', version: 2 }), 30_000);
    await sleep(3_000);
    expect(await readTurn()).toMatchObject({ state: 'running', version: 1 });
    expect(await reportTurn('completed', 2, 2)).toMatchObject({ state: 'completed', version: 2 });
    expect(await reportTurn('completed', 2, 2, abandoned)).toMatchObject({ state: 'completed', version: 3 });
    expect(await readTurn(abandoned)).toMatchObject({ state: 'completed', version: 3 });
  });
});
