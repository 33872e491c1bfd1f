import { Conformance, type Exchange } from '../../support/conformance';
import { AccountDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

/** The checker that every test's answers go through, shown answers that it must not let pass. */
describe('the conformance check', () => {
  const conformance = new Conformance();
  let service: Service;
  let right: Exchange;

  beforeAll(async () => {
    service = await Service.start();
    const ada = await AccountDevice.signUp(service.http);
    await ada.openSession(ada);
    const { token } = await ada.createToken(['sessions:read']);
    const path = '/external/v1/sessions';
    right = { method: 'GET', path, ...(await service.http.get(path, token)) };
  });
  afterAll(() => service?.stop());

  const check = (changes: Partial<Exchange>) => () => conformance.check({ ...right, ...changes });
  const withHeader = (name: string, value: string | null) => {
    const headers = new Headers(right.headers);
    if (value === null) headers.delete(name);
    else headers.set(name, value);
    return { headers };
  };
  const withSession = (changes: object) => {
    const { data, nextCursor } = right.body as { data: object[]; nextCursor: null };
    return { body: { data: [{ ...data[0], ...changes }], nextCursor } };
  };

  it('lets the right answer pass', () => {
    expect(check({})).not.toThrow();
  });

  it('finds a field too many, at any depth', () => {
    expect(check({ body: { ...(right.body as object), extra: 1 } })).toThrow(/unevaluated/);
    expect(check(withSession({ secret: 'x' }))).toThrow(/unevaluated/);
  });

  it('finds a field too few, and one of another type or form', () => {
    expect(check(withSession({ endedAt: undefined }))).toThrow(/endedAt/);
    expect(check(withSession({ createdAt: 'today' }))).toThrow(/createdAt/);
    expect(check(withSession({ messageCount: null }))).toThrow(/messageCount/);
    expect(check(withSession({ id: 'msg_01m7xsah51f6ctt8c84t8wbh7e' }))).toThrow(/id/);
    expect(check(withSession({ state: 'asleep' }))).toThrow(/state/);
  });

  it('finds headers that are missing or out of form', () => {
    expect(check(withHeader('x-request-id', null))).toThrow(/X-Request-Id/);
    expect(check(withHeader('x-request-id', 'req_1'))).toThrow(/X-Request-Id/);
    expect(check(withHeader('x-ratelimit-remaining', null))).toThrow(/X-RateLimit-Remaining/);
    expect(check(withHeader('x-ratelimit-reset', 'soon'))).toThrow(/X-RateLimit-Reset/);
    expect(check(withHeader('etag', null))).toThrow(/ETag/);
  });

  it('finds statuses, content types, methods and paths that are not declared', () => {
    expect(check({ status: 201 })).toThrow(/status/);
    expect(check(withHeader('content-type', 'text/html'))).toThrow(/content type/);
    expect(check({ method: 'PUT' })).toThrow(/method/);
    expect(check({ path: '/external/v1/secrets' })).toThrow(/path/);
    expect(check({ status: 304 })).toThrow(/body/);
  });

  it('finds an error with a code of another status, or without its members', async () => {
    const answer = await service.http.get('/external/v1/sessions');
    const refused = { method: 'GET', path: '/external/v1/sessions', ...answer };
    expect(() => conformance.check(refused)).not.toThrow();
    const wrongCode = { ...refused, body: { ...answer.body, code: 'not_found' } };
    expect(() => conformance.check(wrongCode)).toThrow(/code/);
    const noReason = { ...refused, body: { ...answer.body, code: 'invalid_token' } };
    expect(() => conformance.check(noReason)).toThrow(/reason/);
  });

  it('is what every answer of a test goes through', async () => {
    const received = jest.spyOn(globalThis, 'fetch').mockImplementation(() => {
      const headers = new Headers(right.headers);
      return Promise.resolve(new Response('{"data":[],"nextCursor":null,"more":1}', { headers }));
    });
    await expect(service.http.get('/external/v1/sessions')).rejects.toThrow(/unevaluated/);
    received.mockRestore();
  });
});
