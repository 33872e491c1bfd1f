import { expectStatus } from '../support/device/foreign-device';
import { waitFor } from '../support/wait-for';
import { ReferenceMachine } from '../support/reference-machine';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { startBrowserEnvironment, type BrowserEnvironment } from './support/browser-environment';

describe('the pages of devices and activity', () => {
  let service: BrowserEnvironment;
  let browser: TestBrowser;
  let ada: BrowserUser;
  let phone: BrowserUser;
  beforeAll(async () => {
    service = await startBrowserEnvironment();
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(service.url);
    await ada.signUp('ada');
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    phone = await browser.openProfile(service.url);
  });
  afterEach(() => phone.context.close());

  const askToJoin = async (name: string) => {
    await phone.page.goto('/console/link');
    await phone.page.getByLabel('Name of this browser').fill(name);
    await phone.page.getByRole('button', { name: 'Show code' }).click();
    await phone.page.getByLabel('Pairing code').waitFor();
    return (await phone.page.getByLabel('Pairing code').textContent())!;
  };
  const lookUp = async (code: string) => {
    await ada.page.goto('/console/devices');
    await ada.page.getByLabel('Approve a device').fill(code);
    await ada.page.getByRole('button', { name: 'Continue' }).click();
  };
  const row = (name: string) => ada.page.getByRole('row').filter({ hasText: name });

  it('approve a browser whose fingerprint was compared, and it reads what the account reads', async () => {
    const name = 'my <script>alert(1)</script> phone';
    await lookUp((await askToJoin(name)).toLowerCase());
    await ada.page.getByRole('heading', { name: `Approve ${name}?` }).waitFor();
    const fingerprint = await phone.page.locator('#fingerprint').textContent();
    expect(await ada.page.getByLabel('Fingerprint', { exact: true }).textContent()).toBe(fingerprint);
    // Not before the comparison is confirmed.
    await ada.page.getByRole('button', { name: 'Approve' }).click();
    expect(ada.currentPath()).toBe('/console/devices/pairing');
    await ada.page.getByLabel('Both screens show the same fingerprint').check();
    await ada.page.getByRole('button', { name: 'Approve' }).click();
    await row(name).waitFor();
    await phone.page.getByRole('button', { name: 'Yes, sign in' }).click();
    await phone.page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
    expect(ada.pageErrors).toEqual([]);
  });

  it('turn a device away', async () => {
    await lookUp(await askToJoin('a stranger'));
    await ada.page.getByRole('button', { name: 'Deny' }).click();
    await ada.page.getByRole('heading', { name: 'Devices' }).waitFor();
    await phone.page.getByText('denied the request').waitFor();
    expect(await row('a stranger').count()).toBe(0);
  });

  it('keep a code that none waits for, and take one from a QR code', async () => {
    await lookUp('ABCD-EFGH');
    await ada.page.getByText('wrong or has expired').waitFor();
    expect(await ada.page.getByLabel('Approve a device').inputValue()).toBe('ABCD-EFGH');
    await ada.page.goto('/console/devices#code=WXYZ-2345');
    expect(await ada.page.getByLabel('Approve a device').inputValue()).toBe('WXYZ-2345');
    expect(ada.page.url()).not.toContain('WXYZ');
    ada.pageErrors.length = 0;
  });

  it('approve a machine; a command that it runs is in the activity; revoked it is cut off', async () => {
    const machine = await ReferenceMachine.start(
      { url: service.url, name: 'build box', account: 'ada' },
      async (code, fingerprint) => {
        await lookUp(code);
        await ada.page.getByText(fingerprint).waitFor();
        await ada.page.getByRole('button', { name: 'Approve' }).click();
      },
    );
    await ada.page.getByRole('link', { name: 'Activity' }).click();
    await ada.page.getByRole('heading', { name: 'No calls yet' }).waitFor();
    await waitFor(async () => {
      await ada.page.goto('/console/devices');
      expect(await row('build box').filter({ hasText: 'online' }).count()).toBe(1);
    });

    await ada.page.goto('/console/tokens/new');
    await ada.page.getByRole('textbox', { name: 'Name' }).fill('deploys');
    for (const scope of ['machines:read', 'machines:invoke']) await ada.page.locator(`[value="${scope}"]`).check();
    await ada.page.getByRole('button', { name: 'Create token' }).click();
    const token = (await ada.page.getByRole('group', { name: 'Token deploys' }).locator('code').textContent())!;
    const [{ id }] = expectStatus(await service.http.get('/external/v1/machines', token), 200).data;
    const secret = 'a-marker-that-nobody-shows';
    expectStatus(
      await service.http.post(`/external/v1/machines/${id}/invoke`, token, {
        command: 'echo',
        args: [secret],
      }),
      200,
    );

    await waitFor(async () => {
      await ada.page.goto('/console/activity');
      // Written behind the call.
      expect(await row('build box').count()).toBe(1);
      const text = await row('build box').textContent();
      for (const part of ['Ran a command', id, 'deploys', 'done', ' ms']) expect(text).toContain(part);
    });
    expect(await ada.page.content()).not.toContain(secret);

    await ada.page.goto('/console/devices');
    await row('build box').getByText('Revoke …').click();
    await row('build box').getByRole('button', { name: 'Revoke' }).click();
    await row('build box').filter({ hasText: 'revoked' }).waitFor();
    await expect(machine.machineService.failed).rejects.toThrow('revoked');
    await machine.stop();
  });

  it('sign out everywhere: every browser is asked again, and comes back with one click', async () => {
    await lookUp(await askToJoin('another'));
    await ada.page.getByLabel('Both screens').check();
    await ada.page.getByRole('button', { name: 'Approve' }).click();
    await phone.page.getByRole('button', { name: 'Yes, sign in' }).click();
    await phone.page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
    await ada.page.goto('/console/devices');
    await ada.page.locator('summary', { hasText: 'Sign out everywhere …' }).click();
    await ada.page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await ada.page.getByRole('button', { name: 'Continue as ada' }).waitFor();
    await waitFor(async () => {
      await phone.page.goto('/console/devices');
      expect(phone.currentPath()).toBe('/console/sign-in?return=%2Fconsole%2Fdevices');
    });
    await phone.page.getByRole('button', { name: 'Continue as ada' }).click();
    await phone.page.getByRole('heading', { name: 'Devices' }).waitFor();
  });
});
