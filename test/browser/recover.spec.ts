import { MemoryKeyStore, recoverAccount, signUp } from '@external-api/device';
import { expectStatus } from '../support/device/foreign-device';
import { Service } from '../support/service';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage } from './support/visual-checks';

describe('recovering an account in a browser', () => {
  let service: Service;
  let browser: TestBrowser;
  let browserUser: BrowserUser;

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
    browserUser = await browser.openProfile(service.url);
  });
  afterEach(() => browserUser.context.close());

  const recoverWith = async (key: string) => {
    await browserUser.page.goto('/console/sign-in');
    await browserUser.page.getByRole('link', { name: 'Use my recovery key' }).click();
    await browserUser.page.getByLabel('Recovery key').fill(key);
    await browserUser.page.getByRole('button', { name: 'Recover account' }).click();
  };

  it('takes the key of another browser that is lost, even the last one', async () => {
    const lost = await browser.openProfile(service.url);
    const key = await lost.signUp('ada');
    await lost.context.close();
    await recoverWith(key.toLowerCase().replaceAll('-', ' '));
    await browserUser.page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
    expect(browserUser.pageErrors).toEqual([]);
    // It is as good as before: another device gets in by it, with the same content key.
    const laptop = await recoverAccount({ url: service.url, store: new MemoryKeyStore(), recoveryKey: key });
    expect((await laptop.listDevices()).map(({ platform }) => platform).sort()).toEqual([
      'browser',
      'browser',
      'linux',
      'paper',
    ]);
  });

  it.each(['**/approve', '**/console/session'])(
    'that loses an answer from %s ends well when tried again, as one device',
    async (url) => {
      const username = `ada-${Math.random().toString(36).slice(2, 10)}`;
      const laptop = await signUp({ url: service.url, store: new MemoryKeyStore(), username });
      const key = await laptop.addRecoveryKey();
      let seen = 0;
      await browserUser.page.route(url, async (route) => {
        if (seen++ > 0) return route.continue();
        await route.fetch();
        await route.abort();
      });
      await recoverWith(key);
      await browserUser.page.getByText('The service cannot be reached').waitFor();
      await browserUser.page.getByRole('button', { name: 'Recover account' }).click();
      await browserUser.page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
      expect((await laptop.listDevices()).map(({ platform }) => platform).sort()).toEqual([
        'browser',
        'linux',
        'paper',
      ]);
    },
  );

  it('takes the key that another kind of device made', async () => {
    const laptop = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'grace' });
    await recoverWith(await laptop.addRecoveryKey());
    await browserUser.page.getByRole('heading', { name: 'Signed in as grace' }).waitFor();
  });

  it.each([
    ['of no account', '0'.repeat(52), 'No account has this recovery key.'],
    ['that is too short', 'ABCD-EFGH', 'A recovery key has 52 letters and digits'],
    ['with a stray character', `U${'0'.repeat(51)}`, 'can’t contain “U”'],
  ])('refuses a key %s in words, and keeps what was typed', async (_, key, words) => {
    await recoverWith(key);
    await browserUser.page.getByText(words).waitFor();
    expect(await browserUser.page.getByLabel('Recovery key').inputValue()).toBe(key);
  });

  it('refuses a key that was revoked', async () => {
    const store = new MemoryKeyStore();
    const laptop = await signUp({ url: service.url, store, username: 'linus' });
    const key = await laptop.addRecoveryKey();
    const paper = (await laptop.listDevices()).find(({ platform }) => platform === 'paper')!;
    expectStatus(await service.http.delete(`/v1/devices/${paper.id}`, await laptop.getToken()), 204);
    await recoverWith(key);
    await browserUser.page.getByText('This recovery key has been revoked.').waitFor();
  });

  describe('with a key that a signed-in browser creates', () => {
    const readShownKey = async ({ page }: BrowserUser) =>
      (await page.locator('#recovery-key span').allTextContents()).join('-');
    const createKey = async ({ page }: BrowserUser): Promise<string> => {
      await page.goto('/console/devices');
      await page.getByRole('link', { name: 'Create a recovery key' }).click();
      await page.getByLabel('Last four characters of the key').waitFor();
      return readShownKey(browserUser);
    };
    const confirm = async ({ page }: BrowserUser, lastGroup: string) => {
      await page.getByLabel('Last four characters of the key').fill(lastGroup);
      await page.getByRole('button', { name: 'Create recovery key' }).click();
    };
    const recover = (recoveryKey: string) =>
      recoverAccount({ url: service.url, store: new MemoryKeyStore(), recoveryKey });

    it('works after it is confirmed, and replaces the earlier key that the user revokes', async () => {
      const { page } = browserUser;
      const earlier = await browserUser.signUp('margaret');
      const key = await createKey(browserUser);
      await expectAccessiblePage(browserUser, 'new-recovery-key');
      await confirm(browserUser, 'ZZZZ');
      await page.getByText('These aren’t the last four characters of the key').waitFor();
      await expect(recover(key)).rejects.toThrow();
      expect(await readShownKey(browserUser)).toBe(key);

      await page.getByLabel('Revoke Recovery key, created').check();
      const submitted = page.waitForRequest((request) => request.method() === 'POST' && request.isNavigationRequest());
      await confirm(browserUser, key.slice(-4).toLowerCase());
      // No part of the key leaves the browser.
      expect((await submitted).postData()!.toUpperCase()).not.toContain(key.slice(-4));
      const keys = page.getByRole('table', { name: 'Recovery keys' });
      await keys.getByText('revoked').waitFor();
      expect(await keys.getByRole('row').count()).toBe(3);
      expect(browserUser.pageErrors).toEqual([]);
      expect((await (await recover(key)).getAccount()).username).toBe('margaret');
      await expect(recover(earlier)).rejects.toThrow();
    });

    it('leaves the earlier key valid unless the user revokes it', async () => {
      const earlier = await browserUser.signUp('dorothy');
      const key = await createKey(browserUser);
      await confirm(browserUser, key.slice(-4));
      await browserUser.page.getByRole('heading', { name: 'Recovery keys' }).waitFor();
      for (const each of [earlier, key]) await recover(each);
    });

    it('is not created by a browser that has lost its keys', async () => {
      await browserUser.signUp('katherine');
      await browserUser.page.evaluate(() => indexedDB.deleteDatabase('external-api-console'));
      const key = await createKey(browserUser);
      await confirm(browserUser, key.slice(-4));
      await browserUser.page.getByText('This browser no longer has its keys.').waitFor();
    });
  });
});
