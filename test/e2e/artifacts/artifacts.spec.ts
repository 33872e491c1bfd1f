import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { encryptContentJwe } from '../../support/device/jwe-encryption';
import { Service } from '../../support/service';

describe('artifacts', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['artifacts:read']));
  });
  afterAll(() => service?.stop());

  /** Returns an artifact's data key and a function that encrypts a version. */
  const draft = (tag: string) => {
    const { kid, sealed, bytes } = ada.createDataKey();
    const content = (version: number, text = `v${version}`) =>
      encryptContentJwe(bytes, kid, { a: ada.accountId, t: tag, v: version }, text);
    return {
      tag,
      content,
      body: { tag, mediaType: 'text/plain', dataKey: { kid, sealed }, content: content(1) },
    };
  };
  const create = (body: object, by: ForeignDevice = ada) => service.http.post('/v1/artifacts', by.token, body);
  const replace = (id: string, content: string, expectedVersion: number) =>
    service.http.request('PUT', `/v1/artifacts/${id}/content`, {
      token: ada.token,
      json: { content, expectedVersion },
    });

  it('are stored once per tag; a repeat returns the existing one', async () => {
    const { body } = draft('report');
    const first = await create(body);
    expect(first.status).toBe(201);
    expect(first.body.data).toEqual({
      id: expect.stringMatching(/^art_/),
      object: 'artifact',
      sessionId: null,
      tag: 'report',
      mediaType: 'text/plain',
      version: 1,
      sizeBytes: body.content.length,
      keyId: body.dataKey.kid,
      contentGranted: false,
      createdAt: expect.any(Number),
      updatedAt: expect.any(Number),
      content: body.content,
      dataKey: body.dataKey,
      hostDeviceId: ada.id,
    });
    const again = await create(draft('report').body);
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual(first.body.data);
  });

  it('are stored once when ten devices create the same tag concurrently', async () => {
    const { body } = draft('at-once');
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(9).fill(200), 201]);
    expect(new Set(answers.map((answer) => answer.body.data.id)).size).toBe(1);
  });

  it('are replaced by only one of ten concurrent writers', async () => {
    const { body, content } = draft('contended');
    const { id } = expectStatus(await create(body), 201).data;
    const answers = await Promise.all(Array.from({ length: 10 }, (_, i) => replace(id, content(2, `writer ${i}`), 1)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(9);
    expect(refused[0]!.body).toMatchObject({ code: 'conflict', current: 2 });
    const kept = expectStatus(await service.http.get(`/v1/artifacts/${id}`, ada.token), 200).data;
    expect(kept.version).toBe(2);
  });

  it('reject content for another version and store nothing', async () => {
    const { body, content } = draft('versions');
    const { id } = expectStatus(await create(body), 201).data;
    const httpResponse = await replace(id, content(3), 1);
    expect(httpResponse.body).toMatchObject({ errors: [{ path: '/content', code: 'invalid_jwe' }] });
    expect(expectStatus(await service.http.get(`/v1/artifacts/${id}`, ada.token), 200).data.version).toBe(1);
  });

  it.each<[string, (body: any) => object, string]>([
    ['a foreign place', (body) => ({ ...body, tag: 'another' }), '/content'],
    ['a media type that is none', (body) => ({ ...body, mediaType: 'text' }), '/mediaType'],
    [
      'a sealed key that is none',
      (body) => ({ ...body, dataKey: { ...body.dataKey, sealed: 'x' } }),
      '/dataKey/sealed',
    ],
    ['no content', ({ content: _, ...body }) => body, '/content'],
  ])('reject %s', async (_, spoil, path) => {
    const httpResponse = await create(spoil(draft('spoilt').body));
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.errors.map((fault: any) => fault.path)).toContain(path);
    const { data } = expectStatus(await service.http.get('/v1/artifacts?limit=200', ada.token), 200);
    expect(data.map((artifact: any) => artifact.tag)).not.toContain('spoilt');
  });

  it('have a media type of RFC 9110 §8.3.1, with tokens and quoted strings as parameters', async () => {
    const accepted = [
      'text/plain;charset=utf-8',
      'text/plain; charset="utf-8"',
      'multipart/mixed ; boundary="a;b\\"c" ;x=1',
      'application/vnd.x+json;version=1.0;',
      "a/b;x=!#$%&'*+-.^_`|~",
    ];
    const refused = [
      'text/',
      'text/plain ',
      'text/plain; charset',
      'text/plain; charset=a b',
      'text/plain;x="a',
      'text/plain;x="a"b',
      'text/plain;=x',
      'text/plain;x=\u00e9',
      'text/plain\n;x=y',
      `a/b${';a=a'.repeat(62)}\n`,
      `a/b${';'.repeat(250)}\n`,
      `a/b;x="${'\\"'.repeat(120)}`,
    ];
    for (const [n, mediaType] of [...accepted, ...refused].entries()) {
      const { status, body } = await create({ ...draft(`media-${n}`).body, mediaType });
      expect([mediaType, status]).toEqual([mediaType, accepted.includes(mediaType) ? 201 : 400]);
      if (status === 400) expect(body.errors).toMatchObject([{ path: '/mediaType', code: 'invalid_format' }]);
    }
  });

  it('are listed to callers without content and with all filters', async () => {
    const session = await ada.createSession(ada);
    const { body } = draft('of-a-session');
    expectStatus(await create({ ...body, sessionId: session.id, mediaType: 'image/png' }), 201);
    const tags = async (query: string) =>
      expectStatus(await service.http.get(`/external/v1/artifacts?${query}`, token), 200).data.map(
        (one: any) => one.tag,
      );
    expect(await tags(`sessionId=${session.id}`)).toEqual(['of-a-session']);
    expect(await tags('mediaType=image/png')).toEqual(['of-a-session']);
    expect(await tags(`createdSince=${Date.now() + 60_000}`)).toEqual([]);
    expect(await tags(`updatedSince=${Date.now() - 600_000}&mediaType=image/png`)).toEqual(['of-a-session']);
    const { data } = expectStatus(await service.http.get('/external/v1/artifacts', token), 200);
    expect(data[0]).not.toHaveProperty('content');
    expect(data[0]).not.toHaveProperty('dataKey');
    const one = expectStatus(await service.http.get(`/external/v1/artifacts/${data[0].id}`, token), 200);
    expect(one.data).toEqual(data[0]);
  });

  it('have the size, version and time of their last replacement, by which callers find them', async () => {
    const { body, content } = draft('replaced');
    const created = expectStatus(await create(body), 201).data;
    service.advanceClock(60_000);
    const next = content(2, 'a longer text than before');
    const replaced = expectStatus(await replace(created.id, next, 1), 200).data;
    expect(replaced).toEqual({
      ...created,
      content: next,
      version: 2,
      sizeBytes: next.length,
      updatedAt: replaced.updatedAt,
    });
    expect(replaced.updatedAt).toBeGreaterThanOrEqual(created.createdAt + 60_000);
    expect(expectStatus(await service.http.get(`/v1/artifacts/${created.id}`, ada.token), 200).data).toEqual(replaced);
    const ids = async (query: string) =>
      expectStatus(await service.http.get(`/external/v1/artifacts?${query}`, token), 200).data.map(({ id }: any) => id);
    expect(await ids(`updatedSince=${replaced.updatedAt}`)).toEqual([created.id]);
    expect(await ids(`updatedSince=${replaced.updatedAt + 1}`)).toEqual([]);
    expect(await ids(`createdSince=${replaced.updatedAt}`)).toEqual([]);
    expect(await ids(`createdSince=${created.createdAt}`)).toContain(created.id);
    expect(await ids(`createdSince=${created.createdAt + 1}`)).toEqual([]);
  });

  it('stay when their session is deleted, without it', async () => {
    const session = await ada.createSession(ada);
    const stored = expectStatus(await create({ ...draft('left-behind').body, sessionId: session.id }), 201).data;
    expect(stored.sessionId).toBe(session.id);
    expectStatus(await service.http.delete(`/v1/sessions/${session.id}`, ada.token), 204);
    const left = expectStatus(await service.http.get(`/v1/artifacts/${stored.id}`, ada.token), 200).data;
    expect(left).toEqual({ ...stored, sessionId: null });
  });

  it('of an account device in a session can be read by the machine that hosts the session', async () => {
    const [machine, other] = [await ada.pairDevice('machine'), await ada.pairDevice('machine')];
    const hosted = await ada.createSession(machine);
    const { body } = draft('for-the-machine');
    const stored = expectStatus(await create({ ...body, sessionId: hosted.id }), 201).data;
    const read = (device: ForeignDevice) => service.http.get(`/v1/artifacts/${stored.id}`, device.token);
    expect(expectStatus(await read(machine), 200).data.content).toBe(body.content);
    expect((await read(other)).body.code).toBe('forbidden');
    const refused = await service.http.delete(`/v1/artifacts/${stored.id}`, machine.token);
    expect(refused.body.code).toBe('forbidden');
  });

  it('can be changed by their host and by account devices', async () => {
    const machine = await ada.pairDevice('machine');
    const own = expectStatus(await create(draft('by-machine').body, machine), 201).data;
    const other = expectStatus(await create(draft('by-account').body), 201).data;
    const taken = await create(draft('by-account').body, machine);
    expect(taken.body.code).toBe('conflict');
    const refused = await service.http.delete(`/v1/artifacts/${other.id}`, machine.token);
    expect(refused.body.code).toBe('forbidden');
    const listed = expectStatus(await service.http.get('/v1/artifacts', machine.token), 200).data;
    expect(listed.map((artifact: any) => artifact.tag)).toEqual(['by-machine']);
    expect((await service.http.delete(`/v1/artifacts/${own.id}`, ada.token)).status).toBe(204);
    expect((await service.http.get(`/v1/artifacts/${own.id}`, ada.token)).status).toBe(404);
  });
});
