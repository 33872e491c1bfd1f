import { ContentFixture } from './support/content-fixture';
import { postFromPage } from './support/control-calls';
import { expectAccessiblePage } from './support/visual-checks';

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

  it('shows what needs the user first, and filters by state, machine and agent, also from its address', async () => {
    const { page } = fixture.ada;
    const machineId = fixture.machine.machineService.identity.machineId;
    const start = async (content: string) => {
      const body = { content, waitMs: 0 };
      return (await postFromPage(fixture.ada, `/v1/control/machines/${machineId}/sessions`, body)).result.sessionId;
    };
    await start('say hello');
    const askingId = await start('ask');
    await page.goto('/console/sessions');
    const groups = page.locator('.session-group');
    const first = groups.first();
    await first.getByRole('heading', { name: 'Needs you 1' }).waitFor();
    await first.locator(`a[href$="${askingId}"]`).waitFor();
    const idle = page.getByRole('region', { name: /^Idle/ });
    await idle.getByRole('row').nth(2).waitFor();
    expect(await idle.getByRole('row').last().textContent()).toContain('without an agent');
    await expectAccessiblePage(fixture.ada, 'sessions-groups');
    await page.getByLabel('State').selectOption('Needs you');
    await idle.waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?state=needsYou');
    await page.reload();
    await first.locator(`a[href$="${askingId}"]`).waitFor();
    expect(await groups.count()).toBe(1);
    await page.goto(`/console/sessions?machine=${machineId}`);
    await idle.waitFor();
    expect(await page.getByLabel('Machine').inputValue()).toBe(machineId);
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('Test agent');
    await page.getByText('without an agent').waitFor({ state: 'detached' });
    await page.goto('/console/sessions?machine=mch_other');
    await page.getByRole('heading', { name: 'No matching sessions' }).waitFor();
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
