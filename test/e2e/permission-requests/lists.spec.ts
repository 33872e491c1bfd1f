import { AskingSession } from '../../support/content/asking-session';
import { queryDatabase } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('the permission requests of a session', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;
  let session: AskingSession;
  /** Ids by the state that callers see. */
  let ids: Record<'pending' | 'allowed' | 'rejected' | 'expired' | 'reportedExpired' | 'cancelled', string>;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['sessions:read']));
    session = await AskingSession.createSession(service, ada);
    const create = async (localId: string, changes: object = {}) =>
      (await session.requestPermission(localId, changes)).record.id as string;
    const decidedAt = session.now;
    ids = {
      allowed: await create('p1', { state: 'allowed', optionId: 'o1', decidedAt }),
      rejected: await create('p2', { state: 'rejected', optionId: 'o3', decidedAt }),
      expired: await create('p3', { expiresAt: session.now - 1 }),
      reportedExpired: await create('p4', { state: 'expired' }),
      cancelled: await create('p5', { state: 'cancelled' }),
      pending: await create('p6'),
    };
  });
  afterAll(() => service?.stop());

  const list = async (query = '', by = token) =>
    expectStatus(await service.http.get(`${session.getPath()}${query}`, by), 200);
  const listIds = async (query = '') => (await list(query)).data.map(({ id }: { id: string }) => id);

  it('are listed newest first, without content', async () => {
    const { data, nextCursor } = await list();
    expect(nextCursor).toBeNull();
    expect(data.map(({ state }: { state: string }) => state)).toEqual([
      'pending',
      'cancelled',
      'expired',
      'expired',
      'rejected',
      'allowed',
    ]);
    for (const row of data) expect(row).not.toHaveProperty('content');
  });

  it('can be filtered by the state that is shown', async () => {
    expect(await listIds('?state=pending')).toEqual([ids.pending]);
    expect(await listIds('?state=expired')).toEqual([ids.reportedExpired, ids.expired]);
    expect(await listIds('?state=allowed')).toEqual([ids.allowed]);
    expect(await listIds('?state=rejected')).toEqual([ids.rejected]);
    expect(await listIds('?state=cancelled')).toEqual([ids.cancelled]);
    expect((await service.http.get(`${session.getPath()}?state=open`, token)).status).toBe(400);
  });

  it('are listed page by page with the filter', async () => {
    const first = await list('?state=expired&limit=1');
    expect(first.data).toMatchObject([{ id: ids.reportedExpired }]);
    const second = await list(`?state=expired&limit=1&cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ data: [{ id: ids.expired }], nextCursor: null });
  });

  it('are unknown to other accounts and to tokens without the scope', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    const { token: foreign } = await eve.createToken(['sessions:read']);
    const { token: bare } = await ada.createToken(['sessions:content']);
    for (const path of [session.getPath(), session.getPath(ids.pending)]) {
      expect((await service.http.get(path, foreign)).status).toBe(404);
      const refused = await service.http.get(path, bare);
      expect([refused.status, refused.body.required]).toEqual([403, ['sessions:read']]);
    }
    const other = await AskingSession.createSession(service, ada);
    for (const id of [ids.pending, 'perm_x', 'perm_01m7xsah51f6ctt8c84t8wbh7e']) {
      expect((await service.http.get(other.getPath(id), token)).status).toBe(404);
    }
  });

  it('are read by devices with their ciphertext, oldest first', async () => {
    const path = `/v1/sessions/${session.id}/permission-requests`;
    const { data } = expectStatus(await service.http.get(`${path}?state=pending`, ada.token), 200);
    expect(data).toEqual([
      {
        ...(await list('?state=pending')).data[0],
        localId: 'p6',
        revision: 1,
        optionId: null,
        keyId: session.granted.key.kid,
        content: expect.stringMatching(/^[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/),
      },
    ]);
    const all = expectStatus(await service.http.get(path, ada.token), 200).data;
    expect(all.map(({ localId }: { localId: string }) => localId)).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'p6']);
    const stranger = await ada.pairDevice('machine');
    expect((await service.http.get(path, stranger.token)).body.code).toBe('forbidden');
  });

  it('are read by account devices for all sessions, newest first', async () => {
    const other = await AskingSession.createSession(service, ada);
    const newest = (await other.requestPermission('p1')).record.id as string;
    const read = async (query: string) =>
      expectStatus(await service.http.get(`/v1/permission-requests${query}`, ada.token), 200);
    const pending = await read('?state=pending&limit=1');
    expect(pending.data).toMatchObject([{ id: newest, localId: 'p1', content: expect.any(String) }]);
    const second = await read(`?state=pending&limit=1&cursor=${pending.nextCursor}`);
    expect(second).toMatchObject({ data: [{ id: ids.pending, sessionId: session.id }], nextCursor: null });
    expect((await read('')).data).toHaveLength(7);
    expect((await service.http.get('/v1/permission-requests?state=allowed', ada.token)).status).toBe(400);
    const eve = await ForeignAccountDevice.signUp(service.http);
    expect(expectStatus(await service.http.get('/v1/permission-requests', eve.token), 200).data).toEqual([]);
    const machine = await ada.pairDevice('machine');
    expect((await service.http.get('/v1/permission-requests', machine.token)).body.code).toBe('forbidden');
    expectStatus(await service.http.delete(`/v1/sessions/${other.id}`, ada.token), 204);
  });

  it('are part of the account’s export, with their ciphertext', async () => {
    const { data } = expectStatus(await service.http.get('/v1/account/export', ada.token), 200);
    expect(data.permissionRequests).toHaveLength(6);
    expect(data.permissionRequests[0]).toMatchObject({ id: ids.allowed, localId: 'p1', content: expect.any(String) });
  });

  it('are deleted with their session', async () => {
    const deleted = await AskingSession.createSession(service, ada);
    await deleted.requestPermission('p1');
    expect((await service.http.delete(`/v1/sessions/${deleted.id}`, ada.token)).status).toBe(204);
    const rows = await queryDatabase(service, 'SELECT 1 FROM permission_requests WHERE session_id = $1', [deleted.id]);
    expect(rows).toEqual([]);
  });
});
