import { readFile } from 'node:fs/promises';
import { MemoryKeyStore, recoverAccount } from '@external-api/device';
import { InvitationsService } from '../../src/modules/accounts';
import { ForeignAccountDevice } from '../support/device/foreign-device';
import { Service } from '../support/service';
import { TestBrowser, type BrowserUser } from './support/test-browser';

describe('signing up in a browser', () => {
  let service: Service;
  let browser: TestBrowser;
  let ada: BrowserUser;

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
  });
  afterEach(() => ada.context.close());

  const name = () => `ada-${Math.random().toString(36).slice(2, 10)}`;

  it('makes an account, signed in, with this browser as its device', async () => {
    const username = name();
    await ada.signUp(username);
    expect(ada.currentPath()).toBe('/console');
    await ada.page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
    expect(ada.pageErrors).toEqual([]);
  });

  it('keeps keys that no script can read out, and no content key in the clear', async () => {
    await ada.signUp(name());
    const kept = await ada.page.evaluate(`(async () => {
      const open = indexedDB.open('external-api-console');
      await new Promise((done) => (open.onsuccess = done));
      const request = open.result.transaction('devices').objectStore('devices').getAll();
      await new Promise((done) => (request.onsuccess = done));
      const [device] = request.result;
      const { signing, encryption } = device.keys;
      return { names: Object.keys(device).sort(), sealed: device.sealedContentKey,
        extractable: [signing, encryption].map(({ privateKey }) => privateKey.extractable) };
    })()`);
    expect(kept).toEqual({
      names: ['accountId', 'contentPublicKey', 'enrollment', 'keys', 'sealedContentKey', 'username'],
      sealed: expect.stringMatching(/^[\w-]+(\.[\w-]+){4}$/),
      extractable: [false, false],
    });
    expect(await ada.page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe(
      '{}',
    );
  });

  it('shows a recovery key by which another device of any kind gets into the account', async () => {
    const username = name();
    const recoveryKey = await ada.signUp(username);
    const url = { url: service.url };
    const laptop = await recoverAccount({ ...url, store: new MemoryKeyStore(), recoveryKey, name: 'laptop' });
    expect((await laptop.getAccount()).username).toBe(username);
    const devices = await laptop.listDevices();
    expect(devices.map((device) => device.platform).sort()).toEqual(['browser', 'linux', 'paper']);
  });

  it('makes no account until the recovery key is confirmed', async () => {
    const username = name();
    await ada.page.goto('/console/sign-up');
    await ada.page.getByLabel('Username').fill(username);
    await ada.page.getByRole('button', { name: 'Continue' }).click();
    await ada.page.getByLabel('Last four characters of the key').fill('0000');
    await ada.page.getByRole('button', { name: 'Create account' }).click();
    await ada.page.getByText('the last four characters of the key').waitFor();
    await ada.page.reload();
    await ada.signUp(username);
  });

  it('says that a name is taken before it shows the recovery key', async () => {
    const taken = name();
    await ForeignAccountDevice.signUp(service.http, taken);
    await ada.page.goto('/console/sign-up');
    await ada.page.getByLabel('Username').fill(taken);
    await ada.page.getByRole('button', { name: 'Continue' }).click();
    await ada.page.getByText(`The username "${taken}" is taken.`).waitFor();
    expect(await ada.page.getByRole('heading', { name: 'Save your recovery key' }).isVisible()).toBe(false);
    expect(await ada.page.getByLabel('Username').inputValue()).toBe(taken);
  });

  it('keeps what was typed, and the recovery key, when the name is taken meanwhile', async () => {
    const taken = name();
    await ada.page.goto('/console/sign-up');
    const shown = await fill(taken);
    await ForeignAccountDevice.signUp(service.http, taken);
    await create();
    await ada.page.getByText(`The username "${taken}" is taken.`).waitFor();
    expect(await ada.page.getByLabel('Username').inputValue()).toBe(taken);
    expect(await fill(name())).toBe(shown);
    await create();
    await ada.accountMenu.waitFor();
  });

  const fill = async (username: string) => {
    await ada.page.getByLabel('Username').fill(username);
    await ada.page.getByRole('button', { name: 'Continue' }).click();
    return shownKey();
  };
  const shownKey = async () => {
    await ada.page.getByRole('heading', { name: 'Save your recovery key' }).waitFor();
    const groups = await ada.page.locator('#recovery-key span').allTextContents();
    await ada.page.getByLabel('Last four characters of the key').fill(groups.at(-1)!);
    return groups.join('-');
  };
  const create = () => ada.page.getByRole('button', { name: 'Create account' }).click();

  it('gives out the recovery key as a file and on the clipboard', async () => {
    await ada.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const username = name();
    await ada.page.goto('/console/sign-up');
    const key = await fill(username);
    const [download] = await Promise.all([
      ada.page.waitForEvent('download'),
      ada.page.getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`recovery-key-${username}.txt`);
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toContain(`Recovery key of ${username} at ${service.url}\n\n${key}\n`);
    await ada.page.getByRole('button', { name: 'Copy' }).click();
    await ada.page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await ada.page.evaluate('navigator.clipboard.readText()')).toBe(key);
  });

  /** The service does it, and the page never learns. */
  const loseAnswer = async (url: string, nth = 1) => {
    let seen = 0;
    await ada.page.route(url, async (route) => {
      if (++seen !== nth) return route.continue();
      await route.fetch();
      await route.abort();
    });
  };
  const unreachable = () => ada.page.getByText('The service cannot be reached').waitFor();
  const signedInAs = (username: string) =>
    ada.page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
  const expectKeyOf = async (username: string, recoveryKey: string) => {
    const laptop = await recoverAccount({ url: service.url, store: new MemoryKeyStore(), recoveryKey });
    expect((await laptop.getAccount()).username).toBe(username);
  };

  const REQUESTS: [string, string, number][] = [
    ['the first challenge', '**/v1/auth/challenge', 1],
    ['the account', '**/v1/accounts', 1],
    ['the recovery key’s challenge', '**/v1/auth/challenge', 2],
    ['the recovery key’s pairing', '**/v1/pairings', 1],
    ['the recovery key’s approval', '**/approve', 1],
    ['the sign-in', '**/v1/auth/sign-in', 1],
    ['the session', '**/console/session', 1],
  ];

  it.each(REQUESTS)(
    'that loses the answer to %s ends well when tried again: the key confirmed last opens the account',
    async (_, url, nth) => {
      await loseAnswer(url, nth);
      const username = name();
      await ada.page.goto('/console/sign-up');
      const key = await fill(username);
      await create();
      await unreachable();
      await create();
      await signedInAs(username);
      await expectKeyOf(username, key);
    },
  );

  it.each(REQUESTS.slice(1))('that loses the answer to %s is found again on the same page', async (_, url, nth) => {
    await loseAnswer(url, nth);
    const username = name();
    await ada.page.goto('/console/sign-up');
    const key = await fill(username);
    await create();
    await unreachable();
    await ada.page.reload();
    await ada.page.getByRole('heading', { name: `The account ${username} has been created` }).waitFor();
    await ada.page.getByRole('button', { name: 'Sign in' }).click();
    await signedInAs(username);
    await expectKeyOf(username, key);
  });

  it.each(['**/v1/accounts', '**/approve', '**/console/session'])(
    'that loses an answer from %s may be followed by another: each account has a key that opens it',
    async (url) => {
      await loseAnswer(url);
      const [first, second] = [name(), name()];
      await ada.page.goto('/console/sign-up');
      const firstKey = await fill(first);
      await create();
      await unreachable();
      await ada.page.getByRole('button', { name: 'Back' }).click();
      let secondKey = await fill(second);
      await create();
      const another = ada.page.getByText('Save this new one instead');
      await another.or(ada.accountMenu).waitFor();
      if (await another.isVisible()) {
        expect(await shownKey()).not.toBe(firstKey);
        secondKey = await shownKey();
        await create();
      }
      await signedInAs(second);
      await expectKeyOf(second, secondKey);
      await ada.signOut();
      if (url === '**/v1/accounts') {
        // Its key went to the second account, so the first asks for another.
        await ada.page.goto('/console/sign-up');
        await fill(first);
        await create();
      } else {
        await ada.page.getByRole('button', { name: `Continue as ${first}` }).click();
        await expectKeyOf(first, firstKey);
      }
      await signedInAs(first);
    },
  );

  it('that was cut off by a reload is found again', async () => {
    const username = name();
    await ada.page.route('**/v1/accounts', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await ada.page.goto('/console/sign-up');
    await ada.page.getByLabel('Username').fill(username);
    await ada.page.getByRole('button', { name: 'Continue' }).click();
    await ada.page.getByRole('heading', { name: 'Save your recovery key' }).waitFor();
    const groups = await ada.page.locator('#recovery-key span').allTextContents();
    await ada.page.getByLabel('Last four characters of the key').fill(groups.at(-1)!);
    await ada.page.getByRole('button', { name: 'Create account' }).click();
    await ada.page.getByText('The service cannot be reached').waitFor();
    await ada.page.goto('/console/sign-in');
    await ada.page.getByRole('button', { name: `Continue as ${username}` }).click();
    await ada.page.getByRole('heading', { name: `Signed in as ${username}` }).waitFor();
    const recoveryKey = groups.join('-');
    await recoverAccount({ url: service.url, store: new MemoryKeyStore(), recoveryKey });
  });

  it('that lost the answer ends well where the invitation is spent by then', async () => {
    const closed = await Service.start({ SIGNUP: 'closed' });
    try {
      const { code } = await closed.app.get(InvitationsService, { strict: false }).createInvitation();
      await ada.page.goto(`${closed.url}/console/sign-up`);
      await loseAnswer('**/v1/accounts');
      await ada.page.getByLabel('Invitation').fill(code);
      const username = name();
      await fill(username);
      await create();
      await unreachable();
      await create();
      await signedInAs(username);
    } finally {
      await closed.stop();
    }
  });

  it('asks for the invitation where sign-up is closed', async () => {
    const closed = await Service.start({ SIGNUP: 'closed' });
    try {
      await ada.page.goto(`${closed.url}/console/sign-up`);
      await ada.page.getByLabel('Username').fill(name());
      await ada.page.getByLabel('Invitation').fill('a bad one');
      await ada.page.getByRole('button', { name: 'Continue' }).click();
      await ada.page.getByText('Sign-up is by invitation only').last().waitFor();
      await ada.page.getByText('missing, used or expired').waitFor();
    } finally {
      await closed.stop();
    }
  });
});
