import { setTimeout as sleep } from 'node:timers/promises';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const MINUTE = 60_000;
const DAY = 86_400_000;

describe('the lifetime of a personal access token', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const record = async (id: string) =>
    expectStatus(await service.http.get(`/v1/account/external-tokens/${id}`, ada.token), 200).data;
  const use = (token: string) => service.http.get('/external/v1/me', token);
  /** The last use is recorded after the response. */
  const lastUse = async (id: string, not: number | null): Promise<number | null> => {
    for (let i = 0; i < 100; i++) {
      const { lastUsedAt } = await record(id);
      if (lastUsedAt !== not) return lastUsedAt as number;
      await sleep(10);
    }
    return not;
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('ends after expiresInDays', async () => {
    const { id, token } = await ada.createToken(['sessions:read'], { expiresInDays: 1 });
    service.advanceClock(DAY - MINUTE);
    expectStatus(await use(token), 200);
    expect((await record(id)).state).toBe('active');
    service.advanceClock(MINUTE);
    const httpResponse = await use(token);
    expect(httpResponse.status).toBe(401);
    expect(httpResponse.body).toMatchObject({ code: 'invalid_token', reason: 'expired' });
    expect((await record(id)).state).toBe('expired');
  });

  it('records the last use at most once a minute', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    expectStatus(await use(token), 200);
    const first = await lastUse(id, null);
    expect(first).not.toBeNull();
    service.advanceClock(50_000);
    expectStatus(await use(token), 200);
    await sleep(100);
    expect((await record(id)).lastUsedAt).toBe(first);
    service.advanceClock(11_000);
    expectStatus(await use(token), 200);
    const second = await lastUse(id, first);
    expect(second! - first!).toBeGreaterThanOrEqual(61_000);
    // The token is looked up again.
    service.advanceClock(1_000);
    expect(expectStatus(await use(token), 200).data.token.lastUsedAt).toBe(second);
  });

  it('records no use of a rejected token', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    expectStatus(await service.http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
    expect((await use(token)).status).toBe(401);
    await sleep(100);
    expect((await record(id)).lastUsedAt).toBeNull();
  });

  it('records a use that lacks a scope', async () => {
    const { id, token } = await ada.createToken(['usage:read']);
    expect((await service.http.get('/external/v1/machines', token)).status).toBe(403);
    expect(await lastUse(id, null)).not.toBeNull();
  });
});

describe('the number of tokens', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());

  it('is limited to 50 active ones, even when they are created concurrently', async () => {
    const ada = await ForeignAccountDevice.signUp(service.http);
    const create = (extra: object = {}) =>
      service.http.post('/v1/account/external-tokens', ada.token, {
        name: 'n',
        scopes: ['usage:read'],
        ...extra,
      });
    const { id } = await ada.createToken(['usage:read']);
    await ada.createToken(['usage:read'], { expiresInDays: 1 });
    for (let i = 0; i < 44; i++) expectStatus(await create(), 201);

    const answers = await Promise.all(Array.from({ length: 10 }, () => create()));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(4);
    const refusal = answers.find((answer) => answer.status !== 201)!;
    expect(refusal.body).toMatchObject({ status: 403, code: 'plan_limit_exceeded', limit: 50 });

    expectStatus(await service.http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
    expectStatus(await create(), 201);
    expect((await create()).status).toBe(403);
    service.advanceClock(DAY);
    expectStatus(await create(), 201);
    expect((await create()).status).toBe(403);
    await ForeignAccountDevice.signUp(service.http).then((bob) => bob.createToken(['usage:read']));
  });
});
