import { setTimeout as sleep } from 'node:timers/promises';
import { createBackend, type Backend } from '../../support/backend';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { ThirdPartyApp } from '../../support/oauth/third-party-app';
import { describeWithServices } from '../../support/postgres';
import { Service } from '../../support/service';
import { ServiceProcess } from '../../support/service-process';
import { waitFor } from '../../support/wait-for';

const TOKENS = '/v1/account/external-tokens';

describeWithServices('a revocation on one instance', () => {
  let backend: Backend;
  let a: ServiceProcess;
  let b: ServiceProcess;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    backend = await createBackend('services');
    [a, b] = await Promise.all([ServiceProcess.start(backend.env), ServiceProcess.start(backend.env)]);
  });
  afterAll(async () => {
    await Promise.all([a?.stop('SIGKILL'), b?.stop('SIGKILL')]);
    await backend?.dispose();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(a.http);
  });

  /** Calls `b` every 10 ms, revokes the credential on `a`, and returns how long `b` still accepted it, in ms. */
  async function outlives(path: string, token: string, end: () => Promise<HttpResponse>): Promise<number> {
    const call = () => b.http.get(path, token);
    let endedAt = Infinity;
    let acceptedAt = -Infinity;
    const calling = (async () => {
      for (;;) {
        const sentAt = performance.now();
        const { status, body } = await call();
        if (status === 401) return;
        expect({ status, body }).toMatchObject({ status: 200 });
        acceptedAt = sentAt;
        if (sentAt - endedAt > 5_000) return;
        await sleep(10);
      }
    })();
    await waitFor(() => expect(acceptedAt).toBeGreaterThan(0));
    expect([200, 204]).toContain((await end()).status);
    endedAt = performance.now();
    await calling;
    for (let i = 0; i < 3; i++) expect((await call()).status).toBe(401);
    return acceptedAt - endedAt;
  }

  const ends = async (path: string, token: string, end: () => Promise<HttpResponse>) =>
    expect(await outlives(path, token, end)).toBeLessThan(1_000);

  it('rejects a revoked token on another within a second', async () => {
    const { id, token } = await ada.createToken(['usage:read']);
    await ends('/external/v1/me', token, () => a.http.delete(`${TOKENS}/${id}`, ada.token));
  });

  it('rejects the old secret of a rotated token and accepts the new one at once', async () => {
    const { id, token: old } = await ada.createToken(['usage:read']);
    let fresh = '';
    await ends('/external/v1/me', old, async () => {
      const httpResponse = await a.http.post(`${TOKENS}/${id}/rotate`, ada.token, {});
      fresh = httpResponse.body.token;
      expectStatus(await b.http.get('/external/v1/me', fresh), 200);
      return httpResponse;
    });
    expectStatus(await b.http.get('/external/v1/me', fresh), 200);
  });

  it('rejects a revoked device', async () => {
    const laptop = await ada.pairDevice('account');
    await ends('/v1/sessions', laptop.token, () => a.http.delete(`/v1/devices/${laptop.id}`, ada.token));
  });

  it.each([
    ['a token', '/external/v1/me'],
    ['a device', '/v1/account'],
  ])('rejects %s of a deleted account', async (kind, path) => {
    const { token } = kind === 'a device' ? ada : await ada.createToken(['usage:read']);
    await ends(path, token, () => a.http.delete('/v1/account', ada.token));
  });

  it('rejects a token of a deleted account for routes that don’t read the account', async () => {
    const { token } = await ada.createToken(['sessions:read']);
    await ends('/external/v1/sessions', token, () => a.http.delete('/v1/account', ada.token));
  });

  describe("of an app's access token", () => {
    /** Instance on which people consent. */
    let inProcess: Service;
    let app: ThirdPartyApp;
    let tokens: { access_token: string; refresh_token: string };
    const at = (verb = '') => `/v1/developer/apps/${app.clientId}${verb}`;

    beforeAll(async () => {
      inProcess = await Service.start({ LOG_LEVEL: 'silent' }, backend);
    });
    afterAll(() => inProcess?.app.close());
    beforeEach(async () => {
      app = await ThirdPartyApp.register(ada);
      tokens = await app.obtainTokens(inProcess, ada);
    });

    it.each<[string, () => Promise<HttpResponse>]>([
      ['the app revokes it', () => app.postToEndpoint('revoke', { token: tokens.access_token })],
      ['the app revokes its refresh token', () => app.postToEndpoint('revoke', { token: tokens.refresh_token })],
      [
        'the person takes back what they agreed to',
        () => a.http.delete(`/v1/account/authorized-apps/${app.clientId}`, ada.token),
      ],
      ['the owner disables the app', () => a.http.post(at('/disable'), ada.token, {})],
      ['the owner revokes all tokens of the app', () => a.http.post(at('/revoke-all'), ada.token, {})],
      ['the owner deletes the app', () => a.http.delete(at(), ada.token)],
    ])('applies within a second on another when %s', async (_, end) => {
      await ends('/external/v1/me', tokens.access_token, end);
    });
  });
});
