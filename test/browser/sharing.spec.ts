import { ForeignAccountDevice } from '../support/device/foreign-device';
import { encodeForm, OAUTH_PATH, ThirdPartyApp } from '../support/oauth/third-party-app';
import { ContentFixture } from './support/content-fixture';
import { RedirectListener } from './support/redirect-listener';
import { refuseCalls, refuseRequest } from './support/refuse-request';
import { expectAccessiblePage } from './support/visual-checks';

describe('sharing sessions', () => {
  let fixture: ContentFixture;
  let listener: RedirectListener;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    listener = await RedirectListener.start();
  });
  afterAll(async () => {
    listener?.stop();
    await fixture?.stop();
  });

  const isGranted = async (bearer: string): Promise<boolean> => {
    const path = `/external/v1/sessions/${fixture.machine.sessionId}`;
    return (await fixture.service.http.get(path, bearer)).body.data.contentGranted;
  };
  const shareBuildBox = async (): Promise<void> => {
    const { page } = fixture.ada;
    await page.getByLabel('Search').fill('BOX');
    await page.getByRole('checkbox', { name: 'build box' }).check();
    await page.getByRole('button', { name: 'Share 1 session' }).click();
    await page.getByText('Shared 1 of 1 session.').waitFor();
    await page.getByText(/· shared/).waitFor();
  };

  it('with a token, chosen by their decrypted titles, lets it read them and no other token', async () => {
    const token = await fixture.createToken('Reader', ['sessions:content']);
    const other = await fixture.createToken('Other', ['sessions:content']);
    expect(await isGranted(token.secret)).toBe(false);
    await fixture.ada.page.goto(`/console/tokens/${token.id}`);
    await shareBuildBox();
    expect([await isGranted(token.secret), await isGranted(other.secret)]).toEqual([true, false]);
    expect(fixture.ada.pageErrors).toEqual([]);
  });

  it('is not offered for a token that can read no content', async () => {
    const token = await fixture.createToken('Metadata', []);
    await fixture.ada.page.goto(`/console/tokens/${token.id}`);
    await fixture.ada.page.getByRole('heading', { name: 'Metadata' }).waitFor();
    expect(await fixture.ada.page.getByRole('heading', { name: 'Share sessions' }).count()).toBe(0);
  });

  it('says for each session why it failed', async () => {
    const { page } = fixture.ada;
    const token = await fixture.createToken('Refused', ['sessions:content']);
    await page.route('**/key-grants', (route) =>
      refuseRequest(route, 403, 'plan_limit_exceeded', 'Too many key grants.'),
    );
    await page.goto(`/console/tokens/${token.id}`);
    await page.getByRole('checkbox', { name: 'build box' }).check();
    await page.getByRole('button', { name: 'Share 1 session' }).click();
    await page.getByText('Shared 0 of 1 session. 1 failed; share again to repeat.').waitFor();
    expect(await page.getByRole('checkbox', { name: 'build box' }).isChecked()).toBe(true);
    await page.getByText('Too many key grants.').waitFor();
    await page.unroute('**/key-grants');
    expect(fixture.ada.pageErrors.splice(0)).toHaveLength(1);
  });

  it('is refused where the service presents a key that does not open the title', async () => {
    const { page } = fixture.ada;
    const token = await fixture.createToken('Tricked', ['sessions:content']);
    await page.route('**/v1/sessions?*', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { data: { tag: string }[] };
      for (const session of body.data) session.tag = 'moved';
      await route.fulfill({ response, json: body });
    });
    await page.goto(`/console/tokens/${token.id}`);
    await page.getByRole('checkbox', { name: 'moved' }).check();
    await page.getByRole('button', { name: 'Share 1 session' }).click();
    await page.getByText('The key of this session doesn’t open its title, so it wasn’t shared.').waitFor();
    expect(await isGranted(token.secret)).toBe(false);
    await page.unroute('**/v1/sessions?*');
  });

  it('is over once it is revoked, also if an earlier list of the grants arrives after that', async () => {
    const { page } = fixture.ada;
    await fixture.createToken('Late', ['sessions:content']);
    await page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    await page.getByRole('button', { name: 'Share …' }).click();
    await page.getByRole('combobox', { name: /^Who/ }).selectOption({ label: 'Late' });
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const grant = page.getByRole('listitem').filter({ hasText: 'Token Late' });
    await grant.waitFor();
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    let markRead!: () => void;
    const isRead = new Promise<void>((resolve) => (markRead = resolve));
    let reads = 0;
    await page.route(/\/key-grants\?/, async (route) => {
      const isFirst = ++reads === 1;
      const response = await route.fetch();
      if (isFirst) {
        markRead();
        await released;
      }
      await route.fulfill({ response });
    });
    // As when the person comes back from another window.
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await isRead;
    await page.getByRole('button', { name: 'Revoke Token Late' }).click();
    const isRevoked = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await isRevoked;
    // Another list could overtake the first one now, which then replaces it.
    await page.waitForTimeout(500);
    release();
    await page.waitForTimeout(500);
    await grant.waitFor({ state: 'detached' });
    await page.unrouteAll();
  });

  describe('with an app on its consent page', () => {
    let owner: ForeignAccountDevice;
    let app: ThirdPartyApp;
    let grantRequests: string[];
    beforeAll(async () => {
      owner = await ForeignAccountDevice.signUp(fixture.service.http, 'octavia');
      fixture.ada.page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/key-grants')) grantRequests.push(request.url());
      });
    });
    beforeEach(async () => {
      app = await ThirdPartyApp.register(owner, `${listener.url}/callback`, { name: 'Notes' });
      grantRequests = [];
      listener.receivedUrls.length = 0;
      fixture.ada.pageErrors.length = 0;
      const request = app.buildAuthorizationRequest({ scope: 'sessions:read sessions:content' });
      await fixture.ada.page.goto(`${fixture.service.url}${OAUTH_PATH}/authorize?${encodeForm(request)}`);
    });

    const button = (name: string) => fixture.ada.page.getByRole('button', { name });
    const selectBuildBox = async (): Promise<void> => {
      await fixture.ada.page.getByText('Share sessions now').click();
      await fixture.ada.page.getByRole('checkbox', { name: 'build box' }).check();
      await fixture.ada.page.getByText('Share 1 session now').waitFor();
    };
    const backInTheApp = () => fixture.ada.page.getByRole('heading', { name: 'Back in the app' }).waitFor();
    const exchangeCode = async (): Promise<string> => {
      const code = listener.receivedUrls[0]!.searchParams.get('code')!;
      return (await app.exchangeCode(code)).body.access_token;
    };
    it('shares the selected sessions when the user allows it, and goes on to the app', async () => {
      await selectBuildBox();
      await expectAccessiblePage(fixture.ada, 'consent-sharing');
      await button('Allow').click();
      await backInTheApp();
      expect(Object.fromEntries(listener.receivedUrls[0]!.searchParams)).toMatchObject({ state: 'a state' });
      expect(await isGranted(await exchangeCode())).toBe(true);
      expect(fixture.ada.pageErrors).toEqual([]);
    });

    it('shares nothing when the user denies it', async () => {
      await selectBuildBox();
      await button('Deny').click();
      await backInTheApp();
      expect(listener.receivedUrls[0]!.searchParams.get('error')).toBe('access_denied');
      expect(grantRequests).toEqual([]);
    });

    it('shares nothing unless sessions are selected, which the user can do later', async () => {
      await button('Allow').click();
      await backInTheApp();
      const token = await exchangeCode();
      expect(await isGranted(token)).toBe(false);
      expect(grantRequests).toEqual([]);
      await fixture.ada.page.goto(`/console/authorized-apps/${app.clientId}/share`);
      await shareBuildBox();
      expect(await isGranted(token)).toBe(true);
      expect(fixture.ada.pageErrors).toEqual([]);
    });

    it('says that the decision was not stored, after which the user can decide again', async () => {
      const { page } = fixture.ada;
      await selectBuildBox();
      await refuseCalls(page, 'POST', /\/decision$/);
      await button('Allow').click();
      await page.getByRole('alert').getByText('Refused.').waitFor();
      await page.unrouteAll();
      await button('Allow').click();
      await backInTheApp();
      expect(await isGranted(await exchangeCode())).toBe(true);
    });

    it('keeps the decision if a session can’t be shared, says why, and goes on to the app', async () => {
      const { page } = fixture.ada;
      await page.route('**/key-grants', (route) =>
        refuseRequest(route, 403, 'plan_limit_exceeded', 'Too many key grants.'),
      );
      await selectBuildBox();
      await button('Allow').click();
      await page.getByText('You allowed Notes, but 1 of 1 session could not be shared: Too many key grants.').waitFor();
      await page.getByText('by itself in 20 seconds.').waitFor();
      // The form, which had the keyboard focus, is hidden.
      await page.keyboard.press('Tab');
      await page.getByRole('link', { name: 'Continue to Notes' }).and(page.locator(':focus')).waitFor();
      await expectAccessiblePage(fixture.ada, 'consent-sharing-failed');
      await page.unroute('**/key-grants');
      await page.getByRole('link', { name: 'Continue to Notes' }).click();
      await backInTheApp();
      expect(await isGranted(await exchangeCode())).toBe(false);
    });
  });
});
