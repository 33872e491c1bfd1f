import { ConsoleVisitor } from '../../support/console-visitor';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { eventually } from '../../support/eventually';
import { CALLBACK, ThirdParty } from '../../support/oauth/third-party';
import { Service } from '../../support/service';

const PAGE = '/console/authorized-apps';

describe('the console’s page of authorized apps', () => {
  let service: Service;
  let octavia: AccountDevice;
  let ada: AccountDevice;
  let visitor: ConsoleVisitor;

  beforeAll(async () => {
    service = await Service.start();
    octavia = await AccountDevice.signUp(service.http, 'octavia');
  });
  beforeEach(async () => {
    ada = await AccountDevice.signUp(service.http);
    visitor = await ConsoleVisitor.signIn(service.url, ada);
  });
  afterAll(() => service?.stop());

  const register = (name: string, extra: object = {}) => ThirdParty.register(octavia, CALLBACK, { name, ...extra });
  const revoke = async (app: ThirdParty) =>
    visitor.post(`${PAGE}/${app.clientId}/revoke`, { csrf: await visitor.csrfToken() });
  const me = (token: string) => service.http.get('/external/v1/me', token);

  it('says whose an app is and what it may do, in words', async () => {
    const app = await register('Notes', { homepageUrl: 'https://notes.example/about' });
    await app.tokens(service, ada);
    const { html } = await visitor.get(PAGE);
    const words = ['Notes', 'octavia', 'notes.example', 'sessions:read', 'See your sessions', 'never'];
    for (const word of words) expect(html).toContain(word);
    expect(html).not.toContain('notes.example/about');
  });

  it('goes with an app that wrote a homepage which is none', async () => {
    const app = await register('Odd', { homepageUrl: 'https://[' });
    await app.tokens(service, ada);
    const { status, html } = await visitor.get(PAGE);
    expect([status, html.includes('Odd')]).toEqual([200, true]);
  });

  it('ends an app’s tokens within a second, for this person alone', async () => {
    const app = await register('Notes');
    const mine = await app.tokens(service, ada);
    const bobs = await app.tokens(service, await AccountDevice.signUp(service.http));
    ok(await me(mine.access_token), 200);
    const { status, headers } = await revoke(app);
    expect([status, headers.get('location')]).toEqual([303, PAGE]);
    await eventually(async () => expect((await me(mine.access_token)).status).toBe(401), 1_000);
    ok(await me(bobs.access_token), 200);
    expect((await visitor.get(PAGE)).html).toContain('No app acts for you');
  });

  it('knows no app that this person has not let in', async () => {
    const app = await register('Elsewhere');
    const bobs = await app.tokens(service, await AccountDevice.signUp(service.http));
    expect((await revoke(app)).status).toBe(404);
    ok(await me(bobs.access_token), 200);
    expect((await visitor.get(PAGE)).html).not.toContain('Elsewhere');
  });

  it('lists them page by page', async () => {
    for (const name of ['First', 'Second', 'Third']) await (await register(name)).tokens(service, ada);
    const first = await visitor.get(`${PAGE}?limit=2`);
    expect(first.html).toMatch(/Third[^]*Second/);
    expect(first.html).not.toContain('First');
    const older = /rel="next" href="([^"]+)"/.exec(first.html)![1]!.replaceAll('&amp;', '&');
    const { html } = await visitor.get(older);
    expect(html).toContain('First');
    expect(html).not.toContain('No app acts for you');
  });
});
