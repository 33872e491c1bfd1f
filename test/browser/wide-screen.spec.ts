import { ExampleAccount } from '../screenshots/example-account';
import { SCREENSHOT_PAGES } from '../screenshots/pages';
import { Service } from '../support/service';
import { LOOPBACK_WEBHOOKS_ENV } from '../support/webhooks/webhook-fixture';
import { TestBrowser, type BrowserUser } from './support/test-browser';

const WIDTH = 1920;
/** Widest content of a page, 90rem. Longer lines are hard to read. */
const MAX_CONTENT_WIDTH = 1440;

describe('on a screen of 1,920 px, pages neither scroll sideways nor stretch', () => {
  let service: Service;
  let browser: TestBrowser;
  let account: ExampleAccount;
  let ada: BrowserUser;
  let stranger: BrowserUser;

  beforeAll(async () => {
    service = await Service.start({ ...LOOPBACK_WEBHOOKS_ENV, WEBHOOK_RETRY_SCHEDULE: '0,240,3600' });
    browser = await TestBrowser.launchBrowser();
    const viewport = { width: WIDTH, height: 1080 };
    ada = await browser.openProfile(service.url, { viewport });
    stranger = await browser.openProfile(service.url, { viewport });
    account = await ExampleAccount.create(service, ada);
  }, 120_000);
  afterAll(async () => {
    await account?.stop();
    await browser?.close();
    await service?.stop();
  });

  it.each(SCREENSHOT_PAGES)('$name', async ({ path, prepare, isPublic }) => {
    const { page } = isPublic ? stranger : ada;
    await page.goto(path(account));
    await prepare?.(page);
    const { overflow, content, navigationEnd } = await page.evaluate(() => ({
      overflow: document.documentElement.scrollWidth - window.innerWidth,
      content: document.querySelector('main')!.getBoundingClientRect().toJSON() as DOMRect,
      navigationEnd: document.querySelector('nav')?.getBoundingClientRect().right ?? 0,
    }));
    expect(overflow).toBe(0);
    expect(content.left).toBeGreaterThanOrEqual(navigationEnd);
    expect(content.width).toBeLessThanOrEqual(MAX_CONTENT_WIDTH);
  });
});
