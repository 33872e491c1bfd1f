import { DAY, HOUR } from '../../../src/common/clock';
import { queryDatabase } from '../../support/database';
import { DeviceSocket, NO_RESPONSE } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { Service } from '../../support/service';

describe('GET /usage', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let reader: { id: string; token: string };
  let other: { id: string; token: string };

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_RELAY: '2' });
    advanceToMidHour();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    reader = await ada.createToken(['usage:read', 'sessions:write']);
    other = await ada.createToken(['sessions:read']);
  });

  /** Advances the service to half past noon of the next day, so that no hour or day ends during a test. */
  const advanceToMidHour = () => service.advanceClock(DAY - (Date.now() % DAY) + 12.5 * HOUR);
  const usage = async (query = '') =>
    expectStatus(await service.http.get(`/external/v1/usage${query}`, reader.token), 200).data;
  const me = (token: string) => service.http.get('/external/v1/me', token);

  it('does not count the calls of devices', async () => {
    const path = '/v1/control/sessions/ses_nothing/turns';
    expect((await service.http.get(path, ada.token)).status).toBe(404);
    await me(reader.token);
    expect(await usage('?groupBy=operation')).toMatchObject([{ operation: 'getMe', requests: 1 }]);
  });

  it('counts every authenticated call once, today, ungrouped', async () => {
    await me(reader.token);
    await me(other.token);
    await service.http.get('/external/v1/sessions/ses_nothing', other.token);
    await service.http.get('/external/v1/machines', other.token);
    expect((await service.http.get('/external/v1/sessions?limit=x', other.token)).status).toBe(400);
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
      requests: 5,
      errors: 3,
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
    const noon = Date.UTC(2026, 0, 15, 12);
    for (const hour of [noon - HOUR, noon, noon + HOUR]) {
      await queryDatabase(
        service,
        `INSERT INTO usage_counts (account_id, hour, bucket, token_id, operation, requests, errors, rate_limited)
         VALUES ($1, $2, 'metadata', $3, 'getMe', 1, 0, 0)`,
        [ada.accountId, new Date(hour), reader.id],
      );
    }
    const hours = async (from: number, to: number) =>
      (await usage(`?granularity=hour&order=asc&from=${from}&to=${to}`)).map(({ start }: any) => start);
    expect(await hours(noon, noon + HOUR)).toEqual([noon]);
    expect(await hours(noon - HOUR, noon + HOUR)).toEqual([noon - HOUR, noon]);
    expect(await hours(noon, noon + HOUR + 1)).toEqual([noon, noon + HOUR]);
    expect(await hours(noon + 2 * HOUR, noon + 24 * HOUR)).toEqual([]);
  });

  it('counts a call whose caller hung up', async () => {
    const { token, id: tokenId } = await ada.createToken(['machines:invoke']);
    const machine = await ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const { data } = expectStatus(await service.http.post('/v1/machines', machine.token, body), 201);
    const socket = await DeviceSocket.connect(service.url, machine.token, ['machine.invoke'], () => NO_RESPONSE);
    const hangUp = new AbortController();
    const path = `/external/v1/machines/${data.id}/invoke`;
    const call = service.http
      .post(path, token, { command: 'true' }, { signal: hangUp.signal })
      .catch(() => NO_RESPONSE);
    await waitFor(() => expect(socket.requests).toHaveLength(1));
    hangUp.abort();
    expect(await call).toBe(NO_RESPONSE);
    await waitFor(async () => {
      const rows = await usage('?groupBy=token,operation');
      expect(rows.filter((row: any) => row.tokenId === tokenId)).toMatchObject([
        { operation: 'invokeMachine', requests: 1 },
      ]);
    }, 10_000);
    socket.close();
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
    advanceToMidHour();
    const [row] = await usage('?groupBy=operation&order=asc');
    expect(row).toMatchObject({ operation: 'getMe', requests: 20 });
  });
});
