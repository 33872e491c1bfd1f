import { ContentFixture } from './support/content-fixture';

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
      'Create a tokenChoose its scopes',
      'Make the first callCopy the command',
      'Add a webhookEnter a URL',
    ]);
    const token = await fixture.createToken('first', []);
    expect((await fixture.service.http.get('/external/v1/sessions', token.secret)).status).toBe(200);
    await page.goto('/console');
    expect((await steps.getByRole('listitem').allTextContents()).slice(0, 3)).toEqual([
      'Add a machinedone',
      'Create a tokendone',
      'Make the first calldone',
    ]);
    await page.getByRole('heading', { name: 'Calls in the last 24 hours' }).waitFor();
    await steps.getByRole('link', { name: 'Enter a URL' }).click();
    await page.getByRole('heading', { name: 'New webhook' }).waitFor();
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
