import { ContentFixture } from './support/content-fixture';
import { postFromPage } from './support/control-calls';
import { expectAccessiblePage } from './support/visual-checks';

describe('getting around in the console', () => {
  let fixture: ContentFixture;
  let token: { id: string };
  beforeAll(async () => {
    fixture = await ContentFixture.start();
    token = await fixture.createToken('Nightly report', []);
  });
  afterEach(() => expect(fixture.ada.pageErrors.splice(0)).toEqual([]));
  afterAll(() => fixture?.stop());

  const openSearch = async () => {
    await fixture.ada.page.keyboard.press('ControlOrMeta+K');
    const field = fixture.ada.page.getByRole('combobox', { name: 'Search the console' });
    await field.waitFor();
    return field;
  };

  it('goes anywhere by keyboard', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/tokens');
    const field = await openSearch();
    expect((await page.getByRole('option').allTextContents()).slice(0, 2)).toEqual(['Go toHome', 'Go toSessions']);
    await field.fill('settings');
    await page.getByRole('option', { name: 'Go to Settings' }).waitFor();
    expect(await field.getAttribute('aria-activedescendant')).toBe('search-0');
    await expectAccessiblePage(fixture.ada, 'go-to');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/console/account');
  });

  it('finds sessions by their decrypted titles, machines, tokens and pages of the documentation', async () => {
    const { page } = fixture.ada;
    const machineId = fixture.machine.machineService.identity.machineId;
    await page.goto('/console/usage');
    const field = await openSearch();
    const findPaths = async (query: string, path: string) => {
      await field.fill(query);
      await page.locator(`[role="option"][href="${path}"]`).waitFor();
    };
    await findPaths('build box', `/console/sessions/${fixture.machine.sessionId}`);
    await findPaths('build box', `/console/machines/${machineId}`);
    await findPaths('nightly', `/console/tokens/${token.id}`);
    await findPaths('webhooks', '/docs/webhooks');
    await page.keyboard.press('Escape');
    expect(await field.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Search' }).click();
    await findPaths('nightly', `/console/tokens/${token.id}`);
    await page.getByRole('option', { name: 'Nightly report' }).click();
    await page.waitForURL(`**/console/tokens/${token.id}`);
  });

  it('finds sessions beyond the first page of their list', async () => {
    const { page } = fixture.ada;
    const { machineId } = fixture.machine.machineService.identity;
    await page.goto('/console/sessions');
    await postFromPage(fixture.ada, `/v1/control/machines/${machineId}/sessions`, {});
    await page.goto('/console/usage');
    // The newest session fills the first page.
    await page.route(/\/v1\/sessions\?limit=\d+$/, async (route) => {
      const response = await route.fetch({ url: route.request().url().replace(/\d+$/, '1') });
      const body = (await response.json()) as { data: object[] };
      await route.fulfill({ response, json: { ...body, data: Array<object>(200).fill(body.data[0]!) } });
    });
    const field = await openSearch();
    await field.fill('build box');
    await page.locator(`[role="option"][href="/console/sessions/${fixture.machine.sessionId}"]`).waitFor();
    await page.unrouteAll();
  });

  it('has a menu on a phone, by keyboard too, which Escape closes', async () => {
    const { page } = fixture.ada;
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto('/console/tokens');
    const navigation = page.getByRole('navigation', { name: 'Console' });
    expect(await navigation.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu', exact: true }).focus();
    await page.keyboard.press('Enter');
    await navigation.getByRole('link', { name: 'Security log' }).waitFor();
    await expectAccessiblePage(fixture.ada, 'phone-menu');
    await page.keyboard.press('Escape');
    expect(await navigation.isVisible()).toBe(false);
    expect(await page.evaluate(() => document.activeElement?.textContent?.trim())).toBe('Menu');
    await page.keyboard.press('Enter');
    await navigation.getByRole('link', { name: 'Machines' }).click();
    await page.waitForURL('**/console/machines');
    await page.setViewportSize({ width: 1280, height: 800 });
    await navigation.waitFor();
    expect(await page.getByRole('button', { name: 'Menu', exact: true }).isVisible()).toBe(false);
  });
});
