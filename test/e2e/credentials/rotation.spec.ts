import { AccountDevice, ok } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const HOUR = 3_600_000;

describe('POST /v1/account/external-tokens/{id}/rotate', () => {
  let service: Service;
  let ada: AccountDevice;
  const rotate = (id: string, body: object = {}) =>
    service.http.post(`/v1/account/external-tokens/${id}/rotate`, ada.token, body);
  const use = async (token: string) => {
    const { status, body } = await service.http.get('/external/v1/me', token);
    return status === 200 ? body.data.token.id : body.reason;
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('gives the token a new secret, and the old one dies at once', async () => {
    const { id, token: old } = await ada.createToken(['sessions:read', 'profile:read'], { expiresInDays: 5 });
    const { data: before } = ok(await service.http.get(`/v1/account/external-tokens/${id}`, ada.token), 200);
    const answer = await rotate(id);
    const { data, token } = ok(answer, 200);
    expect(token).toMatch(/^svc_pat_[0-9A-Za-z]{36}$/);
    expect(token).not.toBe(old);
    expect(data).toEqual({ ...before, prefix: token.slice(0, 12), last4: token.slice(-4) });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await use(token)).toBe(id);
    expect(await use(old)).toBe('revoked');
  });

  it('takes no body at all', async () => {
    const { id } = await ada.createToken(['sessions:read']);
    const path = `/v1/account/external-tokens/${id}/rotate`;
    ok(await service.http.request('POST', path, { token: ada.token }), 200);
  });

  it('lets the old secret live on for overlapSeconds', async () => {
    const { id, token: old } = await ada.createToken(['sessions:read']);
    const { token } = ok(await rotate(id, { overlapSeconds: 3600 }), 200);
    expect([await use(old), await use(token)]).toEqual([id, id]);
    service.advance(HOUR - 5_000);
    expect([await use(old), await use(token)]).toEqual([id, id]);
    service.advance(5_000);
    expect([await use(old), await use(token)]).toEqual(['revoked', id]);
  });

  it('within an overlap ends what overlapped, and begins another', async () => {
    const { id, token: first } = await ada.createToken(['sessions:read']);
    const { token: second } = ok(await rotate(id, { overlapSeconds: 3600 }), 200);
    const { token: third } = ok(await rotate(id, { overlapSeconds: 60 }), 200);
    expect([await use(first), await use(second), await use(third)]).toEqual(['revoked', id, id]);
    service.advance(60_000);
    expect([await use(second), await use(third)]).toEqual(['revoked', id]);
  });

  it('many times at once leaves one secret that works', async () => {
    const { id } = await ada.createToken(['sessions:read']);
    const answers = await Promise.all([rotate(id), rotate(id), rotate(id), rotate(id)]);
    const tokens = answers.map((answer) => ok(answer, 200).token);
    const results = await Promise.all(tokens.map(use));
    expect(results.sort()).toEqual(['revoked', 'revoked', 'revoked', id]);
  });

  it('does not bring back a token that was revoked, nor its secrets in overlap', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    ok(await rotate(id, { overlapSeconds: 3600 }), 200);
    ok(await service.http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
    expect(await use(token)).toBe('revoked');
    const answer = await rotate(id);
    expect(answer.status).toBe(409);
    expect(answer.body.code).toBe('conflict');
  });

  it('does not bring back a token that has expired', async () => {
    const { id } = await ada.createToken(['sessions:read'], { expiresInDays: 1 });
    service.advance(24 * HOUR);
    expect((await rotate(id)).status).toBe(409);
  });

  it.each([0, 86_400])('takes an overlap of %j seconds', async (overlapSeconds) => {
    const { id } = await ada.createToken(['sessions:read']);
    ok(await rotate(id, { overlapSeconds }), 200);
  });

  it.each([-1, 86_401, 1.5, '60', true, {}])('refuses an overlap of %j', async (overlapSeconds) => {
    const { id, token } = await ada.createToken(['sessions:read']);
    const answer = await rotate(id, { overlapSeconds });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([expect.objectContaining({ path: '/overlapSeconds' })]);
    expect(await use(token)).toBe(id);
  });
});
