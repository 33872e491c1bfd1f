import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { SessionBodyBuilder } from '../../support/device/session-body-builder';
import { expectViolationPaths, expectProblem } from '../../support/problems';
import { Service } from '../../support/service';

describe('PATCH /v1/sessions/{id}', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let host: ForeignDevice;
  let other: ForeignDevice;
  let session: SessionBodyBuilder;
  let created: any;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    host = await ada.pairDevice('machine');
    other = await ada.pairDevice('machine');
  });
  beforeEach(async () => {
    session = new SessionBodyBuilder(ada);
    created = expectStatus(await service.http.post('/v1/sessions', host.token, session.buildCreateBody()), 201).data;
    service.advanceClock(1_000);
  });
  afterAll(() => service?.stop());

  const patch = (by: ForeignDevice, json: object, id = created.id) =>
    service.http.request('PATCH', `/v1/sessions/${id}`, { token: by.token, json });

  async function read(): Promise<any> {
    const path = `/v1/sessions?tag=${session.tag}`;
    return expectStatus(await service.http.get(path, ada.token), 200).data[0];
  }

  it('ends a session and makes it active again', async () => {
    const ended = expectStatus(await patch(host, { state: 'ended' }), 200).data;
    expect(ended).toEqual({
      ...created,
      state: 'ended',
      endedAt: ended.updatedAt,
      updatedAt: ended.updatedAt,
    });
    expect(ended.endedAt).toBeGreaterThanOrEqual(created.createdAt + 1_000);
    expect(await read()).toEqual(ended);
    const active = expectStatus(await patch(ada, { state: 'active' }), 200).data;
    expect(active).toMatchObject({ state: 'active', endedAt: null, version: 1 });
  });

  it('keeps endedAt when it is ended again', async () => {
    const ended = expectStatus(await patch(host, { state: 'ended' }), 200).data;
    service.advanceClock(1_000);
    expect(expectStatus(await patch(host, { state: 'ended' }), 200).data.endedAt).toBe(ended.endedAt);
  });

  it('replaces metadata encrypted for the next version', async () => {
    for (const version of [2, 3]) {
      const metadata = session.encryptMetadata(version);
      const expectedVersion = version - 1;
      const { data } = expectStatus(await patch(host, { metadata, expectedVersion }), 200);
      expect(data).toMatchObject({ metadata, version });
    }
    expect(await read()).toMatchObject({ version: 3 });
  });

  it('keeps metadata and version if only the state changes or metadata is null', async () => {
    const metadata = session.encryptMetadata(2);
    expectStatus(await patch(host, { metadata }), 200);
    const { data } = expectStatus(await patch(host, { state: 'ended', metadata: null }), 200);
    expect(data).toMatchObject({ metadata, version: 2, state: 'ended' });
  });

  it('changes nothing without a change', async () => {
    expect(expectStatus(await patch(host, {}), 200).data).toEqual(created);
    expect(expectStatus(await patch(host, { state: 'active', expectedVersion: 1 }), 200).data).toEqual(created);
  });

  it('is 409 for a stale version, with the current one, and changes nothing', async () => {
    expectStatus(await patch(host, { metadata: session.encryptMetadata(2) }), 200);
    const stale = await patch(host, {
      state: 'ended',
      metadata: session.encryptMetadata(2),
      expectedVersion: 1,
    });
    expect(expectProblem(stale, 409, 'conflict').current).toBe(2);
    expectProblem(await patch(host, { state: 'ended', expectedVersion: 3 }), 409, 'conflict');
    expect(await read()).toMatchObject({ state: 'active', version: 2 });
  });

  it('accepts one of many concurrent updates', async () => {
    const change = { metadata: session.encryptMetadata(2), expectedVersion: 1 };
    const answers = await Promise.all(Array.from({ length: 5 }, () => patch(host, change)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await read()).toMatchObject({ version: 2 });
  });

  it.each([
    ['the present version', (s: SessionBodyBuilder) => s.encryptMetadata(1)],
    ['a version too far', (s: SessionBodyBuilder) => s.encryptMetadata(3)],
    ['another key', (s: SessionBodyBuilder) => s.encryptMetadata(2, {}, 'another-key')],
    ['another session', (s: SessionBodyBuilder) => s.encryptMetadata(2, { s: 'another tag' })],
    ['no JWE', () => 'hello'],
  ])('rejects metadata of %s and changes nothing', async (_, make) => {
    const httpResponse = await patch(host, { state: 'ended', metadata: make(session) });
    expect(expectViolationPaths(httpResponse)).toEqual(['/metadata']);
    expect(await read()).toEqual(created);
  });

  it.each([
    [{ state: 'paused' }, '/state'],
    [{ expectedVersion: 0 }, '/expectedVersion'],
    [{ expectedVersion: '1' }, '/expectedVersion'],
    [{ tag: 'another' }, '/tag'],
    [{ dataKey: {} }, '/dataKey'],
  ])('rejects %j', async (change, fault) => {
    expect(expectViolationPaths(await patch(host, change))).toEqual([fault]);
  });

  it('is 403 for a machine that does not host the session', async () => {
    expectProblem(await patch(other, { state: 'ended' }), 403, 'forbidden');
    const mine = expectStatus(
      await service.http.post('/v1/sessions', ada.token, new SessionBodyBuilder(ada).buildCreateBody()),
      201,
    );
    expectProblem(await patch(host, { state: 'ended' }, mine.data.id), 403, 'forbidden');
    expect(await read()).toEqual(created);
  });

  it('is 404 for an id that is unknown, malformed or another account’s', async () => {
    const eve = await ForeignAccountDevice.signUp(service.http);
    expectProblem(await patch(eve, { state: 'ended' }), 404, 'not_found');
    for (const id of ['ses_00000000000000000000000000', 'nonsense', '%00', created.id.toUpperCase()]) {
      expectProblem(await patch(ada, { state: 'ended' }, id), 404, 'not_found');
    }
  });
});
