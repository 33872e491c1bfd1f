import { ok } from '../support/device/foreign-device';
import { RecoveryDevice } from '../support/device/recovery-device';
import { eventually } from '../support/eventually';
import { Service } from '../support/service';
import { fromCrockford } from '../../src/wire';
import { TestBrowser, type Person } from './support/browser';

describe('signing in with a browser that is known', () => {
  let service: Service;
  let browser: TestBrowser;
  let ada: Person;
  let username: string;
  /** The device on paper, to look at the account from elsewhere. */
  let paper: RecoveryDevice;

  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launch();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    ada = await browser.person(service.url);
    username = `ada-${Math.random().toString(36).slice(2, 10)}`;
    paper = new RecoveryDevice(service.http, fromCrockford(await ada.signUp(username)));
    await paper.signIn();
  });
  afterEach(() => ada.context.close());

  // What is routed while a page goes away may not hold for the one that comes.
  const signOut = async () => {
    await ada.page.getByRole('button', { name: 'Sign out' }).click();
    await ada.page.waitForURL('**/console/sign-in');
  };
  const known = () => ada.page.getByRole('button', { name: `Continue as ${username}` });
  const revokeBrowser = async () => {
    const { data } = ok(await service.http.get('/v1/devices', paper.token), 200);
    const { id } = data.find((device: { platform: string }) => device.platform === 'browser');
    ok(await service.http.delete(`/v1/devices/${id}`, paper.token), 204);
  };

  it('takes one click, after signing out, a reload, and for good', async () => {
    for (let i = 0; i < 2; i++) {
      await signOut();
      await known().waitFor();
      await ada.page.reload();
      await known().click();
      await ada.page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
    }
    expect(ada.complaints).toEqual([]);
  });

  it('leads back to where the person was going', async () => {
    await signOut();
    await ada.page.goto('/console?from=mail');
    expect(ada.path()).toBe(`/console/sign-in?return=${encodeURIComponent('/console?from=mail')}`);
    await known().click();
    await ada.page.waitForURL('**/console?from=mail');
  });

  it('works for each of several accounts', async () => {
    await signOut();
    await ada.page.getByRole('link', { name: 'Create an account' }).click();
    await ada.page.waitForURL('**/console/sign-up');
    await ada.signUp(`${username}-2`);
    await signOut();
    await ada.page.getByRole('button', { name: `Continue as ${username}-2` }).waitFor();
    await ada.page.getByRole('button', { name: `Continue as ${username} This` }).click();
    await ada.page.getByRole('heading', { name: `Signed in as ${username}`, exact: true }).waitFor();
  });

  it('ends when the device is revoked elsewhere, says so, and keeps nothing once forgotten', async () => {
    await revokeBrowser();
    await eventually(async () => {
      await ada.page.goto('/console');
      expect(ada.path()).toBe('/console/sign-in');
    });
    await known().click();
    await ada.page.getByText('was revoked: it is no device').waitFor();
    ada.page.once('dialog', (dialog) => void dialog.accept());
    await ada.page.getByRole('button', { name: `Forget ${username}` }).click();
    await known().waitFor({ state: 'detached' });
    await ada.page.reload();
    await ada.page.getByRole('link', { name: 'Create an account' }).waitFor();
    expect(await known().count()).toBe(0);
  });

  it('refuses an account or enrollment that it has not pinned, and the session ends at once', async () => {
    await signOut();
    await ada.page.route('**/console/session', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      return route.fulfill({ response, json: { data: { ...data, enrollment: 'another' } } });
    });
    await known().click();
    await ada.page.getByText('another account or enrollment').waitFor();
    await ada.page.goto('/console');
    expect(ada.path()).toBe('/console/sign-in');
  });

  it('begins no session with an enrollment that it has not pinned', async () => {
    await signOut();
    await ada.page.route('**/v1/auth/sign-in', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      return route.fulfill({ response, json: { data: { ...data, enrollment: 'another' } } });
    });
    await known().click();
    await ada.page.getByText('another account or enrollment').waitFor();
    expect(await ada.context.cookies()).toEqual([]);
  });

  it('signs nothing for a service that calls itself by another name', async () => {
    await signOut();
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
    const bob = await browser.person(service.url);
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
    browser = await TestBrowser.launch(`--host-resolver-rules=MAP console.test 127.0.0.1`);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const pages = ['sign-in', 'sign-up', 'link', 'recover'];

  it.each(pages)('is told at %s that it needs https', async (page) => {
    const person = await browser.person(`http://console.test:${new URL(service.url).port}`);
    await person.page.goto(`/console/${page}`);
    await person.page.getByText('over https and on localhost only').waitFor();
    expect(await person.page.locator('main form, main section section').filter({ visible: true }).count()).toBe(0);
    await person.context.close();
  });

  it.each(pages)('is told at %s what it lacks', async (page) => {
    const person = await browser.person(service.url);
    await person.context.addInitScript(`
      const generate = SubtleCrypto.prototype.generateKey;
      SubtleCrypto.prototype.generateKey = function (algorithm, ...rest) {
        if (algorithm === 'X25519') return Promise.reject(new DOMException('', 'NotSupportedError'));
        return generate.call(this, algorithm, ...rest);
      };`);
    await person.page.goto(`/console/${page}`);
    await person.page.getByText('lacks Ed25519 or X25519').waitFor();
    await person.context.close();
  });
});
