import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { listViolations } from '../../support/violations';
import { RawConnection } from '../../support/raw-connection';
import { Service } from '../../support/service';

describe('query parameters', () => {
  let service: Service;
  let token: string;
  const list = (query: string) => service.http.get(`/external/v1/machines?${query}`, token);
  const faults = async (query: string, path = '/external/v1/machines') => {
    const httpResponse = await service.http.get(`${path}?${query}`, token);
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.code).toBe('invalid_request');
    return listViolations(httpResponse);
  };

  beforeAll(async () => {
    service = await Service.start();
    const ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(['machines:read', 'sessions:read']));
  });
  afterAll(() => service?.stop());

  it.each([
    'limit=1',
    'limit=200',
    'limit=201',
    'limit=9007199254740991',
    'limit=9007199254740993',
    `limit=${'9'.repeat(400)}`,
    'limit=0005',
    'order=asc&limit=5',
    'state=online',
    '',
  ])('are parsed as %j', async (query) => {
    expectStatus(await list(query), 200);
  });

  it.each(['0', '-1', '1.5', 'ten', '', ' 1', '1 ', '+1', '1e2', '0x10', '٣', '-99999999999999999999', 'NaN'])(
    'report limit as a violation for %j',
    async (limit) => {
      const [fault, ...more] = await faults(`limit=${encodeURIComponent(limit)}`);
      expect(more).toEqual([]);
      expect(fault!.slice(0, 2)).toEqual(['query', '/limit']);
    },
  );

  it.each([
    ['surprise=1', '/surprise', 'unknown_parameter'],
    ['Limit=1', '/Limit', 'unknown_parameter'],
    ['limit[]=1', '/limit[]', 'unknown_parameter'],
    ['limit[$gt]=1', '/limit[$gt]', 'unknown_parameter'],
    ['a/b~c=1', '/a~1b~0c', 'unknown_parameter'],
    ['__proto__=1', '/__proto__', 'unknown_parameter'],
    ['constructor=1', '/constructor', 'unknown_parameter'],
    ['toString=1', '/toString', 'unknown_parameter'],
    ['limit=1&limit=1', '/limit', 'repeated_parameter'],
    ['order=asc&order=desc', '/order', 'repeated_parameter'],
    ['order=up', '/order', 'not_allowed'],
    ['state=', '/state', 'not_allowed'],
    ['order=', '/order', 'not_allowed'],
  ])('report the violation of %s', async (query, path, code) => {
    expect(await faults(query)).toEqual([['query', path, code]]);
  });

  it('report unexpected parameters by a JSON pointer, also on paths without parameters', async () => {
    expect(await faults('a/b=1&__proto__=2', '/external/v1/me')).toEqual([
      ['query', '/__proto__', 'unknown_parameter'],
      ['query', '/a~1b', 'unknown_parameter'],
    ]);
  });

  it('report all violations at once', async () => {
    expect(await faults('limit=0&order=up&state=asleep&one=1&two=2&two=3&cursor=a&cursor=b')).toEqual([
      ['query', '/cursor', 'repeated_parameter'],
      ['query', '/limit', 'out_of_range'],
      ['query', '/one', 'unknown_parameter'],
      ['query', '/order', 'not_allowed'],
      ['query', '/state', 'not_allowed'],
      ['query', '/two', expect.stringMatching(/^(unknown|repeated)_parameter$/)],
    ]);
  });

  it('may not contain NUL', async () => {
    expect(await faults('tag=a%00b', '/external/v1/sessions')).toEqual([['query', '/tag', 'invalid_format']]);
    expect(await faults('machineId=%00', '/external/v1/sessions')).toEqual([['query', '/machineId', 'invalid_format']]);
  });

  it.each(['tag=caf%E9', 'tag=%C0%AF', 'tag=%ED%A0%80', 'tag=%', 'tag=100%25', 'tag=caf%C3%A9', 'tag=%F0%9F%92%BB'])(
    'are read as sent or rejected: %s',
    async (query) => {
      const isValid = ['tag=%', 'tag=100%25', 'tag=caf%C3%A9', 'tag=%F0%9F%92%BB'].includes(query);
      if (isValid) expectStatus(await service.http.get(`/external/v1/sessions?${query}`, token), 200);
      else expect(await faults(query, '/external/v1/sessions')).toEqual([['query', '/tag', 'invalid_format']]);
    },
  );

  it('must not contain bytes that are not percent-encoded', async () => {
    const connection = await RawConnection.openConnection(service.url);
    const head = `HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const { status, json } = await connection.exchangeText(`GET /external/v1/sessions?tag=café ${head}`);
    connection.close();
    expect([status, json.code]).toEqual([400, 'malformed_request']);
  });

  it('accept times only as whole milliseconds', async () => {
    expectStatus(
      await service.http.get('/external/v1/sessions?createdSince=0&createdUntil=8640000000000000', token),
      200,
    );
    for (const time of ['8640000000000001', '-1', '1.5', '2024-01-01', '']) {
      const [fault] = await faults(`createdSince=${time}`, '/external/v1/sessions');
      expect(fault!.slice(0, 2)).toEqual(['query', '/createdSince']);
    }
  });

  it('make a cursor invalid when they differ from it', async () => {
    for (const cursor of ['x', 'eyJhIjoxfQ', 'A'.repeat(200)]) {
      const httpResponse = await list(`cursor=${cursor}`);
      expect([httpResponse.status, httpResponse.body.code]).toEqual([400, 'invalid_cursor']);
    }
  });
});
