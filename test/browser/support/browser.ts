import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { ConsoleVisitor } from '../../support/console-visitor';
import type { ForeignDevice } from '../../support/device/foreign-device';

const EXECUTABLE = process.env.TEST_CHROMIUM ?? '/usr/bin/chromium';

/** Debian's chromium, without a window; each person in a test has a profile of their own. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  /** @param more switches of the browser */
  static async launch(...more: string[]): Promise<TestBrowser> {
    const args = ['--no-sandbox', '--disable-dev-shm-usage', ...more];
    return new TestBrowser(await chromium.launch({ executablePath: EXECUTABLE, args }));
  }

  async person(baseURL: string, options: BrowserContextOptions = {}): Promise<Person> {
    const context = await this.browser.newContext({ baseURL, ...options });
    return new Person(context, await context.newPage(), baseURL);
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

/** A person at a browser; remembers whatever a page complained about. */
export class Person {
  readonly complaints: string[] = [];

  constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly baseURL: string,
  ) {
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.complaints.push(message.text());
    });
  }

  path(): string {
    const url = new URL(this.page.url());
    return url.pathname + url.search;
  }

  /** Creates an account from `/console/sign-up`, or from the page that is open there. */
  async signUp(username: string): Promise<string> {
    if (!this.path().startsWith('/console/sign-up')) await this.page.goto('/console/sign-up');
    await this.page.getByLabel('Username').fill(username);
    await this.page.getByRole('button', { name: 'Continue' }).click();
    const groups = await this.page.locator('#recovery-key span').allTextContents();
    await this.page.getByLabel('Its last group of four').fill(groups.at(-1)!);
    await this.page.getByRole('button', { name: 'Create the account' }).click();
    await this.page.getByRole('button', { name: 'Sign out' }).waitFor();
    return groups.join('-');
  }

  /** Brings along the session of a device that a test has, in place of the browser's own keys. */
  async signInAs(device: ForeignDevice): Promise<void> {
    const { cookie } = await ConsoleVisitor.signIn(this.baseURL, device);
    const [name, value] = cookie!.split('=') as [string, string];
    await this.context.addCookies([{ name, value, url: this.baseURL, httpOnly: true, sameSite: 'Lax' }]);
  }

  /** For people to look at, where `TEST_SCREENSHOTS` names a folder. */
  async shot(name: string): Promise<void> {
    const folder = process.env.TEST_SCREENSHOTS;
    if (folder) await this.page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  }
}
