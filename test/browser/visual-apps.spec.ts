import { ForeignAccountDevice } from '../support/device/foreign-device';
import { encodeForm, OAUTH_PATH, ThirdPartyApp } from '../support/oauth/third-party-app';
import { Service } from '../support/service';
import { RedirectListener } from './support/redirect-listener';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage, VISUAL_VARIANTS } from './support/visual-checks';

describe.each(Object.keys(VISUAL_VARIANTS))('the pages of apps are accessible and fit the screen: %s', (look) => {
  let service: Service;
  let browser: TestBrowser;
  let listener: RedirectListener;
  let ada: BrowserUser;
  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launchBrowser();
    listener = await RedirectListener.start();
    ada = await browser.openProfile(service.url, VISUAL_VARIANTS[look]);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    await browser?.close();
    listener?.stop();
    await service?.stop();
  });

  const expectSound = (name: string) => expectAccessiblePage(ada, `${look}-${name}`);
  const field = (name: string) => ada.page.getByLabel(name, { exact: true });

  it('apps', async () => {
    await ada.page.goto('/console/apps');
    await expectSound('apps-empty');
    await ada.page.goto('/console/apps/new');
    await field('Name').fill('Field notes');
    await field('Description').fill('Takes notes while you work, and files them where you find them again.');
    await field('Redirect URIs').fill(`http://app.example/cb`);
    await ada.page.getByRole('button', { name: 'Register' }).click();
    await ada.page.getByRole('alert').waitFor();
    await expectSound('app-new');
    await field('Redirect URIs').fill(
      `https://notes.example/${'a-long-way-down/'.repeat(6)}callback\nhttp://127.0.0.1/cb`,
    );
    await ada.page.getByRole('button', { name: 'Register' }).click();
    await ada.page.getByText('Copy it now').waitFor();
    await expectSound('app-shown');
    await ada.page.getByRole('link', { name: 'I’ve saved it' }).click();
    await ada.page.getByText('Try a sign-in by hand').click();
    await ada.page.getByText('Delete …').click();
    await expectSound('app');
    await ada.page.getByText('Add secret …').click();
    await ada.page.getByRole('button', { name: 'Add secret' }).click();
    await ada.page.getByRole('link', { name: 'I’ve saved it' }).click();
    await ada.page.getByText('Retire …').first().click();
    await expectSound('app-secrets');
    await ada.page.keyboard.press('Escape');
    const viewport = ada.page.viewportSize()!;
    await ada.page.setViewportSize({ width: 320, height: 640 });
    await ada.page.getByText('Try a sign-in by hand').click();
    await expectSound('app-small');
    await ada.page.setViewportSize(viewport);
    await ada.page.getByText('Disable …').click();
    await ada.page.getByRole('button', { name: 'Disable' }).click();
    await ada.page.getByText('This app is disabled').waitFor();
    await expectSound('app-disabled');
    await ada.page.goto('/console/apps');
    await expectSound('apps');
  });

  it('authorized apps', async () => {
    await ada.page.goto('/console/authorized-apps');
    await expectSound('authorized-apps-empty');
    const owner = await ForeignAccountDevice.signUp(service.http, 'octavia');
    for (const [name, scope] of [
      ['Field notes', 'sessions:read profile:read'],
      ['A name as long as one may well be, so that it has to wrap', 'sessions:write sessions:content'],
    ] as const) {
      const extra = { name, homepageUrl: 'https://notes.example' };
      const app = await ThirdPartyApp.register(owner, `${listener.url}/callback`, extra);
      await ada.page.goto(
        `${service.url}${OAUTH_PATH}/authorize?${encodeForm(app.buildAuthorizationRequest({ scope }))}`,
      );
      await ada.page.getByRole('button', { name: 'Allow' }).click();
      await ada.page.getByRole('heading', { name: 'Back in the app' }).waitFor();
    }
    await ada.page.goto('/console/authorized-apps');
    await ada.page.getByText('Revoke …').first().click();
    await expectSound('authorized-apps');
    await ada.page.setViewportSize({ width: 320, height: 640 });
    await expectSound('authorized-apps-small');
  });
});
