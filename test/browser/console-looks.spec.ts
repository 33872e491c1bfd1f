import { Service } from '../support/service';
import { TestBrowser, type Person } from './support/browser';
import { expectSoundPage, LOOKS } from './support/looks';

describe.each(Object.keys(LOOKS))('the console looks right: %s', (look) => {
  let service: Service;
  let browser: TestBrowser;
  let ada: Person;
  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launch();
    ada = await browser.person(service.url, LOOKS[look]);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const expectSound = (name: string) => expectSoundPage(ada, `${look}-${name}`);

  it('tokens', async () => {
    await ada.page.goto('/console/tokens');
    await expectSound('tokens-empty');
    await ada.page.goto('/console/tokens/new');
    await expectSound('token-new');
    await ada.page.getByLabel('Name').fill('Nightly report');
    await ada.page.getByRole('button', { name: 'Create token' }).click();
    await ada.page.getByText('Copy it now').waitFor();
    await expectSound('token-shown');
    await ada.page.getByRole('link', { name: 'I have it' }).click();
    await ada.page.getByText('Revoke …').click();
    await expectSound('token');
    await ada.page.goto('/console/tokens');
    await expectSound('tokens');
  });
});
