import { HOUR } from '../../../src/common/clock';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('GET /usage', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let reader: { id: string; token: string };
  let other: { id: string; token: string };

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_RELAY: '2' });
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    reader = await ada.createToken(['usage:read', 'sessions:write']);
    other = await ada.createToken(['sessions:read']);
  });

  const usage = async (query = '') =>
    expectStatus(await service.http.get(`/external/v1/usage${query}`, reader.token), 200).data;
  const me = (token: string) => service.http.get('/external/v1/me', token);

  it('counts every authenticated call once, today, ungrouped', async () => {
    await me(reader.token);
    await me(other.token);
    await service.http.get('/external/v1/sessions/ses_nothing', other.token);
    await service.http.get('/external/v1/machines', other.token);
    await me('svc_pat_wrong');
    const [row, ...rest] = await usage();
    expect(rest).toEqual([]);
    expect(row).toEqual({
      object: 'usage',
      start: expect.any(Number),
      end: row.start + 24 * HOUR,
      bucket: null,
      tokenId: null,
      operation: null,
      requests: 4,
      errors: 2,
      rateLimited: 0,
    });
    expect(row.start % (24 * HOUR)).toBe(0);
  });

  it('groups by bucket, token and operation', async () => {
    await me(reader.token);
    for (let i = 0; i < 3; i++) {
      await service.http.post('/external/v1/sessions/ses_nothing/messages', reader.token, { content: 'x' });
    }
    const byBucket = await usage('?groupBy=bucket&order=asc');
    expect(byBucket).toMatchObject([
      { bucket: 'metadata', tokenId: null, requests: 1, errors: 0 },
      { bucket: 'relay', tokenId: null, requests: 3, errors: 3, rateLimited: 1 },
    ]);
    const all = await usage('?groupBy=token,operation&granularity=hour&order=asc');
    expect(all.map((row: any) => [row.tokenId, row.operation])).toEqual(
      expect.arrayContaining([
        [reader.id, 'getMe'],
        [reader.id, 'sendMessage'],
        [reader.id, 'getUsage'],
      ]),
    );
    expect(all[0].end - all[0].start).toBe(HOUR);
  });

  it('returns pages of a fixed period', async () => {
    await me(reader.token);
    await service.http.get('/external/v1/sessions', other.token);
    const seen: string[] = [];
    let query = '?groupBy=operation&limit=1&order=asc';
    for (;;) {
      const { data, nextCursor } = expectStatus(
        await service.http.get(`/external/v1/usage${query}`, reader.token),
        200,
      );
      seen.push(...data.map((row: any) => row.operation));
      if (!nextCursor) break;
      query = `?limit=1&cursor=${nextCursor}`;
    }
    expect(seen.filter((operation) => operation !== 'getUsage')).toEqual(['getMe', 'listSessions']);
  });

  it('respects from (inclusive) and to (exclusive)', async () => {
    await me(reader.token);
    const now = Date.now();
    expect(await usage(`?to=${now - 48 * HOUR}`)).toEqual([]);
    expect(await usage(`?from=${now}&to=${now + HOUR}`)).toHaveLength(1);
  });

  it.each(['?from=2&to=1', '?granularity=minute', '?groupBy=device', '?groupBy=', '?from=-1', '?from=x'])(
    'rejects %s',
    async (query) => {
      const httpResponse = await service.http.get(`/external/v1/usage${query}`, reader.token);
      expect(httpResponse.status).toBe(400);
      expect(httpResponse.body.code).toBe('invalid_request');
    },
  );

  it('loses nothing in a graceful shutdown', async () => {
    await Promise.all(Array.from({ length: 20 }, () => me(reader.token)));
    service = await service.restart();
    const [row] = await usage('?groupBy=operation&order=asc');
    expect(row).toMatchObject({ operation: 'getMe', requests: 20 });
  });
});
