import { generateId } from '../../../src/common/ids';
import { AskingSession, PERMISSION_OPTIONS } from '../../support/content/asking-session';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { Service } from '../../support/service';
import { listViolations } from '../../support/violations';

const DAY = 86_400_000;
const range = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('PUT /v1/sessions/{id}/permission-requests/{localId}', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let session: AskingSession;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read']));
  });
  beforeEach(async () => {
    session = await AskingSession.createSession(service, ada);
  });
  afterAll(() => service?.stop());

  const read = async (id: string) => expectStatus(await service.http.get(session.getPath(id), token), 200).data;
  const refused = ({ status, body }: HttpResponse) => [status, body.code];
  const allow = (report: object, revision = 2) => ({
    ...report,
    revision,
    state: 'allowed',
    optionId: 'o1',
    decidedAt: session.now,
  });

  it('stores a request, which callers read without its content', async () => {
    const before = session.now;
    const { record, report } = await session.requestPermission(`${session.turnLocalId}:p1`);
    expect(record).toEqual({
      id: expect.stringMatching(/^perm_/),
      object: 'permission_request',
      sessionId: session.id,
      turnId: session.turnId,
      kind: 'execute',
      state: 'pending',
      options: PERMISSION_OPTIONS,
      decidedBy: null,
      createdAt: expect.any(Number),
      expiresAt: report.expiresAt,
      decidedAt: null,
    });
    expect(record.createdAt).toBeGreaterThanOrEqual(before);
    expect(await read(record.id)).toEqual(record);
  });

  it('returns 200 and the stored request for a repeated or older report', async () => {
    const { record, report } = await session.requestPermission('p1', { revision: 3 });
    for (const revision of [3, 2]) {
      const httpResponse = await session.putReport('p1', { ...allow(report), revision });
      expect(expectStatus(httpResponse, 200).data).toEqual(record);
    }
  });

  it('stores the first final state, and keeps it', async () => {
    const { record, report } = await session.requestPermission('p1');
    const allowed = expectStatus(await session.putReport('p1', allow(report)), 200).data;
    expect(allowed).toEqual({ ...record, state: 'allowed', decidedAt: expect.any(Number) });
    const cancelled = { ...report, revision: 9, state: 'cancelled' };
    expect(expectStatus(await session.putReport('p1', cancelled), 200).data).toEqual(allowed);
    expect(await read(record.id)).toEqual(allowed);
  });

  it('accepts a request that was decided before the first report', async () => {
    const { record } = await session.requestPermission('p1', { state: 'rejected', optionId: 'o3', decidedAt: 1_000 });
    expect(record).toMatchObject({ state: 'rejected', decidedAt: 1_000 });
  });

  it('stores a request once when reports with several states arrive at once', async () => {
    const report = await session.buildReport('p1');
    const reports = [report, report, allow(report), { ...report, revision: 2, state: 'cancelled' }, report];
    const answers = await Promise.all(reports.map((each) => session.putReport('p1', each)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    const record = await read(answers[0]!.body.data.id);
    const finals = [answers[2]!, answers[3]!].map(({ body }) => body.data.state);
    expect(['allowed', 'cancelled']).toContain(record.state);
    expect(finals).toEqual([record.state, record.state]);
  });

  it.each([
    ['content', async () => ({ content: await session.encryptContent('p1') })],
    ['options', () => ({ options: PERMISSION_OPTIONS.slice(0, 2) })],
    ['order of the options', () => ({ options: [...PERMISSION_OPTIONS].reverse() })],
    ['expiresAt', () => ({ expiresAt: session.now + 700_000 })],
    ['kind', () => ({ kind: 'edit' })],
    ['turn', () => ({ turnLocalId: generateId('req') })],
  ])('refuses another %s with 409 and changes nothing', async (_, change) => {
    const { record, report } = await session.requestPermission('p1');
    const changed = { ...allow(report), optionId: 'o2', ...(await change()) };
    expect(refused(await session.putReport('p1', changed))).toEqual([409, 'conflict']);
    expect(await read(record.id)).toEqual(record);
  });

  it('shows a request as expired when its time is up, and lets the device correct that', async () => {
    const { record, report } = await session.requestPermission('p1');
    service.advanceClock(600_001);
    expect(await read(record.id)).toEqual({ ...record, state: 'expired' });
    expect(expectStatus(await session.putReport('p1', allow(report)), 200).data.state).toBe('allowed');
    expect((await read(record.id)).state).toBe('allowed');
  });

  it.each<[string, object | (() => object), string, string]>([
    ['a content that is no JWE', { content: 'text' }, '/content', 'invalid_jwe'],
    ['a content of 65,537 characters', { content: 'x'.repeat(65_537) }, '/content', 'out_of_range'],
    ['an expiry after 25 hours', () => ({ expiresAt: session.now + DAY + 3_600_000 }), '/expiresAt', 'out_of_range'],
    ['no options', { options: [] }, '/options', 'not_allowed'],
    [
      '17 options',
      { options: range(17).map((i) => ({ optionId: `o${i}`, kind: 'allow_once' })) },
      '/options',
      'out_of_range',
    ],
    [
      'an option with a space',
      { options: [{ optionId: 'o 1', kind: 'allow_once' }] },
      '/options/0/optionId',
      'invalid_format',
    ],
    ['a kind with a space', { kind: 'a b' }, '/kind', 'invalid_format'],
    ['an option twice', { options: [PERMISSION_OPTIONS[0], PERMISSION_OPTIONS[0]] }, '/options', 'not_unique'],
    ['an unknown kind of option', { options: [{ optionId: 'o', kind: 'x' }] }, '/options/0/kind', 'not_allowed'],
    ['the option of a pending request', { optionId: 'o1' }, '/optionId', 'not_allowed'],
    ['revision 0', { revision: 0 }, '/revision', 'out_of_range'],
  ])('refuses %s with 400', async (_, changes, path, code) => {
    const report = await session.buildReport('p1', typeof changes === 'function' ? changes() : changes);
    expect(listViolations(await session.putReport('p1', report))).toEqual([['body', path, code]]);
  });

  it('refuses content that is bound to another request or session', async () => {
    const other = await AskingSession.createSession(service, ada);
    for (const content of [await session.encryptContent('p2'), await other.encryptContent('p1')]) {
      const httpResponse = await session.putReport('p1', await session.buildReport('p1', { content }));
      expect(listViolations(httpResponse)).toEqual([['body', '/content', 'invalid_jwe']]);
    }
  });

  it.each(['', 'a/b', 'a b', 'x'.repeat(129)])('knows no request with the localId %j', async (localId) => {
    expect((await session.putReport(localId, await session.buildReport(localId))).status).toBe(404);
  });

  it('requires a turn of the session', async () => {
    const other = await AskingSession.createSession(service, ada);
    for (const turnLocalId of [generateId('req'), 'nonsense', other.turnLocalId]) {
      const report = await session.buildReport('p1', { turnLocalId });
      expect(refused(await session.putReport('p1', report))).toEqual([404, 'not_found']);
    }
  });

  it('accepts reports of the turn’s device only', async () => {
    const machine = await ada.pairDevice('machine');
    const hosted = await AskingSession.createSession(service, ada, machine);
    const report = await hosted.buildReport('p1');
    expect(refused(await hosted.putReport('p1', report, ada))).toEqual([403, 'forbidden']);
    expectStatus(await hosted.putReport('p1', report), 201);
    expect(refused(await hosted.putReport('p1', allow(report), ada))).toEqual([403, 'forbidden']);
    const stranger = await ada.pairDevice('machine');
    expect(refused(await hosted.putReport('p1', allow(report), stranger))).toEqual([403, 'forbidden']);
    const eve = await ForeignAccountDevice.signUp(service.http);
    expect(refused(await hosted.putReport('p1', allow(report), eve))).toEqual([404, 'not_found']);
  });

  it('has at most 32 pending requests per session, also when they arrive at once', async () => {
    const reports = await Promise.all(range(36).map((i) => session.buildReport(`p${i}`)));
    const answers = await Promise.all(reports.map((report, i) => session.putReport(`p${i}`, report)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(32);
    const full = answers.find(({ status }) => status === 403)!;
    expect(full.body).toMatchObject({ code: 'plan_limit_exceeded', limit: 32 });
    const stored = answers.findIndex(({ status }) => status === 201);
    expectStatus(await session.putReport(`p${stored}`, allow(reports[stored]!)), 200);
    await session.requestPermission('another');
    expect((await session.putReport('more', await session.buildReport('more'))).status).toBe(403);
    await session.requestPermission('decided', { state: 'cancelled' });
  });

  it('does not count expired requests as pending', async () => {
    for (const i of range(32)) await session.requestPermission(`p${i}`);
    service.advanceClock(600_001);
    await session.requestPermission('another');
  });

  it('notifies the account’s other devices when a request is created and decided', async () => {
    const late = await AskingSession.createSession(service, ada);
    const other = await ada.pairDevice('account');
    const socket = await DeviceSocket.connect(service.url, other.token, []);
    const notifications: object[] = [];
    const both = new Promise<void>((resolve) =>
      socket.socket.on('change', (change: object) => {
        notifications.push(change);
        if (notifications.length === 2) resolve();
      }),
    );
    // Nobody can decide on this one.
    await late.requestPermission('late', { expiresAt: late.now - 1 });
    const { report } = await session.requestPermission('p1');
    await session.putReport('p1', { ...report, revision: 2 });
    await session.putReport('p1', allow(report, 3));
    await both;
    expect(notifications).toEqual([
      { type: 'permission.requested', id: session.id },
      { type: 'permission.decided', id: session.id },
    ]);
    socket.close();
  });
});
