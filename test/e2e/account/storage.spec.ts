import { DataSource } from 'typeorm';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { KeptSession } from '../../support/device/kept-session';
import { Service } from '../../support/service';

const LIMIT = 1_073_741_824;

describe('the storage of an account', () => {
  let service: Service;
  let ada: AccountDevice;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  const query = (sql: string, parameters: unknown[]) => service.app.get(DataSource).query(sql, parameters);
  const used = async () => {
    const [row] = await query('SELECT storage_bytes FROM accounts WHERE id = $1', [ada.accountId]);
    return Number(row.storage_bytes);
  };

  it('counts messages in, repeats not again, and out with their session', async () => {
    const before = await used();
    const session = await KeptSession.open(ada);
    const message = session.message('a');
    ok(await session.post([message]), 201);
    ok(await session.post([message]), 200);
    expect(await used()).toBe(before + message.content.length);
    expect((await service.http.delete(`/v1/sessions/${session.id}`, ada.token)).status).toBe(204);
    expect(await used()).toBe(before);
  });

  it('refuses what goes beyond the plan, and writes nothing of it', async () => {
    const session = await KeptSession.open(ada);
    await query('UPDATE accounts SET storage_bytes = $2 WHERE id = $1', [ada.accountId, LIMIT - 10]);
    const answer = await session.post([session.message('too-much')]);
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ code: 'plan_limit_exceeded', limit: LIMIT });
    const { data } = ok(await service.http.get(`/v1/sessions/${session.id}/messages`, ada.token), 200);
    expect(data).toEqual([]);
    expect(await used()).toBe(LIMIT - 10);
  });
});
