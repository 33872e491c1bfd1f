import { DAY } from '../../src/common/clock';
import { Retention } from '../../src/persistence';
import { DataSource } from 'typeorm';
import { AccountDevice } from '../support/device/foreign-device';
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
  });
});
