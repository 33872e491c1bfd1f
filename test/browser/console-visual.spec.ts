import { Service } from '../support/service';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage, VISUAL_VARIANTS } from './support/visual-checks';

describe.each(Object.keys(VISUAL_VARIANTS))('the pages of tokens are accessible and fit the screen: %s', (look) => {
  let service: Service;
  let browser: TestBrowser;
  let ada: BrowserUser;
  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(service.url, VISUAL_VARIANTS[look]);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const expectSound = (name: string) => expectAccessiblePage(ada, `${look}-${name}`);

  it('tokens', async () => {
    await ada.page.goto('/console/tokens');
    await expectSound('tokens-empty');
    await ada.page.goto('/console/tokens/new');
    await expectSound('token-new');
    await ada.page.getByRole('textbox', { name: 'Name' }).fill('Nightly report');
    await ada.page.getByRole('button', { name: 'Create token' }).click();
    await ada.page.getByText('Copy it now').waitFor();
    await expectSound('token-shown');
    await ada.page.getByRole('link', { name: 'I’ve saved it' }).click();
    await ada.page.getByText('Revoke …').click();
    await expectSound('token');
    await ada.page.goto('/console/tokens');
    await expectSound('tokens');
  });
});
