import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { advanceTime } from '../../support/advance-time';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';

const ROUNDS = 8;

describe('concurrent OAuth requests', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let app: ThirdPartyApp;
  const me = async (token: string) => (await service.http.get('/external/v1/me', token)).status;
  const tokensOf = (answers: HttpResponse[]): string[] =>
    answers.flatMap(({ body }) => (body?.access_token ? [body.access_token] : []));

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    // Every call with a revoked token consumes from the bucket of its address.
    await advanceTime(service, 60_000);
    ada = await ForeignAccountDevice.signUp(service.http);
    app = await ThirdPartyApp.register(ada);
  });

  /** Revokes access while codes and refresh tokens are used concurrently. No call fails, and no token stays valid. */
  const endWhileBusy = async (end: (person: ForeignAccountDevice) => Promise<HttpResponse>) => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    const existing = await app.obtainTokens(service, bob);
    const codes = [
      await app.obtainCode(service, bob),
      await app.obtainCode(service, bob),
      await app.obtainCode(service, bob),
    ];
    const uses = [
      () => app.exchangeCode(codes[0]!),
      () => app.refreshTokens(existing.refresh_token),
      () => app.exchangeCode(codes[1]!),
      () => app.postToEndpoint('revoke', { token: existing.access_token }),
      () => app.exchangeCode(codes[2]!),
      () => app.requestAuthorization(),
    ];
    const at = Math.floor(Math.random() * uses.length);
    const running = uses.slice(0, at).map((use) => use());
    const ending = end(bob);
    running.push(...uses.slice(at).map((use) => use()));
    const answers = await Promise.all(running);
    expect([200, 204]).toContain((await ending).status);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    for (const token of [existing.access_token, ...tokensOf(answers)]) expect(await me(token)).toBe(401);
  };

  it('revoke an authorization completely', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await endWhileBusy((person) => service.http.delete(`/v1/account/authorized-apps/${app.clientId}`, person.token));
    }
  });

  it('revoke all authorizations of an app completely', async () => {
    const path = `/v1/developer/apps/${app.clientId}/revoke-all`;
    for (let round = 0; round < ROUNDS; round++) await endWhileBusy(() => service.http.post(path, ada.token, {}));
  });

  it('delete an app completely', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await endWhileBusy(() => service.http.delete(`/v1/developer/apps/${app.clientId}`, ada.token));
      app = await ThirdPartyApp.register(ada);
    }
  });

  it('delete an account completely', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await endWhileBusy((person) => service.http.delete('/v1/account', person.token));
    }
  });

  it('revoke all tokens of a repeated code while its refresh token is used', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    for (let round = 0; round < ROUNDS; round++) {
      const code = await app.obtainCode(service, bob);
      const first = expectStatus(await app.exchangeCode(code), 200);
      const answers = await Promise.all([
        app.refreshTokens(first.refresh_token),
        app.exchangeCode(code),
        app.postToEndpoint('introspect', { token: first.access_token }),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      for (const token of [first.access_token, ...tokensOf(answers)]) expect(await me(token)).toBe(401);
    }
  });
});
