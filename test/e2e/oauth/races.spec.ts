import { AccountDevice, ok } from '../../support/device/foreign-device';
import type { Answer } from '../../support/http-client';
import { passTime } from '../../support/pass-time';
import { ThirdParty } from '../../support/oauth/third-party';
import { Service } from '../../support/service';

const ROUNDS = 8;

describe('what happens at once', () => {
  let service: Service;
  let ada: AccountDevice;
  let app: ThirdParty;
  const me = async (token: string) => (await service.http.get('/external/v1/me', token)).status;
  const tokensOf = (answers: Answer[]): string[] =>
    answers.flatMap(({ body }) => (body?.access_token ? [body.access_token] : []));

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    // Every call with a dead token is counted by its address.
    await passTime(service, 60_000);
    ada = await AccountDevice.signUp(service.http);
    app = await ThirdParty.register(ada);
  });

  /** An end, while codes and refresh tokens of a person are being used: no call fails, and nothing outlives the end. */
  const endWhileBusy = async (end: (person: AccountDevice) => Promise<Answer>) => {
    const bob = await AccountDevice.signUp(service.http);
    const standing = await app.tokens(service, bob);
    const codes = [await app.code(service, bob), await app.code(service, bob), await app.code(service, bob)];
    const uses = [
      () => app.exchange(codes[0]!),
      () => app.refresh(standing.refresh_token),
      () => app.exchange(codes[1]!),
      () => app.post('revoke', { token: standing.access_token }),
      () => app.exchange(codes[2]!),
      () => app.authorize(),
    ];
    const at = Math.floor(Math.random() * uses.length);
    const running = uses.slice(0, at).map((use) => use());
    const ending = end(bob);
    running.push(...uses.slice(at).map((use) => use()));
    const answers = await Promise.all(running);
    expect([200, 204]).toContain((await ending).status);
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    for (const token of [standing.access_token, ...tokensOf(answers)]) expect(await me(token)).toBe(401);
  };

  it('ends an authorization whole', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await endWhileBusy((person) => service.http.delete(`/v1/account/authorized-apps/${app.clientId}`, person.token));
    }
  });

  it('ends those of all people whole', async () => {
    const path = `/v1/developer/apps/${app.clientId}/revoke-all`;
    for (let round = 0; round < ROUNDS; round++) await endWhileBusy(() => service.http.post(path, ada.token, {}));
  });

  it('ends an app whole', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await endWhileBusy(() => service.http.delete(`/v1/developer/apps/${app.clientId}`, ada.token));
      app = await ThirdParty.register(ada);
    }
  });

  it('ends an account whole', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await endWhileBusy((person) => service.http.delete('/v1/account', person.token));
    }
  });

  it('ends nothing by halves: a code that comes twice, while its refresh token is used', async () => {
    const bob = await AccountDevice.signUp(service.http);
    for (let round = 0; round < ROUNDS; round++) {
      const code = await app.code(service, bob);
      const first = ok(await app.exchange(code), 200);
      const answers = await Promise.all([
        app.refresh(first.refresh_token),
        app.exchange(code),
        app.post('introspect', { token: first.access_token }),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      for (const token of [first.access_token, ...tokensOf(answers)]) expect(await me(token)).toBe(401);
    }
  });
});
