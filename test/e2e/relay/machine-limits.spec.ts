import { canReachMachines, getRoutePolicy, SCOPE_NAMES } from '../../../src/access/auth';
import { RouteRegistry } from '../../../src/common/http';
import { AskingSession } from '../../support/content/asking-session';
import { queryDatabase } from '../../support/database';
import type { DeviceSocket } from '../../support/device/device-socket';
import { expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { INVOCATION_CAPABILITIES } from '../../support/invocation-fixture';
import { expectProblem } from '../../support/problems';
import { QueuedSession } from '../../support/queued-session';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { insertTurn } from '../../support/turn-rows';

const CAPABILITIES = [
  ...INVOCATION_CAPABILITIES,
  'session.cancel',
  'session.end',
  'session.permission',
  'session.question',
  'permission.message',
  'session.sealed',
  'session.start',
  'agent.sessions',
];

/** Routes below a machine or session that a limited token may read everywhere. Others must be refused. */
const READS = [
  'GET /external/v1/machines/{id}',
  'GET /external/v1/sessions/{id}',
  'GET /external/v1/sessions/{id}/content',
  'GET /external/v1/sessions/{id}/events',
  'GET /external/v1/sessions/{id}/messages',
  'GET /external/v1/sessions/{id}/messages/{msgId}/content',
  'GET /external/v1/sessions/{id}/options',
  'GET /external/v1/sessions/{id}/permission-requests',
  'GET /external/v1/sessions/{id}/permission-requests/{permissionId}',
  'GET /external/v1/sessions/{id}/permission-requests/{permissionId}/content',
  'GET /external/v1/sessions/{id}/queued-messages',
  'GET /external/v1/sessions/{id}/turns',
  'GET /external/v1/sessions/{id}/turns/{turnId}',
];

describe('a token that is limited to a machine', () => {
  let fixture: RelayFixture;
  let own: ConnectedMachine;
  let other: ConnectedMachine;
  let token: string;
  let ownSession: string;
  let otherSession: string;

  beforeAll(async () => {
    fixture = await RelayFixture.start();
    [own, other] = [await fixture.createMachine(CAPABILITIES), await fixture.createMachine(CAPABILITIES)];
    token = await createLimitedToken(own.id);
    ownSession = await createSession(own.device, own.id);
    otherSession = await createSession(other.device, other.id);
  });
  beforeEach(() => {
    for (const { socket } of [own, other]) socket.requests.length = 0;
  });
  afterAll(() => fixture?.stop());

  const createLimitedToken = async (...machineIds: string[]) =>
    (await fixture.ada.createToken([...SCOPE_NAMES], { machineIds })).token;
  const createSession = async (host: ForeignDevice, machineId?: string): Promise<string> =>
    (await fixture.ada.createSession(host, { machineId })).id;
  const post = (path: string, body?: object, key?: string, by = token): Promise<HttpResponse> =>
    fixture.http.post(`/external/v1${path}`, by, body, key ? { headers: { 'Idempotency-Key': key } } : {});
  const sendMessage = (sessionId: string) => post(`/sessions/${sessionId}/messages`, { content: 'hello' });
  const expectRefusal = (response: HttpResponse) =>
    expect(expectProblem(response, 403, 'machine_not_allowed').outcome).toBe('not_delivered');
  const getMethods = ({ requests }: DeviceSocket) => requests.map(({ method }) => method);

  /** Lists the routes of tokens below a machine or session, and whether their scopes reach machines. */
  const listRoutes = () =>
    fixture.service.app
      .get(RouteRegistry, { strict: false })
      .listRoutes()
      .flatMap((route) => {
        const policy = getRoutePolicy(route);
        if (policy?.kind !== 'token' || !route.path.includes('s/{id}')) return [];
        return [{ ...route, name: `${route.method} ${route.path}`, isActing: canReachMachines(policy.scopes) }];
      })
      .filter(({ path }) => /^\/external\/v1\/(machine|session)s\/\{id\}/.test(path));
  const callRoute = async (
    { method, path }: { method: string; path: string },
    machineId: string,
    sessionId: string,
  ) => {
    const id = path.startsWith('/external/v1/machines/') ? machineId : sessionId;
    const url = path.replace('{id}', id).replace(/\{\w+\}/g, 'unknown');
    return (await fixture.http.request(method, url, { token, ...(method === 'POST' && { json: { surprise: 1 } }) }))
      .body;
  };

  it('is refused by every route of another machine and its sessions that may act or read invocations', async () => {
    const acting = listRoutes().filter(({ isActing }) => isActing);
    expect(acting.length).toBeGreaterThan(12);
    const noMachine = await createSession(own.device);
    for (const route of acting) {
      for (const sessionId of [otherSession, noMachine]) {
        const { code, outcome } = await callRoute(route, other.id, sessionId);
        expect([route.name, code, outcome]).toEqual([route.name, 'machine_not_allowed', 'not_delivered']);
      }
      const { code } = await callRoute(route, own.id, ownSession);
      expect([route.name, code]).not.toEqual([route.name, 'machine_not_allowed']);
    }
    expect(other.socket.requests).toEqual([]);
  });

  it('is not limited in what it reads, and each such route is known', async () => {
    const names = listRoutes().flatMap(({ name, isActing }) => (isActing ? [] : [name]));
    expect(names.sort()).toEqual(READS);
    const ids = async (path: string) =>
      expectStatus(await fixture.http.get(`/external/v1${path}`, token), 200).data.map(({ id }: { id: string }) => id);
    expect(await ids('/machines')).toEqual(expect.arrayContaining([own.id, other.id]));
    expect(await ids('/sessions')).toEqual(expect.arrayContaining([ownSession, otherSession]));
    expectStatus(await fixture.http.get(`/external/v1/sessions/${otherSession}/messages`, token), 200);
  });

  it('acts on its machine as any other token', async () => {
    expectStatus(await post(`/machines/${own.id}/invoke`, { command: 'true' }), 200);
    expectStatus(await sendMessage(ownSession), 200);
    own.socket.setHandler(() => ({ ok: true, result: { sessionId: ownSession, turn: null } }));
    expectStatus(await post(`/machines/${own.id}/sessions`, {}), 200);
    expect(getMethods(own.socket)).toEqual(['machine.invoke', 'session.message', 'session.start']);
    const two = await createLimitedToken(own.id, other.id);
    expectStatus(await post(`/machines/${other.id}/invoke`, { command: 'true' }, undefined, two), 200);
  });

  it('does not tell an unknown machine from another one, and knows no foreign session', async () => {
    expectRefusal(await post('/machines/mch_00000000000000000000000000/invoke', { command: 'true' }));
    expectRefusal(await post('/machines/nonsense/invoke', { command: 'true' }));
    expectProblem(await sendMessage('ses_00000000000000000000000000'), 404, 'not_found');
  });

  it('gets no stored response of another machine', async () => {
    const invoke = (id: string, by?: string) => post(`/machines/${id}/invoke`, { command: 'true' }, 'same-key', by);
    expectStatus(await invoke(other.id, fixture.token), 200);
    expectRefusal(await invoke(other.id));
    const first = expectStatus(await invoke(own.id), 200);
    const again = await invoke(own.id);
    expect([again.body, again.headers.get('idempotency-replayed')]).toEqual([first, 'true']);
  });

  it('reaches the device of the machine only, although a session has another host', async () => {
    const phone = await fixture.ada.pairDevice('account');
    const phoneSocket = await fixture.connectDevice(phone, ['session.message']);
    const sessionId = await createSession(phone, own.id);
    expectStatus(await sendMessage(sessionId), 200);
    const owner = { accountId: fixture.ada.accountId, sessionId };
    const turnId = await insertTurn(fixture.service, { ...owner, deviceId: phone.id }, 'running');
    expectRefusal(await post(`/sessions/${sessionId}/turns/${turnId}/cancel`));
    const away = await fixture.createOfflineMachine();
    const awayToken = await createLimitedToken(away.id);
    const path = `/sessions/${await createSession(phone, away.id)}/messages`;
    expectProblem(await post(path, { content: 'hello' }, undefined, awayToken), 503, 'no_online_device');
    expect([getMethods(own.socket), phoneSocket.requests]).toEqual([['session.message'], []]);
    phoneSocket.close();
  });

  it('decides on no request of another machine, although it can read it', async () => {
    own.socket.setHandler(({ params }) => ({ ok: true, result: { state: 'allowed', optionId: params.optionId } }));
    const session = await AskingSession.createSession(fixture.service, fixture.ada, own.device);
    expectStatus(await session.granted.grantToService(), 201);
    const { record } = await session.requestPermission('p1');
    const content = await fixture.http.get(session.getPath(record.id, '/content'), token);
    const { contentHash } = expectStatus(content, 200).data;
    const decide = () =>
      fixture.http.post(session.getPath(record.id, '/decision'), token, { decision: 'allow', contentHash });
    const moveTo = (machineId: string) =>
      queryDatabase(fixture.service, 'UPDATE sessions SET machine_id = $2 WHERE id = $1', [session.id, machineId]);
    await moveTo(other.id);
    expectRefusal(await decide());
    await moveTo(own.id);
    expectStatus(await decide(), 200);
    expect(getMethods(own.socket)).toEqual(['session.permission']);
  });

  it('queues messages for its machine only, which is checked again when they are sent', async () => {
    const queue = (sessionId: string) => new QueuedSession(fixture.http, token, sessionId);
    expectRefusal(await queue(otherSession).postMessage('hello'));
    const away = await fixture.createOfflineMachine();
    const session = await createSession(away.device, away.id);
    const awayToken = await createLimitedToken(away.id);
    const queued = queue(session).via({ token: awayToken });
    const ids = [await queued.queueMessage('first'), await queued.queueMessage('second')];
    const socket = await fixture.connectDevice(away.device, CAPABILITIES);
    await queued.waitForState(ids[1]!, 'delivered');
    expect(getMethods(socket)).toEqual(['session.message', 'session.message']);
    socket.close();
    await socket.disconnected;
    const later = await queued.queueMessage('third');
    await queryDatabase(fixture.service, 'UPDATE sessions SET machine_id = $2 WHERE id = $1', [session, other.id]);
    await fixture.connectDevice(away.device, CAPABILITIES);
    await queued.waitForState(later, 'cancelled');
    expectRefusal(await fixture.http.delete(`${queued.listPath}/${later}`, awayToken));
    expect(other.socket.requests).toEqual([]);
  });

  it('can act on nothing when its machine is gone', async () => {
    const gone = await fixture.createOfflineMachine();
    const goneToken = await createLimitedToken(gone.id);
    await queryDatabase(fixture.service, 'DELETE FROM machines WHERE id = $1', [gone.id]);
    const me = expectStatus(await fixture.http.get('/external/v1/me', goneToken), 200);
    expect(me.data.token.machineIds).toEqual([gone.id]);
    const invoke = (id: string) => post(`/machines/${id}/invoke`, { command: 'true' }, undefined, goneToken);
    expectProblem(await invoke(gone.id), 404, 'not_found');
    expectRefusal(await invoke(own.id));
    expectRefusal(await post(`/sessions/${ownSession}/messages`, { content: 'hello' }, undefined, goneToken));
  });
});
