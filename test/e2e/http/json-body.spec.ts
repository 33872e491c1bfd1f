import { readTableDigests } from '../../support/database';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { listViolations } from '../../support/violations';
import { Service } from '../../support/service';

const TOKENS = '/v1/account/external-tokens';
const DEEP = 50_000;

describe('a JSON body', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const send = (raw: string) =>
    service.http.request('POST', TOKENS, {
      token: ada.token,
      raw,
      headers: { 'Content-Type': 'application/json' },
    });
  const faults = async (raw: string): Promise<[string, string, string][]> => {
    const image = await readTableDigests(service);
    const httpResponse = await send(raw);
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.code).toBe('invalid_request');
    expect(httpResponse.headers.get('content-type')).toBe('application/problem+json');
    expect(await readTableDigests(service)).toEqual(image);
    for (const { message } of httpResponse.body.errors) expect(message).toMatch(/\S/);
    return listViolations(httpResponse);
  };
  const GOOD = '"name": "ci", "scopes": ["usage:read"]';

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it.each([
    ['half of one', '{"name": "ci"'],
    ['a comma too many', `{${GOOD},}`],
    ['single quotes', "{'name': 'ci'}"],
    ['a comment', `{${GOOD}} // ci`],
    ['two of them', `{${GOOD}}{}`],
    ['NaN', '{"expiresInDays": NaN}'],
    ['a control character in a text', '{"name": "a\nb"}'],
    ['nothing but a word', 'token'],
  ])('is not valid with %s', async (_, raw) => {
    expect(await faults(raw)).toEqual([['body', '', 'invalid_json']]);
  });

  it.each(['[]', `[{${GOOD}}]`, '"text"', '1', 'true', 'null'])('must be an object, not %s', async (raw) => {
    expect(await faults(raw)).toEqual([['body', '', 'invalid_type']]);
  });

  it.each([
    ['arrays', `{${GOOD}, "more": ${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`],
    ['objects', `{${GOOD}, "more": ${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}}`],
    ['arrays from its root', `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`],
    ['unended arrays', '['.repeat(DEEP)],
    ['unended objects', '{"a":'.repeat(DEEP)],
    ['65 arrays', `{${GOOD}, "more": ${'['.repeat(64)}${']'.repeat(64)}}`],
  ])('is rejected with deeply nested %s', async (_, raw) => {
    expect(await faults(raw)).toEqual([['body', '', 'too_deep']]);
    expectStatus(await service.http.get('/health/live'), 200);
  });

  it('is accepted with 64 levels and 10,000 members and elements', async () => {
    const unknown = [['body', '/more', 'unknown_field']];
    expect(await faults(`{${GOOD}, "more": ${'['.repeat(63)}${']'.repeat(63)}}`)).toEqual(unknown);
    const elements = (count: number) => `{${GOOD}, "more": [${Array(count).fill('{}').join()}]}`;
    expect(await faults(elements(9_996))).toEqual(unknown);
    expect(await faults(elements(9_997))).toEqual([['body', '', 'too_many_members']]);
    const members = Array.from({ length: 9_998 }, (_, i) => `"m${i}": 0`).join();
    expect(await faults(`{${GOOD}, ${members}}`)).toEqual([['body', '', 'too_many_members']]);
  });

  it('returns at most 20 violations in less than 64 KiB', async () => {
    const long = '\\u0001'.repeat(15);
    const members = Array.from({ length: 6_000 }, (_, i) => `"${long}${i}${'x'.repeat(i === 7 ? 200_000 : 0)}": 0`);
    const httpResponse = await send(`{${members.join()}}`);
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.detail).toBe('The request has 6002 violations.');
    expect(httpResponse.body.errors).toHaveLength(20);
    expect(Buffer.byteLength(JSON.stringify(httpResponse.body))).toBeLessThan(65_536);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'extra', ''])(
    'has no field named %j',
    async (name) => {
      const found = await faults(`{${GOOD}, ${JSON.stringify(name)}: {"admin": true}}`);
      expect(found).toHaveLength(1);
      expect(found[0]![2]).toBe('unknown_field');
      expect(({} as Record<string, unknown>).admin).toBeUndefined();
    },
  );

  it('reports a field by a JSON pointer (RFC 6901)', async () => {
    expect(await faults(`{${GOOD}, "a/b~c": 1}`)).toEqual([['body', '/a~1b~0c', 'unknown_field']]);
  });

  it('reports all violations at once, including those of the query', async () => {
    const httpResponse = await service.http.post(`${TOKENS}?dry=1&dry=2`, ada.token, {
      name: 7,
      scopes: 'x',
      one: 1,
      two: 2,
    });
    expect(listViolations(httpResponse)).toEqual([
      ['body', '/name', 'invalid_type'],
      ['body', '/one', 'unknown_field'],
      ['body', '/scopes', 'invalid_type'],
      ['body', '/two', 'unknown_field'],
      ['query', '/dry', 'unknown_parameter'],
    ]);
  });

  it('may begin with a byte order mark, which is no part of it', async () => {
    const { data } = expectStatus(await send('\ufeff{"name": "é💻", "scopes": ["usage:read"]}'), 201);
    expect(data.name).toBe('é💻');
    expect(await faults('\ufeff\ufeff{}')).toEqual([['body', '', 'invalid_json']]);
  });

  it('treats null as an absent field', async () => {
    expect(expectStatus(await send(`{${GOOD}, "expiresInDays": null}`), 201).data.expiresAt).toBeNull();
    expect(await faults('{"name": null, "scopes": ["usage:read"]}')).toEqual([['body', '/name', 'required']]);
  });

  it('rejects null in a list', async () => {
    expect(await faults('{"name": "ci", "scopes": [null]}')).toEqual([['body', '/scopes', 'not_allowed']]);
  });

  it('is treated as an empty object if it is empty', async () => {
    expect(await faults('{}')).toEqual([
      ['body', '/name', 'required'],
      ['body', '/scopes', 'required'],
    ]);
    const none = await service.http.request('POST', TOKENS, { token: ada.token });
    expect(none.status).toBe(400);
    expect(none.body.errors).toHaveLength(2);
  });

  it('reports the whole path of a nested field', async () => {
    const device = { ...ada.keys, name: 'a', platform: 'b', more: 1 };
    const httpResponse = await ada.requestSignUp('nobody', { device });
    expect(httpResponse.body.errors).toEqual([
      expect.objectContaining({ in: 'body', path: '/device/more', code: 'unknown_field' }),
    ]);
    for (const wrong of ['text', 1, [], [device], true]) {
      const refused = await ada.requestSignUp('nobody', { device: wrong });
      expect(refused.status).toBe(400);
      expect(refused.body.errors[0].path).toMatch(/^\/device/);
    }
  });
});
