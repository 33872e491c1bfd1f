import { existsSync } from 'node:fs';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from 'playwright-core';
import { ConsoleClient } from '../../support/console-client';
import { findInstalledProgram } from '../../support/dependencies';
import type { ForeignDevice } from '../../support/device/foreign-device';
import { extendWait } from '../../support/wait-for';
import { launchFirefox } from './launch-firefox';

/** How long a page may take for what a person does, on a fast machine. */
const PAGE_TIMEOUT_MS = 30_000;

/** Debian's Chromium or, in the project `firefox`, its Firefox. Each person in a test has a profile of their own. */
export class TestBrowser {
  private constructor(private readonly browser: Browser) {}

  /** @param extraArguments switches of the browser */
  static async launchBrowser(...extraArguments: string[]): Promise<TestBrowser> {
    if (process.env.TEST_BROWSER === 'firefox') return new TestBrowser(await launchFirefox(extraArguments));
    return this.launchChromium(findInstalledProgram('chromium'), extraArguments);
  }

  /** The browser that people use, if it is installed. */
  static launchWholeBrowser(): Promise<TestBrowser> {
    const whole = process.env.TEST_CHROMIUM ?? '/usr/bin/chromium';
    return this.launchChromium(existsSync(whole) ? whole : findInstalledProgram('chromium'), []);
  }

  private static async launchChromium(path: string | null, extraArguments: string[]): Promise<TestBrowser> {
    // Each profile has its own processes in any case. One for all pages of a site saves a tenth of the CPU.
    const args = ['--no-sandbox', '--disable-dev-shm-usage', '--process-per-site', ...extraArguments];
    return new TestBrowser(await chromium.launch({ executablePath: path ?? undefined, args }));
  }

  async openProfile(baseURL: string, options: BrowserContextOptions = {}): Promise<BrowserUser> {
    const context = await this.browser.newContext({ baseURL, ...options });
    context.setDefaultTimeout(extendWait(PAGE_TIMEOUT_MS));
    return new BrowserUser(context, await context.newPage(), baseURL);
  }

  close(): Promise<void> {
    return this.browser.close();
  }
}

/** A person at a browser; remembers whatever a page complained about. */
export class BrowserUser {
  readonly pageErrors: string[] = [];

  constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    private readonly baseURL: string,
  ) {
    page.on('pageerror', (error) => this.pageErrors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') this.pageErrors.push(message.text());
    });
  }

  currentPath(): string {
    const url = new URL(this.page.url());
    return url.pathname + url.search;
  }

  /** Creates an account from `/console/sign-up`, or from the page that is open there. */
  async signUp(username: string): Promise<string> {
    if (!this.currentPath().startsWith('/console/sign-up')) await this.page.goto('/console/sign-up');
    await this.page.getByLabel('Username').fill(username);
    await this.page.getByRole('button', { name: 'Continue' }).click();
    await this.page.getByRole('heading', { name: 'Save your recovery key' }).waitFor();
    const groups = await this.page.locator('#recovery-key span').allTextContents();
    await this.page.getByLabel('Last four characters of the key').fill(groups.at(-1)!);
    await this.page.getByRole('button', { name: 'Create account' }).click();
    await this.accountMenu.waitFor();
    return groups.join('-');
  }

  /** The menu behind the username, which every page of a signed-in user has. */
  get accountMenu(): Locator {
    return this.page.locator('.menu > summary');
  }

  /** Signs out. What the page still asks for, or asks again, until the next one comes is refused. */
  async signOut(): Promise<void> {
    const { length } = this.pageErrors;
    await this.accountMenu.click();
    await this.page.getByRole('button', { name: 'Sign out', exact: true }).click();
    // What is routed while a page goes away may not hold for the one that comes.
    await this.page.waitForURL('**/console/sign-in');
    const errors = this.pageErrors.splice(length);
    this.pageErrors.push(...errors.filter((error) => !/status of 401/.test(error)));
  }

  /** Brings along the session of a device that a test has, in place of the browser's own keys. */
  async signInAsDevice(device: ForeignDevice): Promise<void> {
    const { cookie } = await ConsoleClient.signIn(this.baseURL, device);
    const [name, value] = cookie!.split('=') as [string, string];
    await this.context.addCookies([{ name, value, url: this.baseURL, httpOnly: true, sameSite: 'Lax' }]);
  }

  /** For people to look at, where `TEST_SCREENSHOTS` names a folder. */
  async takeScreenshot(name: string): Promise<void> {
    const folder = process.env.TEST_SCREENSHOTS;
    if (folder) await this.page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
  }
}
