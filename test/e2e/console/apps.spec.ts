import { AppSuspensionService } from '../../../src/modules/developer-apps';
import { ConsoleClient } from '../../support/console-client';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import {
  createBasicAuthorization,
  APP_CALLBACK_URL,
  OAUTH_PATH,
  postForm,
  ThirdPartyApp,
} from '../../support/oauth/third-party-app';
import { Service } from '../../support/service';

const GOOD = { name: 'Notes', description: '', homepageUrl: '', redirectUris: APP_CALLBACK_URL };
const SECRET = /svc_ocs_\w+/;

describe('the console’s pages of apps', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let visitor: ConsoleClient;
  let csrf: string;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    visitor = await ConsoleClient.signIn(service.url, ada);
    csrf = await visitor.readCsrfToken();
  });
  afterAll(() => service?.stop());

  const post = (path: string, form: Record<string, string> = {}) => visitor.post(path, { csrf, ...form });
  const recordOf = async (clientId: string) =>
    expectStatus(await service.http.get(`/v1/developer/apps/${clientId}`, ada.token), 200).data;
  const register = async (form: Record<string, string> = GOOD) => {
    const { status, html } = await post('/console/apps', form);
    expect(status).toBe(200);
    expect(html).toContain(`<h2>Client secret of ${form.name}</h2>`);
    return { clientId: /svc_oapp_\w+/.exec(html)![0], secret: SECRET.exec(html)![0] };
  };
  const authenticates = async (clientId: string, secret: string) =>
    (
      await postForm(service.http, `${OAUTH_PATH}/introspect`, 'token=x', {
        Authorization: createBasicAuthorization(clientId, secret),
      })
    ).status === 200;

  it('register an app and show its working secret once', async () => {
    const redirectUris = `  https://app.example/a \r\n\r\nhttp://127.0.0.1/b\r\n`;
    const { clientId, secret } = await register({
      ...GOOD,
      redirectUris,
      homepageUrl: 'https://app.example',
    });
    expect(await authenticates(clientId, secret)).toBe(true);
    expect(await recordOf(clientId)).toMatchObject({
      name: 'Notes',
      description: null,
      homepageUrl: 'https://app.example',
      redirectUris: ['https://app.example/a', 'http://127.0.0.1/b'],
    });
    const page = await visitor.get(`/console/apps/${clientId}`);
    expect(page.html).toContain(clientId);
    expect(page.html).not.toMatch(SECRET);
    expect((await visitor.get('/console/apps')).html).toContain(`href="/console/apps/${clientId}"`);
  });

  it.each([
    [{ name: '   ' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ homepageUrl: 'javascript:alert(1)' }, 'homepageUrl'],
    [{ redirectUris: '\r\n' }, 'redirectUris'],
    [{ redirectUris: `${APP_CALLBACK_URL}\r\nhttp://app.example/cb` }, 'redirectUris'],
    [{ redirectUris: `${APP_CALLBACK_URL}\r\n${APP_CALLBACK_URL}` }, 'redirectUris'],
  ])('show the entered values again with the errors: %j', async (wrong, field) => {
    const typed = { ...GOOD, description: 'Kept <here>', ...wrong };
    const { clientId } = await register();
    for (const path of ['/console/apps', `/console/apps/${clientId}/edit`]) {
      const { status, html } = await post(path, typed);
      expect(status).toBe(400);
      expect(html).toContain('Kept &lt;here>');
      expect(html).toContain(`id="${field}-fault"`);
      expect(html.match(/-fault"/g)).toHaveLength(2);
    }
    expect(await recordOf(clientId)).toMatchObject({ name: 'Notes', redirectUris: [APP_CALLBACK_URL] });
  });

  it('say before the registration which scopes apps can’t have, and where sign-ins start', async () => {
    const { html } = await visitor.get('/console/apps/new');
    expect(html.replaceAll(/<[^>]+>/g, '')).toContain('No app can get sessions:approve or machines:invoke.');
    expect(html).toContain(`data-copy="${service.url}${OAUTH_PATH}/authorize"`);
    const rejected = await post('/console/apps', { ...GOOD, name: '' });
    expect(rejected.html).toContain(`data-copy="${service.url}${OAUTH_PATH}/authorize"`);
  });

  it('explain which redirect URIs are valid', async () => {
    const { html } = await post('/console/apps', { ...GOOD, redirectUris: 'http://app.example/cb' });
    expect(html).toContain('Each must be https, or http on 127.0.0.1, [::1] or localhost.');
  });

  it('enforce the plan’s limit and show the entered values again', async () => {
    for (let i = 0; i < 20; i++) await ThirdPartyApp.register(ada);
    const { status, html } = await post('/console/apps', { ...GOOD, name: 'One too many' });
    expect([status, html.includes('value="One too many"')]).toEqual([403, true]);
    expect(html).toContain('role="alert"');
  });

  it('change an app and remove empty fields', async () => {
    const { clientId } = await register({ ...GOOD, description: 'Old', homepageUrl: 'https://app.example' });
    expect((await visitor.get(`/console/apps/${clientId}/edit`)).html).toContain('value="https://app.example"');
    const redirectUris = 'https://app.example/1\r\nhttps://app.example/2';
    const { status, headers } = await post(`/console/apps/${clientId}/edit`, {
      ...GOOD,
      name: 'Newer',
      redirectUris,
    });
    expect([status, headers.get('location')]).toEqual([303, `/console/apps/${clientId}`]);
    expect(await recordOf(clientId)).toMatchObject({
      name: 'Newer',
      description: null,
      homepageUrl: null,
      redirectUris: ['https://app.example/1', 'https://app.example/2'],
    });
  });

  it('add secrets with and without an overlap and retire one, but reject a fourth and keep the last', async () => {
    const { clientId, secret } = await register();
    const path = `/console/apps/${clientId}/secrets`;
    const add = async (expireOthersInSeconds: string) =>
      SECRET.exec((await post(path, { expireOthersInSeconds })).html)![0];
    const second = await add('');
    const third = await add('3600');
    for (const live of [secret, second, third]) expect(await authenticates(clientId, live)).toBe(true);
    expect((await post(path)).status).toBe(409);
    expect((await visitor.get(`/console/apps/${clientId}`)).html).not.toContain('Add secret');

    const [oldest] = (await recordOf(clientId)).secrets;
    expect((await post(`${path}/${oldest.id}/retire`)).status).toBe(303);
    expect(await authenticates(clientId, secret)).toBe(false);
    const last = await add('0');
    expect(await authenticates(clientId, third)).toBe(false);
    expect(await authenticates(clientId, last)).toBe(true);
    const [only, ...others] = (await recordOf(clientId)).secrets;
    expect(others).toEqual([]);
    expect((await post(`${path}/${only.id}/retire`)).status).toBe(409);
    expect((await visitor.get(`/console/apps/${clientId}`)).html).not.toContain('/retire');
    expect((await post(path, { expireOthersInSeconds: '-1' })).status).toBe(400);
  });

  it('say that an operator has suspended an app, and offer nothing to enable it', async () => {
    const { clientId } = await register();
    const suspensions = service.app.get(AppSuspensionService, { strict: false });
    await suspensions.suspendApp((await suspensions.findApp(clientId))!);
    const { html } = await visitor.get(`/console/apps/${clientId}`);
    expect(html).toContain('The operator of this service has suspended this app.');
    expect(html).not.toMatch(/\/(enable|disable)"/);
  });

  it('neither show nor change apps of other accounts', async () => {
    const theirs = await ThirdPartyApp.register(await ForeignAccountDevice.signUp(service.http));
    const path = `/console/apps/${theirs.clientId}`;
    for (const page of [path, `${path}/edit`]) expect((await visitor.get(page)).status).toBe(404);
    const acts = ['edit', 'disable', 'enable', 'revoke-all', 'delete', 'secrets', 'secrets/sec_1/retire'];
    for (const act of acts) {
      expect([act, (await post(`${path}/${act}`, { ...GOOD, name: 'Mine' })).status]).toEqual([act, 404]);
    }
    expect((await theirs.postToEndpoint('introspect', { token: 'x' })).status).toBe(200);
  });

  it('list apps in pages', async () => {
    for (const name of ['First', 'Second', 'Third']) await ThirdPartyApp.register(ada, APP_CALLBACK_URL, { name });
    const first = await visitor.get('/console/apps?limit=2');
    expect(first.html).toMatch(/Third[^]*Second/);
    expect(first.html).not.toContain('First');
    const older = /rel="next" href="([^"]+)"/.exec(first.html)![1]!.replaceAll('&amp;', '&');
    const last = await visitor.get(older);
    expect(last.html).toContain('First');
    expect(last.html).toContain('Newest');
    expect(last.html).not.toContain('No apps yet');
  });
});
