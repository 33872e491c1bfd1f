import { AccountDevice, ok, type ForeignDevice } from '../../support/device/foreign-device';
import { SessionBody } from '../../support/device/session-bodies';
import { faultPaths, problem } from '../../support/problems';
import { Service } from '../../support/service';

describe('PATCH /v1/sessions/{id}', () => {
  let service: Service;
  let ada: AccountDevice;
  let host: ForeignDevice;
  let other: ForeignDevice;
  let session: SessionBody;
  let created: any;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    host = await ada.adopt('machine');
    other = await ada.adopt('machine');
  });
  beforeEach(async () => {
    session = new SessionBody(ada);
    created = ok(await service.http.post('/v1/sessions', host.token, session.create()), 201).data;
    service.advance(1_000);
  });
  afterAll(() => service?.stop());

  const patch = (by: ForeignDevice, json: object, id = created.id) =>
    service.http.request('PATCH', `/v1/sessions/${id}`, { token: by.token, json });

  async function read(): Promise<any> {
    const path = `/v1/sessions?tag=${session.tag}`;
    return ok(await service.http.get(path, ada.token), 200).data[0];
  }

  it('ends a session and makes it active again', async () => {
    const ended = ok(await patch(host, { state: 'ended' }), 200).data;
    expect(ended).toEqual({
      ...created,
      state: 'ended',
      endedAt: ended.updatedAt,
      updatedAt: ended.updatedAt,
    });
    expect(ended.endedAt).toBeGreaterThanOrEqual(created.createdAt + 1_000);
    expect(await read()).toEqual(ended);
    const active = ok(await patch(ada, { state: 'active' }), 200).data;
    expect(active).toMatchObject({ state: 'active', endedAt: null, version: 1 });
  });

  it('keeps the time of the end when it is ended again', async () => {
    const ended = ok(await patch(host, { state: 'ended' }), 200).data;
    service.advance(1_000);
    expect(ok(await patch(host, { state: 'ended' }), 200).data.endedAt).toBe(ended.endedAt);
  });

  it('replaces metadata bound to the next version', async () => {
    for (const version of [2, 3]) {
      const metadata = session.metadata(version);
      const expectedVersion = version - 1;
      const { data } = ok(await patch(host, { metadata, expectedVersion }), 200);
      expect(data).toMatchObject({ metadata, version });
    }
    expect(await read()).toMatchObject({ version: 3 });
  });

  it('leaves metadata and version where only the state changes, or metadata is null', async () => {
    const metadata = session.metadata(2);
    ok(await patch(host, { metadata }), 200);
    const { data } = ok(await patch(host, { state: 'ended', metadata: null }), 200);
    expect(data).toMatchObject({ metadata, version: 2, state: 'ended' });
  });

  it('changes nothing without a change', async () => {
    expect(ok(await patch(host, {}), 200).data).toEqual(created);
    expect(ok(await patch(host, { state: 'active', expectedVersion: 1 }), 200).data).toEqual(created);
  });

  it('is 409 for a stale version, with the current one, and changes nothing', async () => {
    ok(await patch(host, { metadata: session.metadata(2) }), 200);
    const stale = await patch(host, { state: 'ended', metadata: session.metadata(2), expectedVersion: 1 });
    expect(problem(stale, 409, 'conflict').current).toBe(2);
    problem(await patch(host, { state: 'ended', expectedVersion: 3 }), 409, 'conflict');
    expect(await read()).toMatchObject({ state: 'active', version: 2 });
  });

  it('lets one of many at once win', async () => {
    const change = { metadata: session.metadata(2), expectedVersion: 1 };
    const answers = await Promise.all(Array.from({ length: 5 }, () => patch(host, change)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await read()).toMatchObject({ version: 2 });
  });

  it.each([
    ['the present version', (s: SessionBody) => s.metadata(1)],
    ['a version too far', (s: SessionBody) => s.metadata(3)],
    ['another key', (s: SessionBody) => s.metadata(2, {}, 'another-key')],
    ['another session', (s: SessionBody) => s.metadata(2, { s: 'another tag' })],
    ['no JWE', () => 'hello'],
  ])('refuses metadata of %s, and changes nothing', async (_, make) => {
    const answer = await patch(host, { state: 'ended', metadata: make(session) });
    expect(faultPaths(answer)).toEqual(['/metadata']);
    expect(await read()).toEqual(created);
  });

  it.each([
    [{ state: 'paused' }, '/state'],
    [{ expectedVersion: 0 }, '/expectedVersion'],
    [{ expectedVersion: '1' }, '/expectedVersion'],
    [{ tag: 'another' }, '/tag'],
    [{ dataKey: {} }, '/dataKey'],
  ])('refuses %j', async (change, fault) => {
    expect(faultPaths(await patch(host, change))).toEqual([fault]);
  });

  it('is 403 for a machine that does not host the session', async () => {
    problem(await patch(other, { state: 'ended' }), 403, 'forbidden');
    const mine = ok(await service.http.post('/v1/sessions', ada.token, new SessionBody(ada).create()), 201);
    problem(await patch(host, { state: 'ended' }, mine.data.id), 403, 'forbidden');
    expect(await read()).toEqual(created);
  });

  it('is 404 for an id that is unknown, malformed or another account’s', async () => {
    const eve = await AccountDevice.signUp(service.http);
    problem(await patch(eve, { state: 'ended' }), 404, 'not_found');
    for (const id of ['ses_00000000000000000000000000', 'nonsense', '%00', created.id.toUpperCase()]) {
      problem(await patch(ada, { state: 'ended' }, id), 404, 'not_found');
    }
  });
});
