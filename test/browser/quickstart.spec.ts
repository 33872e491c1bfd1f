import { DeviceRejectedError, MemoryKeyStore, recoverAccount } from '@external-api/device';
import { Quickstart } from '../support/quickstart';
import { createMigratedFolder } from '../support/temp-folder';
import { waitFor } from '../support/wait-for';
import { TestBrowser, type BrowserUser } from './support/test-browser';

jest.setTimeout(180_000);

describe('the quickstart', () => {
  let browser: TestBrowser;
  beforeAll(async () => {
    browser = await TestBrowser.launchBrowser();
  });
  afterAll(() => browser?.close());
  afterEach(() => Quickstart.killAll());

  const recoverDevice = (link: string) =>
    recoverAccount({ url: new URL(link).origin, store: new MemoryKeyStore(), recoveryKey: link.split('#key=')[1]! });
  const expectSignedIn = ({ page }: BrowserUser) => page.getByRole('heading', { name: 'Signed in as demo' }).waitFor();

  it('prints a link that signs a browser in until it stops, even if it was killed', async () => {
    const folder = createMigratedFolder();
    const first = await Quickstart.start([], folder);
    await first.up();
    const { origin } = new URL(first.browserLink);
    const user = await browser.openProfile(origin);
    const sentUrls: string[] = [];
    user.page.on('request', (request) => sentUrls.push(request.url(), request.headers().referer ?? ''));
    await user.page.goto(first.browserLink);
    await expectSignedIn(user);
    // The key is in no address that the browser has shown or sent since.
    await user.page.goBack();
    await user.page.getByLabel('Recovery key').waitFor();
    expect([user.page.url(), await user.page.getByLabel('Recovery key').inputValue()]).toEqual([
      `${origin}/console/recover`,
      '',
    ]);
    expect(sentUrls.filter((url) => url.includes('key=') && url !== first.browserLink)).toEqual([]);
    // Once more, the browser stays the same device.
    await user.page.goto(first.browserLink);
    await expectSignedIn(user);
    const owner = await recoverDevice(first.browserLink);
    expect((await owner.listDevices()).filter(({ platform }) => platform === 'browser')).toHaveLength(1);
    expect(user.pageErrors).toEqual([]);
    const readAs = async (quickstart: Quickstart, path: string) => {
      const headers = { Authorization: `Bearer ${/svc_pat_\w+/.exec(quickstart.stdout)![0]}` };
      const response = await fetch(`${origin}/external/v1${path}`, { headers });
      return { status: response.status, ...((await response.json()) as { data: { id: string }[] }) };
    };
    const countSessions = async (quickstart: Quickstart) =>
      (await readAs(quickstart, '/sessions?state=active')).data.length;
    const sessionCount = await countSessions(first);
    await first.stop('SIGKILL');
    // Its service ends a moment later, and leaves the port to the second one.
    await waitFor(() => expect(fetch(origin)).rejects.toThrow(), 20_000);

    const second = await Quickstart.start([], folder, { PORT: String(first.port) });
    await second.up();
    // The token and the session of the first one have ended.
    expect((await readAs(first, '/me')).status).toBe(401);
    expect(await countSessions(second)).toBe(sessionCount);
    await expect(recoverDevice(first.browserLink)).rejects.toThrow(DeviceRejectedError);
    const other = await browser.openProfile(origin);
    await other.page.goto(first.browserLink);
    await other.page.getByText('This recovery key has been revoked.').waitFor();
    // The page is open already, so that only the fragment changes.
    await other.page.goto(second.browserLink);
    await expectSignedIn(other);
    // The browser is a device of the account.
    await user.page.goto('/console');
    await expectSignedIn(user);
    expect((await second.stop('SIGINT')).stdout).toContain('✓ Revoke the code');
  });

  it('has links for services on the same computer only', async () => {
    const quickstart = await Quickstart.start([]);
    await quickstart.up();
    const { port, hash } = new URL(quickstart.browserLink);
    const { page } = await browser.openProfile(`http://service.localhost:${port}`);
    await page.goto(`/console/recover${hash}`);
    await page.getByLabel('Recovery key').waitFor();
    expect(await page.evaluate(() => location.hash)).toBe('');
    expect(await page.locator('#progress').textContent()).toBe('');
    expect(await page.locator('#problem').isHidden()).toBe(true);
  });
});
