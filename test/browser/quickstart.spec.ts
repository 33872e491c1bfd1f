import { DeviceRejectedError, MemoryKeyStore, recoverAccount } from '@external-api/device';
import { Quickstart } from '../support/quickstart';
import { createMigratedFolder, removeTempFolders } from '../support/temp-folder';
import { TestBrowser, type BrowserUser } from './support/test-browser';

jest.setTimeout(180_000);

describe('the quickstart', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.launchBrowser();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    await Quickstart.killAll();
    removeTempFolders();
  });

  const recoverWith = async ({ page }: BrowserUser, address: string, code: string) => {
    await page.goto(address);
    await page.getByLabel('Recovery key').fill(code);
    await page.getByRole('button', { name: 'Recover account' }).click();
  };
  const recoverDevice = (url: string, recoveryKey: string) =>
    recoverAccount({ url, store: new MemoryKeyStore(), recoveryKey });

  it('prints an address and a code that sign a browser in until it stops, even if it was killed', async () => {
    const folder = createMigratedFolder();
    const first = await Quickstart.start([], folder);
    await first.up();
    const [, address] = first.stdout.match(/^Open the console (http\S+)$/m)!;
    const { origin } = new URL(address!);
    const user = await browser.openProfile(origin);
    await recoverWith(user, address!, first.browserCode);
    await user.page.getByRole('heading', { name: 'Signed in as demo' }).waitFor();
    expect(user.pageErrors).toEqual([]);
    await first.stop('SIGKILL');

    const second = await Quickstart.start([], folder, { PORT: String(first.port) });
    await second.up();
    await expect(recoverDevice(origin, first.browserCode)).rejects.toThrow(DeviceRejectedError);
    // The browser is a device of the account.
    await user.page.goto('/console');
    await user.page.getByRole('heading', { name: 'Signed in as demo' }).waitFor();
    await recoverDevice(origin, second.browserCode);
    expect((await second.stop('SIGINT')).stdout).toContain('✓ Revoke the code');
  });
});
