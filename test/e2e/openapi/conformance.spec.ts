import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  assertConforms,
  ConformanceValidator,
  readOpenApiDocument,
  type HttpExchange,
} from '../../support/conformance';
import { ForeignAccountDevice } from '../../support/device/foreign-device';
import { Service } from '../../support/service';
import { createTempFolder } from '../../support/temp-folder';

/** Validates invalid responses, which the validator of all tests must reject. */
describe('the conformance check', () => {
  const conformanceValidator = new ConformanceValidator();
  let service: Service;
  let right: HttpExchange;

  beforeAll(async () => {
    service = await Service.start();
    const ada = await ForeignAccountDevice.signUp(service.http);
    await ada.createSession(ada);
    const { token } = await ada.createToken(['sessions:read']);
    const path = '/external/v1/sessions';
    right = { method: 'GET', path, ...(await service.http.get(path, token)) };
  });
  afterAll(() => service?.stop());

  const check = (changes: Partial<HttpExchange>) => () => conformanceValidator.assertExchange({ ...right, ...changes });
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

  describe('beside a release without a field that this one has added', () => {
    let previousBuild: string;
    let previousAnswer: HttpExchange;

    beforeAll(() => {
      const document = readOpenApiDocument();
      const { Session } = document.components.schemas;
      delete Session.properties.updatedAt;
      Session.required = Session.required.filter((name: string) => name !== 'updatedAt');
      const checkout = createTempFolder();
      previousBuild = join(checkout, 'dist');
      mkdirSync(previousBuild);
      writeFileSync(join(checkout, 'openapi.json'), JSON.stringify(document));
      const { data, nextCursor } = right.body as { data: { updatedAt?: number }[]; nextCursor: null };
      const { updatedAt, ...session } = data[0]!;
      expect(updatedAt).toEqual(expect.any(Number));
      previousAnswer = { ...right, body: { data: [session], nextCursor } };
    });

    it('holds each response against the document of its build', () => {
      expect(() => assertConforms(previousAnswer, [previousBuild])).not.toThrow();
      expect(() => assertConforms(previousAnswer)).toThrow(/updatedAt/);
      expect(() => assertConforms(right, [previousBuild])).toThrow(/unevaluated/);
    });

    it('accepts responses of both releases behind one address, and no others', () => {
      const builds = [previousBuild, undefined];
      expect(() => assertConforms(previousAnswer, builds)).not.toThrow();
      expect(() => assertConforms(right, builds)).not.toThrow();
      expect(() => assertConforms({ ...right, status: 299 }, builds)).toThrow(/status is not declared/);
    });
  });

  it('accepts a valid response', () => {
    expect(check({})).not.toThrow();
  });

  it('reports an additional field at any depth', () => {
    expect(check({ body: { ...(right.body as object), extra: 1 } })).toThrow(/unevaluated/);
    expect(check(withSession({ secret: 'x' }))).toThrow(/unevaluated/);
  });

  it('reports a missing field and one of another type or format', () => {
    expect(check(withSession({ endedAt: undefined }))).toThrow(/endedAt/);
    expect(check(withSession({ createdAt: 'today' }))).toThrow(/createdAt/);
    expect(check(withSession({ messageCount: null }))).toThrow(/messageCount/);
    expect(check(withSession({ id: 'msg_01m7xsah51f6ctt8c84t8wbh7e' }))).toThrow(/id/);
    expect(check(withSession({ state: 'asleep' }))).toThrow(/state/);
  });

  it('reports missing and malformed headers', () => {
    expect(check(withHeader('x-request-id', null))).toThrow(/X-Request-Id/);
    expect(check(withHeader('x-request-id', 'req_1'))).toThrow(/X-Request-Id/);
    expect(check(withHeader('x-ratelimit-remaining', null))).toThrow(/X-RateLimit-Remaining/);
    expect(check(withHeader('x-ratelimit-reset', 'soon'))).toThrow(/X-RateLimit-Reset/);
    expect(check(withHeader('etag', null))).toThrow(/ETag/);
  });

  it('reports undeclared statuses, content types, methods and paths', () => {
    expect(check({ status: 201 })).toThrow(/status/);
    expect(check(withHeader('content-type', 'text/html'))).toThrow(/content type/);
    expect(check({ method: 'PUT' })).toThrow(/method/);
    expect(check({ path: '/external/v1/secrets' })).toThrow(/path/);
    expect(check({ status: 304 })).toThrow(/body/);
  });

  it('validates documented operations at the root of the host, and no others', async () => {
    const path = '/v1/account/external-tokens';
    const httpResponse = await service.http.post(path, undefined, {});
    const refused = { method: 'POST', path, ...httpResponse };
    expect(() => conformanceValidator.assertExchange(refused)).not.toThrow();
    expect(() => conformanceValidator.assertExchange({ ...refused, body: { ...httpResponse.body, extra: 1 } })).toThrow(
      /unevaluated/,
    );
    expect(() => conformanceValidator.assertExchange({ ...refused, status: 418 })).toThrow(/status/);
    expect(() => conformanceValidator.assertExchange({ ...refused, method: 'GET', status: 418 })).not.toThrow();
    expect(() => conformanceValidator.assertExchange({ ...refused, path: '/v1/devices', status: 418 })).not.toThrow();
  });

  it('reports an error with a code of another status or without its members', async () => {
    const httpResponse = await service.http.get('/external/v1/sessions');
    const refused = { method: 'GET', path: '/external/v1/sessions', ...httpResponse };
    expect(() => conformanceValidator.assertExchange(refused)).not.toThrow();
    const wrongCode = { ...refused, body: { ...httpResponse.body, code: 'not_found' } };
    expect(() => conformanceValidator.assertExchange(wrongCode)).toThrow(/code/);
    const noReason = { ...refused, body: { ...httpResponse.body, code: 'invalid_token' } };
    expect(() => conformanceValidator.assertExchange(noReason)).toThrow(/reason/);
  });

  it('validates every response of the tests', async () => {
    const received = jest.spyOn(globalThis, 'fetch').mockImplementation(() => {
      const headers = new Headers(right.headers);
      return Promise.resolve(new Response('{"data":[],"nextCursor":null,"more":1}', { headers }));
    });
    await expect(service.http.get('/external/v1/sessions')).rejects.toThrow(/unevaluated/);
    received.mockRestore();
  });
});
