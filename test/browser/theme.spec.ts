import { Service } from '../support/service';
import { expectAccessiblePage } from './support/visual-checks';
import { TestBrowser, type BrowserUser } from './support/test-browser';

const LIGHT_GROUND = 'rgb(246, 247, 249)';
const DARK_GROUND = 'rgb(18, 21, 24)';
/** Pages of the documentation have a ground of their own. */
const DARK_DOCS_GROUND = 'rgb(26, 30, 34)';

describe('the theme', () => {
  let service: Service;
  let browser: TestBrowser;
  let ada: BrowserUser;
  beforeAll(async () => {
    service = await Service.start();
    browser = await TestBrowser.launchWholeBrowser();
    ada = await browser.openProfile(service.url);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(() => ada.page.emulateMedia({ colorScheme: 'light' }));

  const readGround = () => ada.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const choose = async (theme: string) => {
    await ada.page.goto('/console');
    await ada.accountMenu.click();
    await ada.page.getByRole('radio', { name: theme }).check();
  };

  it('is the system’s until the user chooses another one, which this browser remembers on all pages', async () => {
    await ada.page.goto('/console');
    expect(await readGround()).toBe(LIGHT_GROUND);
    await choose('Dark');
    expect(await readGround()).toBe(DARK_GROUND);
    for (const [path, ground] of [
      ['/console/tokens', DARK_GROUND],
      ['/docs/console', DARK_DOCS_GROUND],
      ['/console/link', DARK_GROUND],
    ] as const) {
      await ada.page.goto(path);
      expect([path, await readGround()]).toEqual([path, ground]);
    }
    await ada.page.emulateMedia({ colorScheme: 'dark' });
    await choose('Light');
    expect(await readGround()).toBe(LIGHT_GROUND);
    await choose('System');
    expect(await readGround()).toBe(DARK_GROUND);
    await ada.page.reload();
    expect(await readGround()).toBe(DARK_GROUND);
    // Pages of the documentation have no icon, which the browser looks for.
    expect(ada.pageErrors.filter((error) => !error.includes('status of 404'))).toEqual([]);
  });

  it('is applied before anything is painted', async () => {
    await choose('Dark');
    await ada.page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        if (!document.body) return;
        observer.disconnect();
        Object.assign(window, { themeOfFirstPaint: document.documentElement.dataset.theme });
      }).observe(document, { childList: true, subtree: true });
    });
    for (const path of ['/console/tokens', '/docs/console']) {
      await ada.page.goto(path);
      expect(await ada.page.evaluate('themeOfFirstPaint')).toBe('dark');
    }
  });

  it('changes in the other open pages, too', async () => {
    await choose('System');
    const other = await ada.context.newPage();
    await other.goto(`${service.url}/console/tokens`);
    await choose('Dark');
    await other.waitForFunction(() => document.documentElement.dataset.theme === 'dark');
    await other.close();
  });

  it('can be told from the others in forced colors', async () => {
    await ada.page.emulateMedia({ forcedColors: 'active' });
    await choose('System');
    const light = ada.page.locator('.theme-choice span', { hasText: 'Light' });
    const unchosen = await light.screenshot();
    await ada.page.getByRole('radio', { name: 'Light' }).check();
    await ada.page.mouse.move(0, 0);
    expect((await light.screenshot()).equals(unchosen)).toBe(false);
    await ada.page.emulateMedia({ forcedColors: 'none' });
  });

  it('is chosen in a menu that everybody can use', async () => {
    await choose('System');
    await expectAccessiblePage(ada, 'theme-choice');
    await ada.page.keyboard.press('ArrowRight');
    await ada.page.waitForFunction(() => document.documentElement.dataset.theme === 'light');
  });
});
