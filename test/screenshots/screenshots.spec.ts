import { TestBrowser, type BrowserUser } from '../browser/support/test-browser';
import { Service } from '../support/service';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { ExampleAccount } from './example-account';
import { SCREENSHOT_PAGES } from './pages';
import { takePictures } from './take-pictures';

const WIDTHS = [390, 1280, 1920];

describe('screenshots', () => {
  let service: Service;
  let browser: TestBrowser;
  let account: ExampleAccount;
  let ada: BrowserUser;
  let stranger: BrowserUser;

  beforeAll(async () => {
    service = await Service.start({ ...LOOPBACK_WEBHOOKS_ENV, WEBHOOK_RETRY_SCHEDULE: '0,240,3600' });
    browser = await TestBrowser.launchBrowser();
    [ada, stranger] = [await browser.openProfile(service.url), await browser.openProfile(service.url)];
    account = await ExampleAccount.create(service, ada);
  }, 120_000);
  afterAll(async () => {
    await account?.stop();
    await browser?.close();
    await service?.stop();
  });

  it.each(SCREENSHOT_PAGES)('$name', async ({ name, path, prepare, isPublic }) => {
    const { page } = isPublic ? stranger : ada;
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(path(account));
      await prepare?.(page);
      await takePictures(page, name, width);
    }
  });
});
