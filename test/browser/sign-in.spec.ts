import { decodeCrockford } from '@external-api/protocol';
import { expectStatus } from '../support/device/foreign-device';
import { RecoveryDevice } from '../support/device/recovery-device';
import { waitFor } from '../support/wait-for';
import { Service } from '../support/service';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage } from './support/visual-checks';

describe('signing in with a browser that is known', () => {
  let service: Service;
  let browser: TestBrowser;
  let ada: BrowserUser;
  let username: string;
  /** The device on paper, to look at the account from elsewhere. */
  let paper: RecoveryDevice;
  let paperKey: string;

  beforeAll(async () => {
    // Each sign-up asks for several challenges.
    service = await Service.start({ RATE_LIMIT_ADDRESS: '1000' });
    browser = await TestBrowser.launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    ada = await browser.openProfile(service.url);
    username = `ada-${Math.random().toString(36).slice(2, 10)}`;
    paperKey = await ada.signUp(username);
    paper = new RecoveryDevice(service.http, decodeCrockford(paperKey));
    await paper.signIn();
  });
  afterEach(() => ada.context.close());

  const known = () => ada.page.getByRole('button', { name: `Continue as ${username}` });
  const revokeBrowser = async () => {
    const { data } = expectStatus(await service.http.get('/v1/devices', paper.token), 200);
    const { id } = data.find((device: { platform: string }) => device.platform === 'browser');
    expectStatus(await service.http.delete(`/v1/devices/${id}`, paper.token), 204);
  };

  it('takes one click, after signing out, a reload, and for good', async () => {
    for (let i = 0; i < 2; i++) {
      await ada.signOut();
      await known().waitFor();
      await ada.page.reload();
      await known().click();
      await ada.page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
    }
    expect(ada.pageErrors).toEqual([]);
  });

  it('leads back to where the person was going', async () => {
    await ada.signOut();
    await ada.page.goto('/console?from=mail');
    expect(ada.currentPath()).toBe(`/console/sign-in?return=${encodeURIComponent('/console?from=mail')}`);
    await known().click();
    await ada.page.waitForURL('**/console?from=mail');
  });

  it('works for each of several accounts', async () => {
    await ada.signOut();
    await ada.page.getByRole('link', { name: 'Create an account' }).click();
    await ada.page.waitForURL('**/console/sign-up');
    await ada.signUp(`${username}-2`);
    await ada.signOut();
    await ada.page.getByRole('button', { name: `Continue as ${username}-2` }).waitFor();
    await ada.page.getByRole('button', { name: `Continue as ${username} This` }).click();
    await ada.page.getByRole('heading', { name: `Signed in as ${username}`, exact: true }).waitFor();
  });

  const expectForgotten = async () => {
    await known().waitFor({ state: 'detached' });
    await ada.page.goto('/console/sign-in');
    await ada.page.getByRole('link', { name: 'Create an account' }).waitFor();
    expect(await known().count()).toBe(0);
  };

  it('ends when the device is revoked elsewhere, says so, and forgets it', async () => {
    await revokeBrowser();
    await waitFor(async () => {
      await ada.page.goto('/console');
      expect(ada.currentPath()).toBe('/console/sign-in');
    });
    await known().click();
    await ada.page.getByText('is a revoked device of').waitFor();
    await expectForgotten();
  });

  it('ends at once when the browser revokes itself, but not for what it becomes later', async () => {
    await ada.page.goto('/console/devices');
    const row = ada.page.getByRole('row').filter({ hasText: 'this browser' });
    await row.getByText('Revoke …').click();
    await row.getByRole('button', { name: 'Revoke' }).click();
    await ada.page.getByText('This browser was revoked.').waitFor();
    await expectAccessiblePage(ada, 'sign-in-revoked');
    const { pathname, search } = new URL(ada.page.url());
    await expectForgotten();
    // What the page still asked for when its browser was revoked is refused.
    expect(ada.pageErrors.filter((error) => !/status of 401/.test(error))).toEqual([]);
    await ada.page.goto('/console/recover');
    await ada.page.getByLabel('Recovery key').fill(paperKey);
    await ada.page.getByRole('button', { name: 'Recover account' }).click();
    await ada.page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
    await ada.page.goto(pathname + search);
    await known().click();
    await ada.page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
  });

  it('keeps nothing once forgotten', async () => {
    await ada.signOut();
    ada.page.once('dialog', (dialog) => void dialog.accept());
    await ada.page.getByRole('button', { name: `Forget ${username}` }).click();
    await expectForgotten();
  });

  it('keeps the keys of an account that was deleted elsewhere, until the person forgets it', async () => {
    await ada.signOut();
    expectStatus(await service.http.delete('/v1/account', paper.token), 204);
    await known().click();
    await ada.page.getByText(`This browser is not a device of ${username}’s account.`).waitFor();
    await ada.page.reload();
    await known().waitFor();
    ada.page.once('dialog', (dialog) => void dialog.accept());
    await ada.page.getByRole('button', { name: `Forget ${username}` }).click();
    await expectForgotten();
  });

  it('refuses an account or enrollment that it has not pinned, and the session ends at once', async () => {
    await ada.signOut();
    await ada.page.route('**/console/session', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      return route.fulfill({ response, json: { data: { ...data, enrollment: 'another' } } });
    });
    await known().click();
    await ada.page.getByText('different account or enrollment').waitFor();
    await ada.page.goto('/console');
    expect(ada.currentPath()).toBe('/console/sign-in');
  });

  it('begins no session with an enrollment that it has not pinned', async () => {
    await ada.signOut();
    await ada.page.route('**/v1/auth/sign-in', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      return route.fulfill({ response, json: { data: { ...data, enrollment: 'another' } } });
    });
    await known().click();
    await ada.page.getByText('different account or enrollment').waitFor();
    expect(await ada.context.cookies()).toEqual([]);
  });

  it('signs nothing for a service that calls itself by another name', async () => {
    await ada.signOut();
    await ada.page.route('**/v1/auth/challenge', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: { message: string } };
      const message = data.message.replace(service.url, 'https://other.example');
      return route.fulfill({ response, json: { data: { ...data, message } } });
    });
    let signed = 0;
    await ada.page.route('**/console/session', (route) => {
      signed++;
      return route.continue();
    });
    await known().click();
    await ada.page.getByText('nothing was signed').waitFor();
    expect(signed).toBe(0);
  });

  it('is another person’s matter: a browser knows only what is its own', async () => {
    const bob = await browser.openProfile(service.url);
    await bob.page.goto('/console/sign-in');
    await bob.page.getByRole('link', { name: 'Create an account' }).waitFor();
    expect(await bob.page.getByText('Continue as').filter({ visible: true }).count()).toBe(0);
    await bob.context.close();
  });
});

describe('a browser that cannot be a device', () => {
  let service: Service;
  let browser: TestBrowser;

  beforeAll(async () => {
    service = await Service.start({ PUBLIC_URL: 'http://console.test' });
    browser = await TestBrowser.launchBrowser(`--host-resolver-rules=MAP console.test 127.0.0.1`);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const pages = ['sign-in', 'sign-up', 'link', 'recover'];

  it.each(pages)('shows at %s that the page needs https', async (page) => {
    const browserUser = await browser.openProfile(`http://console.test:${new URL(service.url).port}`);
    await browserUser.page.goto(`/console/${page}`);
    await browserUser.page.getByText('over https or on localhost').waitFor();
    expect(await browserUser.page.locator('main form, main section section').filter({ visible: true }).count()).toBe(0);
    await browserUser.context.close();
  });

  it.each(pages)('shows at %s what the browser does not support', async (page) => {
    const browserUser = await browser.openProfile(service.url);
    await browserUser.context.addInitScript(`
      const generate = SubtleCrypto.prototype.generateKey;
      SubtleCrypto.prototype.generateKey = function (algorithm, ...rest) {
        if (algorithm === 'X25519') return Promise.reject(new DOMException('', 'NotSupportedError'));
        return generate.call(this, algorithm, ...rest);
      };`);
    await browserUser.page.goto(`/console/${page}`);
    await browserUser.page.getByText('does not support Ed25519 or X25519').waitFor();
    await browserUser.context.close();
  });
});
