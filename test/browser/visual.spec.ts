import { ForeignAccountDevice } from '../support/device/foreign-device';
import { encodeForm, OAUTH_PATH, ThirdPartyApp } from '../support/oauth/third-party-app';
import { Service } from '../support/service';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage, VISUAL_VARIANTS } from './support/visual-checks';

describe.each(Object.keys(VISUAL_VARIANTS))('the public pages are accessible and fit the screen: %s', (look) => {
  let service: Service;
  let browser: TestBrowser;
  let ada: BrowserUser;
  let consent: string;

  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(service.url, VISUAL_VARIANTS[look]);
    const owner = await ForeignAccountDevice.signUp(service.http, 'octavia');
    const app = await ThirdPartyApp.register(owner, 'https://notes.a-long-host-name-of-somebody.example/callback', {
      name: 'Notes for everybody with a rather long name that goes on and on',
      homepageUrl: 'https://notes.a-long-host-name-of-somebody.example',
    });
    const scope = 'sessions:read sessions:write sessions:content machines:read webhooks:manage profile:read';
    consent = `${OAUTH_PATH}/authorize?${encodeForm(app.buildAuthorizationRequest({ scope }))}`;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const expectSound = (name: string) => expectAccessiblePage(ada, `${look}-${name}`);
  const pressTabUntil = async (matches: string) => {
    const isThere = () => ada.page.evaluate(`document.activeElement.matches(${JSON.stringify(matches)})`);
    for (let i = 0; i < 20 && !(await isThere()); i++) await ada.page.keyboard.press('Tab');
    expect([matches, await isThere()]).toEqual([matches, true]);
  };

  it('from the first visit to consent, by keyboard alone', async () => {
    await ada.page.goto(consent);
    await ada.page.getByRole('link', { name: 'Create an account' }).waitFor();
    await expectSound('sign-in');
    await pressTabUntil('a[href^="/console/sign-up"]');
    await ada.page.keyboard.press('Enter');
    await ada.page.getByLabel('Username').waitFor();
    await expectSound('sign-up');
    await pressTabUntil('[name=username]');
    await ada.page.keyboard.type('ada');
    await ada.page.keyboard.press('Enter');
    await ada.page.getByRole('heading', { name: 'Save your recovery key' }).waitFor();
    expect(await ada.page.evaluate('document.activeElement.textContent')).toBe('Save your recovery key');
    await expectSound('recovery-key');
    const groups = await ada.page.locator('#recovery-key span').allTextContents();
    await pressTabUntil('#last-group');
    await ada.page.keyboard.type('wrong');
    await ada.page.keyboard.press('Enter');
    await ada.page.getByRole('alert').waitFor();
    await expectSound('problem');
    await ada.page.keyboard.press('ControlOrMeta+A');
    await ada.page.keyboard.type(groups.at(-1)!);
    await ada.page.keyboard.press('Enter');
    await ada.page.getByRole('button', { name: 'Allow' }).waitFor();
    await expectSound('consent');
    await ada.page.goto('/console/nowhere');
    await expectSound('not-found');
    await ada.page.goto('/console');
    await expectSound('home');
    await pressTabUntil('.menu > summary');
    await ada.page.keyboard.press('Enter');
    await expectSound('account-menu');
    await pressTabUntil('form[action="/console/sign-out"] button');
    await ada.page.keyboard.press('Enter');
    await ada.page.getByRole('button', { name: 'Continue as ada' }).waitFor();
    await expectSound('known');
  });

  it('on the other ways to a session', async () => {
    await ada.page.goto('/console/link');
    await ada.page.getByRole('button', { name: 'Show code' }).waitFor();
    await expectSound('link');
    await pressTabUntil('#ask button');
    await ada.page.keyboard.press('Enter');
    await ada.page.getByLabel('Pairing code').waitFor();
    await expectSound('link-waiting');
    await ada.page.goto('/console/recover');
    await ada.page.getByLabel('Recovery key').waitFor();
    await expectSound('recover');
  });
});

describe('the recovery key on paper', () => {
  it('is alone there, with whose it is and what to do with it', async () => {
    const service = await Service.start();
    const browser = await TestBrowser.launchBrowser();
    const ada = await browser.openProfile(service.url);
    await ada.page.goto('/console/sign-up');
    await ada.page.getByLabel('Username').fill('ada');
    await ada.page.getByRole('button', { name: 'Continue' }).click();
    await ada.page.getByLabel('Recovery key').waitFor();
    await ada.page.emulateMedia({ media: 'print' });
    await ada.takeScreenshot('recovery-key-on-paper');
    const visible = await ada.page.locator('main').innerText();
    expect(visible).toContain('Recovery key of ada at 127.0.0.1');
    expect(await ada.page.getByRole('button').filter({ visible: true }).count()).toBe(0);
    expect(visible).not.toContain('Save your recovery key');
    await browser.close();
    await service.stop();
  });
});
