import { GrantedSession, grantsPath } from '../../support/content/granted-session';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import type { Answer } from '../../support/http-client';
import { ThirdParty } from '../../support/oauth/third-party';
import { Service } from '../../support/service';

const SCOPE = { scope: 'sessions:read sessions:content' };

describe('a key grant and apps', () => {
  let service: Service;
  let ada: AccountDevice;
  let app: ThirdParty;
  let token: string;
  let session: GrantedSession;
  let message: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await AccountDevice.signUp(service.http);
  });
  beforeEach(async () => {
    app = await ThirdParty.register(await AccountDevice.signUp(service.http));
    token = (await app.tokens(service, ada, SCOPE)).access_token;
    session = await GrantedSession.open(ada);
    message = await session.say('for one app');
  });
  afterAll(() => service?.stop());

  const refused = ({ status, body }: Answer) => {
    expect([status, body.code]).toEqual([403, 'no_content_grant']);
  };
  const granted = async (bearer: string) =>
    ok(await service.http.get(`/external/v1/sessions/${session.id}`, bearer), 200).data.contentGranted as boolean;

  it('lets the app read that it names, and no other, and no token', async () => {
    ok(await session.grant({ appId: app.clientId }), 201);
    expect(ok(await session.read(message, token), 200).data.content).toBe('for one app');
    expect(await granted(token)).toBe(true);
    const other = await ThirdParty.register(await AccountDevice.signUp(service.http));
    const { access_token: otherToken } = await other.tokens(service, ada, SCOPE);
    const pat = await ada.createToken(['sessions:read', 'sessions:content']);
    for (const bearer of [otherToken, pat.token]) {
      refused(await session.read(message, bearer));
      expect(await granted(bearer)).toBe(false);
    }
  });

  it('covers tokens of the account, and never apps, when it names nobody', async () => {
    ok(await session.grant(), 201);
    const pat = await ada.createToken(['sessions:read', 'sessions:content']);
    expect((await session.read(message, pat.token)).status).toBe(200);
    refused(await session.read(message, token));
    expect(await granted(token)).toBe(false);
  });

  it('outlives a token of the app, and serves the next one', async () => {
    ok(await session.grant({ appId: app.clientId }), 201);
    const { access_token: next } = await app.tokens(service, ada, SCOPE);
    expect((await session.read(message, next)).status).toBe(200);
  });

  it('ends with the authorization, and does not come back with the next', async () => {
    ok(await session.grant({ appId: app.clientId }), 201);
    const path = `/v1/account/authorized-apps/${app.clientId}`;
    expect((await service.http.delete(path, ada.token)).status).toBe(204);
    expect(ok(await service.http.get(grantsPath(session.resource), ada.token), 200).data).toEqual([]);
    const { access_token: again } = await app.tokens(service, ada, SCOPE);
    refused(await session.read(message, again));
  });

  it('ends with the app’s own word that all authorizations end, for that app alone', async () => {
    const other = await ThirdParty.register(await AccountDevice.signUp(service.http));
    ok(await session.grant({ appId: app.clientId }), 201);
    const kept = ok(await session.grant({ appId: other.clientId }), 201).data;
    ok(await service.http.post(`/v1/developer/apps/${app.clientId}/revoke-all`, app.owner.token, undefined), 200);
    expect(ok(await service.http.get(grantsPath(session.resource), ada.token), 200).data).toEqual([kept]);
  });

  it('ends with the app', async () => {
    ok(await session.grant({ appId: app.clientId }), 201);
    await service.http.delete(`/v1/developer/apps/${app.clientId}`, app.owner.token);
    expect(ok(await service.http.get(grantsPath(session.resource), ada.token), 200).data).toEqual([]);
  });

  it('is made for an app or refused, never an error, while the app is deleted', async () => {
    for (let round = 0; round < 10; round++) {
      const gone = await ThirdParty.register(app.owner);
      const [made] = await Promise.all([
        session.grant({ appId: gone.clientId }),
        service.http.delete(`/v1/developer/apps/${gone.clientId}`, app.owner.token),
      ]);
      expect([201, 400]).toContain(made.status);
    }
    expect(ok(await service.http.get(grantsPath(session.resource), ada.token), 200).data).toEqual([]);
  });

  it('is made on a session or refused, never an error, while the session is deleted', async () => {
    for (let round = 0; round < 10; round++) {
      const gone = await GrantedSession.open(ada);
      const [made] = await Promise.all([gone.grant(), service.http.delete(`/v1/sessions/${gone.id}`, ada.token)]);
      expect([201, 404]).toContain(made.status);
    }
  });
});
