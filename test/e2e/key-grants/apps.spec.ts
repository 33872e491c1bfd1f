import { GrantedSession, getGrantsPath } from '../../support/content/granted-session';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';

const SCOPE = { scope: 'sessions:read sessions:content' };

describe('a key grant and apps', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let app: ThirdPartyApp;
  let token: string;
  let session: GrantedSession;
  let message: string;

  beforeAll(async () => {
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  beforeEach(async () => {
    app = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    token = (await app.obtainTokens(service, ada, SCOPE)).access_token;
    session = await GrantedSession.createSession(ada);
    message = await session.appendMessage('for one app');
  });
  afterAll(() => service?.stop());

  const refused = ({ status, body }: HttpResponse) => {
    expect([status, body.code]).toEqual([403, 'no_content_grant']);
  };
  const granted = async (bearer: string) =>
    expectStatus(await service.http.get(`/external/v1/sessions/${session.id}`, bearer), 200).data
      .contentGranted as boolean;

  it('grants access only to the named app', async () => {
    expectStatus(await session.grantToService({ appId: app.clientId }), 201);
    expect(expectStatus(await session.readMessage(message, token), 200).data.content).toBe('for one app');
    expect(await granted(token)).toBe(true);
    const other = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    const { access_token: otherToken } = await other.obtainTokens(service, ada, SCOPE);
    const pat = await ada.createToken(['sessions:read', 'sessions:content']);
    for (const bearer of [otherToken, pat.token]) {
      refused(await session.readMessage(message, bearer));
      expect(await granted(bearer)).toBe(false);
    }
  });

  it('covers all tokens of the account, but no apps, without a token or app', async () => {
    expectStatus(await session.grantToService(), 201);
    const pat = await ada.createToken(['sessions:read', 'sessions:content']);
    expect((await session.readMessage(message, pat.token)).status).toBe(200);
    refused(await session.readMessage(message, token));
    expect(await granted(token)).toBe(false);
  });

  it('outlives a token of the app and covers the next one', async () => {
    expectStatus(await session.grantToService({ appId: app.clientId }), 201);
    const { access_token: next } = await app.obtainTokens(service, ada, SCOPE);
    expect((await session.readMessage(message, next)).status).toBe(200);
  });

  it('ends with the authorization and isn’t restored by the next one', async () => {
    expectStatus(await session.grantToService({ appId: app.clientId }), 201);
    const path = `/v1/account/authorized-apps/${app.clientId}`;
    expect((await service.http.delete(path, ada.token)).status).toBe(204);
    expect(expectStatus(await service.http.get(getGrantsPath(session.resource), ada.token), 200).data).toEqual([]);
    const { access_token: again } = await app.obtainTokens(service, ada, SCOPE);
    refused(await session.readMessage(message, again));
  });

  it('ends with revoke-all of its app only', async () => {
    const other = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    expectStatus(await session.grantToService({ appId: app.clientId }), 201);
    const kept = expectStatus(await session.grantToService({ appId: other.clientId }), 201).data;
    expectStatus(
      await service.http.post(`/v1/developer/apps/${app.clientId}/revoke-all`, app.owner.token, undefined),
      200,
    );
    expect(expectStatus(await service.http.get(getGrantsPath(session.resource), ada.token), 200).data).toEqual([kept]);
  });

  it('ends with the app', async () => {
    expectStatus(await session.grantToService({ appId: app.clientId }), 201);
    await service.http.delete(`/v1/developer/apps/${app.clientId}`, app.owner.token);
    expect(expectStatus(await service.http.get(getGrantsPath(session.resource), ada.token), 200).data).toEqual([]);
  });

  it('is created or rejected, without an error, while the app is deleted', async () => {
    for (let round = 0; round < 10; round++) {
      const gone = await ThirdPartyApp.register(app.owner);
      const [made] = await Promise.all([
        session.grantToService({ appId: gone.clientId }),
        service.http.delete(`/v1/developer/apps/${gone.clientId}`, app.owner.token),
      ]);
      expect([201, 400]).toContain(made.status);
    }
    expect(expectStatus(await service.http.get(getGrantsPath(session.resource), ada.token), 200).data).toEqual([]);
  });

  it('is created or rejected, without an error, while the session is deleted', async () => {
    for (let round = 0; round < 10; round++) {
      const gone = await GrantedSession.createSession(ada);
      const [made] = await Promise.all([
        gone.grantToService(),
        service.http.delete(`/v1/sessions/${gone.id}`, ada.token),
      ]);
      expect([201, 404]).toContain(made.status);
    }
  });
});
