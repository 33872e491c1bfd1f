import { ContentFixture } from './support/content-fixture';
import { expectAccessiblePage } from './support/visual-checks';

describe('the home page', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    fixture = await ContentFixture.start();
  });
  afterEach(() => expect(fixture.ada.pageErrors.splice(0)).toEqual([]));
  afterAll(() => fixture?.stop());

  it('leads a newcomer through the first steps, until all are done', async () => {
    const { page } = fixture.ada;
    await page.goto('/console');
    const steps = page.getByRole('region', { name: 'First steps' });
    expect(await steps.getByRole('listitem').allTextContents()).toEqual([
      'Add a machinedone',
      'Start an agentChoose what it works on',
      'Create a token',
      'Make a call',
    ]);
    await expectAccessiblePage(fixture.ada, 'first-steps');
    await steps.getByRole('link', { name: 'Choose what it works on' }).click();
    await page.getByRole('button', { name: 'Start session' }).click();
    await page.waitForURL('**/console/sessions/ses_*');
    const token = await fixture.createToken('first', []);
    expect((await fixture.service.http.get('/external/v1/sessions', token.secret)).status).toBe(200);
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Calls in the last 24 hours' }).waitFor();
    expect(await steps.count()).toBe(0);
  });

  it('lets a newcomer dismiss the first steps', async () => {
    const reader = await fixture.browser.openProfile(fixture.service.url);
    await reader.signUp('bob');
    const steps = reader.page.getByRole('region', { name: 'First steps' });
    const line = steps.getByRole('group', { name: 'Line that adds a machine' });
    expect(await line.textContent()).toContain(`curl -fsS ${fixture.service.url}/install.sh | sh && `);
    await steps.getByRole('button', { name: 'Dismiss' }).press('Enter');
    expect(await steps.count()).toBe(0);
    // The next key goes on from there, not from the beginning of the page.
    await reader.page.locator('main:focus').waitFor();
    await reader.page.reload();
    await reader.page.getByRole('heading', { name: 'Signed in as bob' }).waitFor();
    expect(await steps.count()).toBe(0);
    expect(reader.pageErrors).toEqual([]);
    await reader.context.close();
  });

  it('shows the state of the account, and recent sessions with decrypted titles', async () => {
    const { page } = fixture.ada;
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
    const state = page.getByRole('list', { name: 'State' });
    expect(await state.getByRole('listitem').allTextContents()).toEqual([
      'Machines online1 of 1',
      'Running turns0',
      'Waiting for approval0',
      'Failing webhooks0 of 0',
    ]);
    await page.getByRole('region', { name: 'Recent sessions' }).getByRole('link', { name: 'build box' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.locator('nav [aria-current="page"]').allTextContents()).toEqual(['Home']);
  });
});
