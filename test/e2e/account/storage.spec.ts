import { DataSource } from 'typeorm';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { encryptContentJwe } from '../../support/device/jwe-encryption';
import { SessionBodyBuilder } from '../../support/device/session-body-builder';
import { Service } from '../../support/service';

const LIMIT = 1_073_741_824;

describe('the storage of an account', () => {
  let service: Service;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    // The count is cut off at zero, which would hide what is subtracted twice.
    await DeviceSession.createSession(ada);
  });
  afterAll(() => service?.stop());

  const query = (sql: string, parameters: unknown[]) => service.app.get(DataSource).query(sql, parameters);
  const patch = (path: string, json: object) => service.http.request('PATCH', path, { token: ada.token, json });
  const used = async () => {
    const [row] = await query('SELECT storage_bytes FROM accounts WHERE id = $1', [ada.accountId]);
    return Number(row.storage_bytes);
  };

  /** Fixed cost of a row beside its texts (docs/guide/limits.md). */
  const ROW = 1_024;
  const MESSAGE_ROW = 512;

  it('counts each message once, and subtracts them when the session is deleted', async () => {
    const before = await used();
    const session = await DeviceSession.createSession(ada);
    const opened = await used();
    const message = session.encryptMessage('a');
    expectStatus(await session.postMessages([message]), 201);
    expectStatus(await session.postMessages([message]), 200);
    expect(await used()).toBe(opened + message.content.length + MESSAGE_ROW);
    expect((await service.http.delete(`/v1/sessions/${session.id}`, ada.token)).status).toBe(204);
    expect(await used()).toBe(before);
  });

  it('counts the current tag, data key and metadata of a session', async () => {
    const before = await used();
    const body = new SessionBodyBuilder(ada);
    const own = (metadata: string) => ROW + body.tag.length + body.dataKey.sealed.length + metadata.length;
    const first = body.encryptMetadata(1);
    const create = () => service.http.post('/v1/sessions', ada.token, body.buildCreateBody({ metadata: first }));
    const { id } = expectStatus(await create(), 201).data;
    expect(await used()).toBe(before + own(first));
    expectStatus(await create(), 200);
    expect(await used()).toBe(before + own(first));
    const second = body.encryptMetadata(2, {}, body.dataKey.kid, JSON.stringify({ title: 'x'.repeat(1_000) }));
    const path = `/v1/sessions/${id}`;
    expectStatus(await patch(path, { metadata: second }), 200);
    expect(await used()).toBe(before + own(second));
    expectStatus(await patch(path, { state: 'ended' }), 200);
    expect(await used()).toBe(before + own(second));
    expect((await service.http.delete(path, ada.token)).status).toBe(204);
    expect(await used()).toBe(before);
  });

  it('counts an older session when its metadata changes', async () => {
    const before = await used();
    const body = new SessionBodyBuilder(ada);
    const { id } = expectStatus(await service.http.post('/v1/sessions', ada.token, body.buildCreateBody()), 201).data;
    await query('UPDATE sessions SET own_bytes = 0, message_bytes = 0 WHERE id = $1', [id]);
    await query('UPDATE accounts SET storage_bytes = $2 WHERE id = $1', [ada.accountId, before]);
    const metadata = body.encryptMetadata(2);
    expectStatus(await patch(`/v1/sessions/${id}`, { metadata }), 200);
    expect(await used()).toBe(before + ROW + body.tag.length + body.dataKey.sealed.length + metadata.length);
    expect((await service.http.delete(`/v1/sessions/${id}`, ada.token)).status).toBe(204);
    expect(await used()).toBe(before);
  });

  it('counts an artifact with its content, tag, media type and data key', async () => {
    const before = await used();
    const { kid, sealed, bytes } = ada.createDataKey();
    const tag = 'report';
    const text = (version: number, plain: string) =>
      encryptContentJwe(bytes, kid, { a: ada.accountId, t: tag, v: version }, plain);
    const content = text(1, 'first');
    const body = { tag, mediaType: 'text/plain', dataKey: { kid, sealed }, content };
    const { id } = expectStatus(await service.http.post('/v1/artifacts', ada.token, body), 201).data;
    const own = ROW + tag.length + body.mediaType.length + sealed.length;
    expect(await used()).toBe(before + own + content.length);
    const longer = text(2, 'second, and longer');
    const change = { content: longer, expectedVersion: 1 };
    expectStatus(
      await service.http.request('PUT', `/v1/artifacts/${id}/content`, { token: ada.token, json: change }),
      200,
    );
    expect(await used()).toBe(before + own + longer.length);
    expect((await service.http.delete(`/v1/artifacts/${id}`, ada.token)).status).toBe(204);
    expect(await used()).toBe(before);
  });

  it('accepts repeats of stored records when it is full, and neither more of them nor longer content', async () => {
    const session = await DeviceSession.createSession(ada);
    const message = session.encryptMessage('stored');
    expectStatus(await session.postMessages([message]), 201);
    const sessionBody = new SessionBodyBuilder(ada).buildCreateBody();
    const { kid, sealed, bytes } = ada.createDataKey();
    const encrypt = (tag: string, version: number, plain: string) =>
      encryptContentJwe(bytes, kid, { a: ada.accountId, t: tag, v: version }, plain);
    const buildArtifact = (tag: string) => {
      const content = encrypt(tag, 1, 'stored');
      return { tag, mediaType: 'text/plain', dataKey: { kid, sealed }, content };
    };
    const create = (path: string, body: object) => service.http.post(path, ada.token, body);
    expectStatus(await create('/v1/sessions', sessionBody), 201);
    const { id } = expectStatus(await create('/v1/artifacts', buildArtifact('stored')), 201).data;
    const before = await used();
    await query('UPDATE accounts SET storage_bytes = $2 WHERE id = $1', [ada.accountId, LIMIT]);
    expectStatus(await session.postMessages([message]), 200);
    expectStatus(await create('/v1/sessions', sessionBody), 200);
    expectStatus(await create('/v1/artifacts', buildArtifact('stored')), 200);
    const replace = (content: string) =>
      service.http.request('PUT', `/v1/artifacts/${id}/content`, {
        token: ada.token,
        json: { content, expectedVersion: 1 },
      });
    for (const refused of [
      await create('/v1/artifacts', buildArtifact('more')),
      await replace(encrypt('stored', 2, 'longer than before')),
    ])
      expect(refused.body).toMatchObject({ status: 403, code: 'plan_limit_exceeded', limit: LIMIT });
    expectStatus(await replace(encrypt('stored', 2, 'short')), 200);
    await query('UPDATE accounts SET storage_bytes = $2 WHERE id = $1', [ada.accountId, before]);
  });

  it('rejects writes beyond the plan’s limit without storing any part', async () => {
    const session = await DeviceSession.createSession(ada);
    await query('UPDATE accounts SET storage_bytes = $2 WHERE id = $1', [ada.accountId, LIMIT - 10]);
    const body = new SessionBodyBuilder(ada);
    const answers = [
      await session.postMessages([session.encryptMessage('too-much')]),
      await service.http.post('/v1/sessions', ada.token, body.buildCreateBodyOfSize(1_000)),
      await patch(`/v1/sessions/${session.id}`, { metadata: session.encryptMetadata(2) }),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ code: 'plan_limit_exceeded', limit: LIMIT });
    }
    const { data } = expectStatus(await service.http.get(`/v1/sessions/${session.id}/messages`, ada.token), 200);
    expect(data).toEqual([]);
    const after = expectStatus(await service.http.get(`/v1/sessions/${session.id}`, ada.token), 200).data;
    expect([after.version, after.metadata]).toEqual([1, null]);
    expect(expectStatus(await service.http.get(`/v1/sessions?tag=${body.tag}`, ada.token), 200).data).toEqual([]);
    expect(await used()).toBe(LIMIT - 10);
  });
});
