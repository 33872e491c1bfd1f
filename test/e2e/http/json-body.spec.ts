import { databaseImage } from '../../support/database';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { faultsOf } from '../../support/faults';
import { Service } from '../../support/service';

const TOKENS = '/v1/account/external-tokens';
const DEEP = 50_000;

describe('a JSON body', () => {
  let service: Service;
  let ada: AccountDevice;
  const send = (raw: string) =>
    service.http.request('POST', TOKENS, {
      token: ada.token,
      raw,
      headers: { 'Content-Type': 'application/json' },
    });
  const faults = async (raw: string): Promise<[string, string, string][]> => {
    const image = await databaseImage(service);
    const answer = await send(raw);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('invalid_request');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await databaseImage(service)).toEqual(image);
    for (const { message } of answer.body.errors) expect(message).toMatch(/\S/);
    return faultsOf(answer);
  };
  const GOOD = '"name": "ci", "scopes": ["usage:read"]';

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
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
    ['100 KB of [', '['.repeat(100_000)],
    ['100 KB of {"a":', '{"a":'.repeat(20_000)],
  ])('that is %s is not valid', async (_, raw) => {
    expect(await faults(raw)).toEqual([['body', '', 'invalid_json']]);
  });

  it.each(['[]', `[{${GOOD}}]`, '"text"', '1', 'true', 'null'])('must be an object, not %s', async (raw) => {
    expect(await faults(raw)).toEqual([['body', '', 'invalid_type']]);
  });

  it.each([
    ['arrays', `{${GOOD}, "more": ${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`],
    ['objects', `{${GOOD}, "more": ${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}}`],
    ['arrays from its root', `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`],
  ])('may not nest %s deeply', async (_, raw) => {
    expect(await faults(raw)).toEqual([['body', '', 'too_deep']]);
    ok(await service.http.get('/health/live'), 200);
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

  it('names a field by a JSON pointer (RFC 6901)', async () => {
    expect(await faults(`{${GOOD}, "a/b~c": 1}`)).toEqual([['body', '/a~1b~0c', 'unknown_field']]);
  });

  it('names every fault at once, those of the query too', async () => {
    const answer = await service.http.post(`${TOKENS}?dry=1&dry=2`, ada.token, {
      name: 7,
      scopes: 'x',
      one: 1,
      two: 2,
    });
    expect(faultsOf(answer)).toEqual([
      ['body', '/name', 'invalid_type'],
      ['body', '/one', 'unknown_field'],
      ['body', '/scopes', 'invalid_type'],
      ['body', '/two', 'unknown_field'],
      ['query', '/dry', 'unknown_parameter'],
    ]);
  });

  it('takes null for a field left out', async () => {
    expect(ok(await send(`{${GOOD}, "expiresInDays": null}`), 201).data.expiresAt).toBeNull();
    expect(await faults('{"name": null, "scopes": ["usage:read"]}')).toEqual([['body', '/name', 'required']]);
  });

  it('does not take null for a value in a list', async () => {
    expect(await faults('{"name": "ci", "scopes": [null]}')).toEqual([['body', '/scopes', 'not_allowed']]);
  });

  it('that is empty has no fields', async () => {
    expect(await faults('{}')).toEqual([
      ['body', '/name', 'required'],
      ['body', '/scopes', 'required'],
    ]);
    const none = await service.http.request('POST', TOKENS, { token: ada.token });
    expect(none.status).toBe(400);
    expect(none.body.errors).toHaveLength(2);
  });

  it('of a nested object names the whole path', async () => {
    const device = { ...ada.keys, name: 'a', platform: 'b', more: 1 };
    const answer = await ada.trySignUp('nobody', { device });
    expect(answer.body.errors).toEqual([
      expect.objectContaining({ in: 'body', path: '/device/more', code: 'unknown_field' }),
    ]);
    for (const wrong of ['text', 1, [], [device], true]) {
      const refused = await ada.trySignUp('nobody', { device: wrong });
      expect(refused.status).toBe(400);
      expect(refused.body.errors[0].path).toMatch(/^\/device/);
    }
  });
});
