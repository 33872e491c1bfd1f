import { DAY, HOUR } from '../../src/common/clock';
import { Retention } from '../../src/persistence';
import { DataSource } from 'typeorm';
import { AccountDevice } from '../support/device/foreign-device';
import { ThirdParty } from '../support/oauth/third-party';
import { Service } from '../support/service';

describe('what has had its time', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  const count = async (table: string) => {
    const [row] = await service.app.get(DataSource).query(`SELECT count(*)::int AS count FROM ${table}`);
    return row.count as number;
  };

  it('is deleted, and nothing else', async () => {
    const ada = await AccountDevice.signUp(service.http);
    await ada.adopt('machine');
    await service.app.get(DataSource).query(
      `INSERT INTO relay_calls (request_id, account_id, method, token_id, request_bytes, status, created_at)
       VALUES ('req_1', $1, 'machine.invoke', 'tok_1', 1, 200, now())`,
      [ada.accountId],
    );
    await service.app.get(DataSource).query(
      `INSERT INTO usage_counts (account_id, hour, bucket, token_id, operation, requests, errors, rate_limited)
       VALUES ($1, now(), 'metadata', 'tok_1', 'getMe', 1, 0, 0)`,
      [ada.accountId],
    );
    const retention = service.app.get(Retention, { strict: false });
    const before = await count('device_tokens');
    await retention.run();
    expect(await count('used_challenges')).toBeGreaterThan(0);
    expect(await count('pairings')).toBe(1);
    expect(await count('relay_calls')).toBe(1);

    service.advance(31 * DAY);
    await retention.run();
    expect(await count('used_challenges')).toBe(0);
    expect(await count('pairings')).toBe(0);
    expect(await count('relay_calls')).toBe(0);
    expect(await count('device_tokens')).toBe(before);
    expect(await count('devices')).toBe(2);

    service.advance(31 * DAY);
    await retention.run();
    expect(await count('device_tokens')).toBe(0);
    expect(await count('usage_counts')).toBe(1);

    service.advance(339 * DAY);
    await retention.run();
    expect(await count('usage_counts')).toBe(0);
  });

  it('of apps goes with its own time: requests, codes, tokens, and at last the sign-in', async () => {
    const app = await ThirdParty.register(await AccountDevice.signUp(service.http));
    const bob = await AccountDevice.signUp(service.http);
    const retention = service.app.get(Retention, { strict: false });
    const left = async () => {
      await retention.run();
      const counts: number[] = [];
      for (const name of ['requests', 'codes', 'access_tokens', 'refresh_tokens', 'token_families']) {
        counts.push(await count(`oauth_${name}`));
      }
      return counts;
    };
    await app.tokens(service, bob);
    await app.code(service, bob, { redirect_uri: app.redirectUri, scope: 'usage:read' });
    await app.authorize();
    expect(await left()).toEqual([1, 1, 1, 1, 1]);
    service.advance(HOUR);
    expect(await left()).toEqual([0, 0, 1, 1, 1]);
    service.advance(DAY);
    expect(await left()).toEqual([0, 0, 0, 1, 1]);
    service.advance(30 * DAY);
    expect(await left()).toEqual([0, 0, 0, 1, 1]);
    service.advance(60 * DAY);
    expect(await left()).toEqual([0, 0, 0, 0, 0]);
    expect(await count('app_authorizations')).toBe(1);
  });
});
