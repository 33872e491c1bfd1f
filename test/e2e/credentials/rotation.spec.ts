import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

const HOUR = 3_600_000;

describe('POST /v1/account/external-tokens/{id}/rotate', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  const rotate = (id: string, body: object = {}) =>
    service.http.post(`/v1/account/external-tokens/${id}/rotate`, ada.token, body);
  const use = async (token: string) => {
    const { status, body } = await service.http.get('/external/v1/me', token);
    return status === 200 ? body.data.token.id : body.reason;
  };

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('issues a new secret and revokes the old one at once', async () => {
    const { id, token: old } = await ada.createToken(['sessions:read', 'profile:read'], { expiresInDays: 5 });
    const { data: before } = expectStatus(await service.http.get(`/v1/account/external-tokens/${id}`, ada.token), 200);
    const httpResponse = await rotate(id);
    const { data, token } = expectStatus(httpResponse, 200);
    expect(token).toMatch(/^svc_pat_[0-9A-Za-z]{36}$/);
    expect(token).not.toBe(old);
    expect(data).toEqual({ ...before, prefix: token.slice(0, 12), last4: token.slice(-4) });
    expect(httpResponse.headers.get('cache-control')).toBe('no-store');
    expect(await use(token)).toBe(id);
    expect(await use(old)).toBe('revoked');
  });

  it('accepts a request without a body', async () => {
    const { id } = await ada.createToken(['sessions:read']);
    const path = `/v1/account/external-tokens/${id}/rotate`;
    expectStatus(await service.http.request('POST', path, { token: ada.token }), 200);
  });

  it('keeps the newest twenty earlier secrets, and forgets those before', async () => {
    const { id, token: first } = await ada.createToken(['sessions:read']);
    const secrets = [first];
    for (let n = 0; n < 21; n++) {
      service.advanceClock(1_000);
      secrets.push(expectStatus(await rotate(id, { overlapSeconds: 3600 }), 200).token);
    }
    expect(await Promise.all(secrets.map(use))).toEqual(['unknown', ...Array<string>(21).fill(id)]);
  });

  it('keeps the old secret valid for overlapSeconds', async () => {
    const { id, token: old } = await ada.createToken(['sessions:read']);
    const { token } = expectStatus(await rotate(id, { overlapSeconds: 3600 }), 200);
    expect([await use(old), await use(token)]).toEqual([id, id]);
    service.advanceClock(HOUR - 5_000);
    expect([await use(old), await use(token)]).toEqual([id, id]);
    service.advanceClock(5_000);
    expect([await use(old), await use(token)]).toEqual(['revoked', id]);
  });

  it('keeps the first secret valid for its overlap if the rotation is repeated', async () => {
    const { id, token: first } = await ada.createToken(['sessions:read']);
    const { token: second } = expectStatus(await rotate(id, { overlapSeconds: 3600 }), 200);
    service.advanceClock(60_000);
    const { token: third } = expectStatus(await rotate(id, { overlapSeconds: 3600 }), 200);
    expect([await use(first), await use(second), await use(third)]).toEqual([id, id, id]);
    service.advanceClock(HOUR - 60_000);
    expect([await use(first), await use(second), await use(third)]).toEqual(['revoked', id, id]);
    service.advanceClock(60_000);
    expect([await use(second), await use(third)]).toEqual(['revoked', id]);
  });

  it.each([0, 60])('ends all earlier secrets with an overlap of %d seconds', async (overlapSeconds) => {
    const { id, token: first } = await ada.createToken(['sessions:read']);
    const { token: second } = expectStatus(await rotate(id, { overlapSeconds: 3600 }), 200);
    const { token: third } = expectStatus(await rotate(id, { overlapSeconds }), 200);
    service.advanceClock(overlapSeconds * 1_000);
    expect([await use(first), await use(second), await use(third)]).toEqual(['revoked', 'revoked', id]);
  });

  it('leaves one working secret after concurrent rotations', async () => {
    const { id } = await ada.createToken(['sessions:read']);
    const answers = await Promise.all([rotate(id), rotate(id), rotate(id), rotate(id)]);
    const tokens = answers.map((answer) => expectStatus(answer, 200).token);
    const results = await Promise.all(tokens.map(use));
    expect(results.sort()).toEqual(['revoked', 'revoked', 'revoked', id]);
  });

  it('doesn’t reactivate a revoked token or its overlapping secrets', async () => {
    const { id, token } = await ada.createToken(['sessions:read']);
    expectStatus(await rotate(id, { overlapSeconds: 3600 }), 200);
    expectStatus(await service.http.delete(`/v1/account/external-tokens/${id}`, ada.token), 204);
    expect(await use(token)).toBe('revoked');
    const httpResponse = await rotate(id);
    expect(httpResponse.status).toBe(409);
    expect(httpResponse.body.code).toBe('conflict');
  });

  it('doesn’t reactivate an expired token', async () => {
    const { id } = await ada.createToken(['sessions:read'], { expiresInDays: 1 });
    service.advanceClock(24 * HOUR);
    expect((await rotate(id)).status).toBe(409);
  });

  it.each([0, 86_400])('accepts an overlap of %j seconds', async (overlapSeconds) => {
    const { id } = await ada.createToken(['sessions:read']);
    expectStatus(await rotate(id, { overlapSeconds }), 200);
  });

  it.each([-1, 86_401, 1.5, '60', true, {}])('rejects an overlap of %j', async (overlapSeconds) => {
    const { id, token } = await ada.createToken(['sessions:read']);
    const httpResponse = await rotate(id, { overlapSeconds });
    expect(httpResponse.status).toBe(400);
    expect(httpResponse.body.errors).toEqual([expect.objectContaining({ path: '/overlapSeconds' })]);
    expect(await use(token)).toBe(id);
  });
});
