import { ConsoleClient } from '../../support/console-client';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { waitFor } from '../../support/wait-for';
import { APP_CALLBACK_URL, ThirdPartyApp } from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';

const PAGE = '/console/authorized-apps';

describe('the console’s page of authorized apps', () => {
  let service: Service;
  let octavia: ForeignAccountDevice;
  let ada: ForeignAccountDevice;
  let visitor: ConsoleClient;

  beforeAll(async () => {
    service = await Service.start();
    octavia = await ForeignAccountDevice.signUp(service.http, 'octavia');
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    visitor = await ConsoleClient.signIn(service.url, ada);
  });
  afterAll(() => service?.stop());

  const register = (name: string, extra: object = {}) =>
    ThirdPartyApp.register(octavia, APP_CALLBACK_URL, { name, ...extra });
  const revoke = async (app: ThirdPartyApp) =>
    visitor.post(`${PAGE}/${app.clientId}/revoke`, { csrf: await visitor.readCsrfToken() });
  const me = (token: string) => service.http.get('/external/v1/me', token);

  it('shows an app’s developer and its scopes in words', async () => {
    const app = await register('Notes', { homepageUrl: 'https://notes.example/about' });
    await app.obtainTokens(service, ada);
    const { html } = await visitor.get(PAGE);
    const words = ['Notes', 'octavia', 'sessions:read', 'See your sessions', 'never'];
    for (const word of words) expect(html).toContain(word);
    expect(html).not.toContain('notes.example');
  });

  it('shows an app with an invalid homepage', async () => {
    const app = await register('Odd', { homepageUrl: 'https://[' });
    await app.obtainTokens(service, ada);
    const { status, html } = await visitor.get(PAGE);
    expect([status, html.includes('Odd')]).toEqual([200, true]);
  });

  it('revokes an app’s tokens within a second, for this person only', async () => {
    const app = await register('Notes');
    const mine = await app.obtainTokens(service, ada);
    const bobs = await app.obtainTokens(service, await ForeignAccountDevice.signUp(service.http));
    expectStatus(await me(mine.access_token), 200);
    const { status, headers } = await revoke(app);
    expect([status, headers.get('location')]).toEqual([303, PAGE]);
    await waitFor(async () => expect((await me(mine.access_token)).status).toBe(401), 1_000);
    expectStatus(await me(bobs.access_token), 200);
    expect((await visitor.get(PAGE)).html).toContain('No authorized apps');
  });

  it('rejects apps that this person hasn’t authorized', async () => {
    const app = await register('Elsewhere');
    const bobs = await app.obtainTokens(service, await ForeignAccountDevice.signUp(service.http));
    expect((await revoke(app)).status).toBe(404);
    expectStatus(await me(bobs.access_token), 200);
    expect((await visitor.get(PAGE)).html).not.toContain('Elsewhere');
  });

  it('lists apps in pages', async () => {
    for (const name of ['First', 'Second', 'Third']) await (await register(name)).obtainTokens(service, ada);
    const first = await visitor.get(`${PAGE}?limit=2`);
    expect(first.html).toMatch(/Third[^]*Second/);
    expect(first.html).not.toContain('First');
    const older = /rel="next" href="([^"]+)"/.exec(first.html)![1]!.replaceAll('&amp;', '&');
    const { html } = await visitor.get(older);
    expect(html).toContain('First');
    expect(html).not.toContain('No authorized apps');
  });
});
