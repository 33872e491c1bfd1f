import type { Route } from 'playwright-core';
import { MemoryKeyStore, signUp } from '@external-api/device';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../support/device/foreign-device';
import { computeForeignFingerprint } from '../support/device/fingerprint';
import { sealToRecipient } from '../support/device/jwe-encryption';
import { itTogether } from '../support/it-together';
import { Service } from '../support/service';
import { TestBrowser, type BrowserUser } from './support/test-browser';

const MINUTE = 60_000;

describe('linking a browser to an account', () => {
  let service: Service;
  let browser: TestBrowser;
  let ada: ForeignAccountDevice;
  let phone: BrowserUser;

  beforeAll(async () => {
    // Each sign-up asks for several challenges.
    service = await Service.start({ RATE_LIMIT_ADDRESS: '1000' });
    browser = await TestBrowser.launchBrowser();
    ada = await ForeignAccountDevice.signUp(service.http, 'ada');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  const openPhone = async () => {
    const opened = await browser.openProfile(service.url);
    await opened.page.goto('/console/link');
    await opened.page.getByLabel('Name of this browser').fill('my phone');
    await opened.page.getByRole('button', { name: 'Show code' }).click();
    await opened.page.getByLabel('Pairing code').waitFor();
    return opened;
  };
  const closePhone = async (opened: BrowserUser) => {
    // The page asks again by itself, and closing would fail a request that is fetched just now.
    await opened.page.unrouteAll({ behavior: 'wait' });
    await opened.context.close();
  };
  const code = (on = phone) => on.page.getByLabel('Pairing code').textContent();
  const asked = async (by: ForeignAccountDevice, on = phone) =>
    expectStatus(await service.http.get(`/v1/pairings/code/${await code(on)}`, by.token), 200).data;

  /**
   * What an approving device does (docs/protocol/device-api.md#enrollment), with whatever a test would have otherwise.
   */
  const approve = async (by: ForeignAccountDevice, extra: object = {}, on = phone) => {
    const { publicKey, encryptionKey } = await asked(by, on);
    const device = { keys: { publicKey, encryptionKey } } as ForeignDevice;
    const jwk = by.contentKey.privateKey.export({ format: 'jwk' });
    const sealedContentKey = sealToRecipient(encryptionKey, JSON.stringify(jwk));
    const enrollment = by.createEnrollment(device, { sealedContentKey, ...extra });
    const path = `/v1/pairings/code/${await code(on)}/approve`;
    expectStatus(await service.http.post(path, by.token, { enrollment }), 204);
  };
  const accept = (on = phone) => on.page.getByRole('button', { name: 'Yes, sign in' }).click();

  describe('one step after the other', () => {
    beforeEach(async () => {
      phone = await openPhone();
    });
    afterEach(() => closePhone(phone));

    it('keeps the keyboard focus on its card when a step gives way to another', async () => {
      const readFocus = () => phone.page.evaluate(() => document.activeElement?.id);
      expect(await readFocus()).toBe('card');
      await phone.page.getByRole('button', { name: 'Cancel' }).press('Enter');
      await phone.page.getByRole('button', { name: 'Show code' }).waitFor();
      expect(await readFocus()).toBe('card');
    });

    it('shows the other device what it is, and both screens the same fingerprint', async () => {
      const request = await asked(ada);
      expect(request).toMatchObject({ kind: 'account', name: 'my phone', platform: 'browser' });
      const shown = await phone.page.getByLabel('Fingerprint').first().textContent();
      expect(shown).toBe(computeForeignFingerprint(request.publicKey, request.encryptionKey));
      expect(shown).toBe(request.fingerprint);
      expect(await phone.page.getByRole('img', { name: `QR code of ${await code()}` }).isVisible()).toBe(true);
      expect(await phone.page.locator('#command').textContent()).toBe(`npm run device -- approve ${await code()}`);
      await phone.takeScreenshot('link');
    });

    it('signs it in once its person has seen whose account it is', async () => {
      await approve(ada);
      await phone.page.getByRole('heading', { name: 'Approved by ada' }).waitFor();
      await phone.takeScreenshot('link-approved');
      expect((await phone.context.cookies()).length).toBe(0);
      await accept();
      await phone.page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
      await phone.signOut();
      await phone.page.getByRole('button', { name: 'Continue as ada' }).click();
      await phone.page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
      expect(phone.pageErrors).toEqual([]);
    });

    it('is approved by the reference device as well', async () => {
      const laptop = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'grace' });
      const typed = (await code())!;
      await laptop.approvePairing(typed, await laptop.getPairingRequest(typed));
      await phone.page.getByRole('heading', { name: 'Approved by grace' }).waitFor();
      await accept();
      await phone.page.getByRole('heading', { name: 'Signed in as grace' }).waitFor();
    });

    it('shows that somebody else has approved it, and then keeps nothing', async () => {
      const mallory = await ForeignAccountDevice.signUp(service.http);
      await approve(mallory);
      await phone.page.getByRole('heading', { name: `Approved by ${mallory.username}` }).waitFor();
      await phone.page.getByRole('button', { name: 'No, this isn’t my account' }).click();
      await phone.page.getByRole('button', { name: 'Show code' }).waitFor();
      await phone.page.goto('/console/sign-in');
      await phone.page.getByRole('link', { name: 'Create an account' }).waitFor();
      expect(await phone.page.getByText('Continue as').filter({ visible: true }).count()).toBe(0);
      expect((await phone.context.cookies()).length).toBe(0);
    });

    it('goes on after a reload', async () => {
      const before = await code();
      await phone.page.reload();
      await phone.page.getByLabel('Pairing code').waitFor();
      expect(await code()).toBe(before);
      await approve(ada);
      await phone.page.getByRole('heading', { name: 'Approved by ada' }).waitFor();
      await accept();
      await phone.page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
    });

    it('says when it was turned away, and begins anew', async () => {
      const before = await code();
      expectStatus(await service.http.post(`/v1/pairings/code/${before}/deny`, ada.token, undefined), 204);
      await phone.page.getByText('denied the request').waitFor();
      await phone.page.getByRole('button', { name: 'Show code' }).click();
      await phone.page.getByLabel('Pairing code').waitFor();
      expect(await code()).not.toBe(before);
    });

    it('says when the code has expired, and begins anew', async () => {
      service.advanceClock(10 * MINUTE);
      try {
        await phone.page.getByText('The code has expired. Request a new one.').waitFor();
        await phone.page.getByRole('button', { name: 'Show code' }).waitFor();
      } finally {
        service.advanceClock(-10 * MINUTE);
      }
    });

    it('forgets a code that was cancelled', async () => {
      await phone.page.getByRole('button', { name: 'Cancel' }).click();
      await phone.page.getByRole('button', { name: 'Show code' }).waitFor();
      await phone.page.reload();
      await phone.page.getByRole('button', { name: 'Show code' }).waitFor();
    });

    it('bears a service that cannot be reached for a while', async () => {
      await phone.context.setOffline(true);
      await phone.page.waitForTimeout(2_500);
      await phone.context.setOffline(false);
      await approve(ada);
      await phone.page.getByRole('heading', { name: 'Approved by ada' }).waitFor();
    });

    it('signs in to the account that was agreed to alone', async () => {
      await phone.page.route('**/v1/pairings/*', async (route) => {
        const response = await route.fetch();
        const { data } = (await response.json()) as { data: object };
        return route.fulfill({ response, json: { data: { ...data, accountUsername: 'grace' } } });
      });
      await approve(ada);
      await phone.page.getByRole('heading', { name: 'Approved by grace' }).waitFor();
      await accept();
      await phone.page.getByText('different account than the one you confirmed').waitFor();
      await phone.page.getByRole('button', { name: 'Show code' }).waitFor();
      expect(await phone.context.cookies()).toEqual([]);
    });
  });

  const FAULTS: [string, (route: Route) => Promise<void>][] = [
    ['breaks off', (route: Route) => route.abort()],
    ['is no JSON', (route: Route) => route.fulfill({ status: 200, body: '<html>' })],
    ['is a page of a gateway with 404', (route: Route) => route.fulfill({ status: 404, body: '<html>' })],
    ['asks for the password of a proxy', (route: Route) => route.fulfill({ status: 407 })],
    ['is 204 of a portal', (route: Route) => route.fulfill({ status: 204 })],
    [
      'is JSON of a portal',
      (route: Route) => route.fulfill({ json: { data: { state: 'expired', accountUsername: null } } }),
    ],
    [
      'is a problem of a gateway',
      (route: Route) =>
        route.fulfill({
          status: 404,
          headers: { 'x-request-id': 'req_gateway' },
          contentType: 'application/problem+json',
          body: JSON.stringify({ code: 'not_found', detail: 'No.', requestId: 'req_other' }),
        }),
    ],
  ];
  itTogether(FAULTS, 'goes on asking when an answer %s', async (_, fail) => {
    const own = await openPhone();
    let failed = 0;
    await own.page.route('**/v1/pairings/*', (route) => (failed++ < 2 ? fail(route) : route.continue()));
    await approve(ada, {}, own);
    await own.page.getByRole('heading', { name: 'Approved by ada' }).waitFor();
    expect(failed).toBeGreaterThan(1);
    await closePhone(own);
  });

  const UNPROVEN: [string, { sealedContentKey: string | undefined }][] = [
    ['without the content key', { sealedContentKey: undefined }],
    ['with another content key in it', { sealedContentKey: 'swapped' }],
  ];
  itTogether(UNPROVEN, 'refuses an approval %s, and is not signed in', async (_, extra) => {
    const own = await openPhone();
    if (extra.sealedContentKey) {
      const { encryptionKey } = await asked(ada, own);
      const jwk = new ForeignAccountDevice(service.http).contentKey.privateKey.export({ format: 'jwk' });
      extra.sealedContentKey = sealToRecipient(encryptionKey, JSON.stringify(jwk));
    }
    await approve(ada, extra, own);
    await own.page.getByRole('heading', { name: 'Approved by ada' }).waitFor();
    await accept(own);
    await own.page.getByText('did not prove').waitFor();
    expect((await own.context.cookies()).length).toBe(0);
    await closePhone(own);
  });
});
