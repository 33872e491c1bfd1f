import { DAY, HOUR } from '../../src/common/clock';
import { RetentionService } from '../../src/core/database';
import { DataSource } from 'typeorm';
import { ForeignAccountDevice } from '../support/device/foreign-device';
import { ThirdPartyApp } from '../support/oauth/third-party-app';
import { Service } from '../support/service';

describe('expired data', () => {
  let service: Service;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  const count = async (table: string) => {
    const [row] = await service.app.get(DataSource).query(`SELECT count(*)::int AS count FROM ${table}`);
    return row.count as number;
  };

  it('is deleted without affecting other rows', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    await ada.pairDevice('machine');
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
    const retentionService = service.app.get(RetentionService, { strict: false });
    const before = await count('device_tokens');
    await retentionService.deleteExpiredRows();
    expect(await count('used_challenges')).toBeGreaterThan(0);
    expect(await count('pairings')).toBe(1);
    expect(await count('relay_calls')).toBe(1);

    service.advanceClock(31 * DAY);
    await retentionService.deleteExpiredRows();
    expect(await count('used_challenges')).toBe(0);
    expect(await count('pairings')).toBe(0);
    expect(await count('relay_calls')).toBe(0);
    expect(await count('device_tokens')).toBe(before);
    expect(await count('devices')).toBe(2);

    service.advanceClock(31 * DAY);
    await retentionService.deleteExpiredRows();
    expect(await count('device_tokens')).toBe(0);
    expect(await count('usage_counts')).toBe(1);

    service.advanceClock(339 * DAY);
    await retentionService.deleteExpiredRows();
    expect(await count('usage_counts')).toBe(0);
  });

  it('of apps is deleted when it expires: requests, codes, tokens and sign-ins', async () => {
    const app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    const bob = await ForeignAccountDevice.signUp(service.http);
    const retentionService = service.app.get(RetentionService, { strict: false });
    const left = async () => {
      await retentionService.deleteExpiredRows();
      const counts: number[] = [];
      for (const name of ['requests', 'codes', 'access_tokens', 'refresh_tokens', 'token_families']) {
        counts.push(await count(`oauth_${name}`));
      }
      return counts;
    };
    await app.obtainTokens(service, bob);
    await app.obtainCode(service, bob, { redirect_uri: app.redirectUri, scope: 'usage:read' });
    await app.requestAuthorization();
    expect(await left()).toEqual([1, 1, 1, 1, 1]);
    service.advanceClock(HOUR);
    expect(await left()).toEqual([0, 0, 1, 1, 1]);
    service.advanceClock(DAY);
    expect(await left()).toEqual([0, 0, 0, 1, 1]);
    service.advanceClock(30 * DAY);
    expect(await left()).toEqual([0, 0, 0, 1, 1]);
    service.advanceClock(60 * DAY);
    expect(await left()).toEqual([0, 0, 0, 0, 0]);
    expect(await count('app_authorizations')).toBe(1);
  });
});
