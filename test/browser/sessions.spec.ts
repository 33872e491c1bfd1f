import { ContentFixture } from './support/content-fixture';

describe('the page of sessions', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
  });
  afterAll(() => fixture?.stop());

  it('lists sessions with decrypted titles, which a search finds', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/sessions');
    const row = page.getByRole('row').filter({ has: page.locator(`a[href$="${fixture.machine.sessionId}"]`) });
    await row.waitFor();
    expect(await row.textContent()).toContain('build box');
    await page.getByText('Live', { exact: true }).waitFor();
    await page.getByLabel('Search').fill('nothing has this name');
    await page.getByRole('heading', { name: 'No matching sessions' }).waitFor();
    await page.getByLabel('Search').fill('BOX');
    await row.waitFor();
    expect(fixture.ada.pageErrors).toEqual([]);
  });

  it('says that this browser has no keys, and shows tags', async () => {
    const other = await fixture.browser.openProfile(fixture.service.url);
    await other.context.addCookies(await fixture.ada.context.cookies());
    await other.page.goto('/console/sessions');
    await other.page.getByText('This browser has no keys of your account').waitFor();
    await other.page.getByRole('row').nth(1).waitFor();
    await other.context.close();
  });

  it('says that the browser does not let it store keys', async () => {
    const other = await fixture.browser.openProfile(fixture.service.url);
    await other.context.addCookies(await fixture.ada.context.cookies());
    await other.page.addInitScript(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('Denied', 'SecurityError');
      };
    });
    await other.page.goto('/console/sessions');
    await other.page.getByText('so it cannot store keys. Content can’t be decrypted here.').waitFor();
    await other.page.getByRole('row').nth(1).waitFor();
    await other.context.close();
  });

  it('stops in a tab whose login has ended, and says so', async () => {
    const { page, context } = fixture.ada;
    await page.goto('/console/sessions');
    await page.getByText('Live', { exact: true }).waitFor();
    const otherTab = await context.newPage();
    await otherTab.goto('/console');
    await otherTab.locator('.menu > summary').click();
    await otherTab.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByText('Live updates have stopped. Reload the page.').waitFor();
    await otherTab.close();
  });
});
