import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../support/wait-for';
import { postFromPage } from '../browser/support/control-calls';
import { ContentFixture } from '../browser/support/content-fixture';
import type { BrowserUser } from '../browser/support/test-browser';

describe('the console in Firefox', () => {
  let fixture: ContentFixture;
  beforeAll(async () => {
    // Signs up in Firefox and approves a machine there.
    fixture = await ContentFixture.start();
  });
  afterAll(() => fixture?.stop());
  afterEach(() => {
    expect(fixture.ada.pageErrors.splice(0)).toEqual([]);
  });

  const openLive = async (path: string) => {
    await fixture.ada.page.goto(path);
    await fixture.ada.page.getByText('Live', { exact: true }).waitFor();
    return fixture.ada.page;
  };

  it('has signed up, with keys that no script can export', async () => {
    const { page } = fixture.ada;
    await page.goto('/console');
    await page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
    expect(await page.evaluate(() => navigator.userAgent)).toContain('Firefox/');
    const extractable = await page.evaluate(`(async () => {
      const open = indexedDB.open('external-api-console');
      await new Promise((done) => (open.onsuccess = done));
      const request = open.result.transaction('devices').objectStore('devices').getAll();
      await new Promise((done) => (request.onsuccess = done));
      const { signing, encryption } = request.result[0].keys;
      return [signing, encryption].map(({ privateKey }) => privateKey.extractable);
    })()`);
    expect(extractable).toEqual([false, false]);
  });

  it('sends an encrypted message and shows the decrypted replies live', async () => {
    const page = await openLive(`/console/sessions/${fixture.machine.sessionId}`);
    await page
      .getByLabel('Message', { exact: true })
      .fill('say Hello\ntool the whole output\nwait-for go\nsay All done');
    await page.getByRole('button', { name: 'Send message' }).click();
    const messages = page.getByRole('list').locator('.message');
    await messages.filter({ hasText: 'the whole output' }).first().waitFor();
    await page.getByText('The agent is working', { exact: true }).waitFor();
    writeFileSync(join(fixture.folder, 'go'), '');
    await messages.filter({ hasText: /^(?!.*wait-for).*All done/s }).waitFor();
    await page.getByText('The agent is working', { exact: true }).waitFor({ state: 'hidden' });
    // The device names the session by its first message.
    await page.getByRole('heading', { name: 'say Hello' }).waitFor();
  });

  it('shows a permission request with its diff, and allows it', async () => {
    const machineId = fixture.machine.machineService.identity.machineId;
    const page = await openLive('/console/approvals');
    const { result } = await postFromPage(fixture.ada, `/v1/control/machines/${machineId}/sessions`, {});
    const path = `/v1/control/sessions/${result.sessionId}/messages`;
    await postFromPage(fixture.ada, path, { content: 'edit notes.txt first line', waitMs: 0 });
    const card = page.getByRole('article', { name: 'Edit notes.txt', exact: true });
    await card.waitFor();
    expect(await card.locator('.diff-line.added').textContent()).toBe('+added: first line');
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
    await card.getByText('Allowed.', { exact: true }).waitFor();
  });

  it('says what it can do about notifications', async () => {
    const { page } = fixture.ada;
    await page.goto('/console/account');
    // Without Web Push, as in a private window, or without a key of the operator.
    await page.getByText(/can’t show notifications of this site|has not turned notifications on/).waitFor();
  });

  it('shares a session with a token, which can read it then', async () => {
    const { page } = fixture.ada;
    const token = await fixture.createToken('Reader', ['sessions:content']);
    const isGranted = async () => {
      const path = `/external/v1/sessions/${fixture.machine.sessionId}`;
      return (await fixture.service.http.get(path, token.secret)).body.data.contentGranted;
    };
    expect(await isGranted()).toBe(false);
    await page.getByLabel('Search').fill('HELLO');
    await page.getByRole('checkbox', { name: 'say Hello' }).check();
    await page.getByRole('button', { name: 'Share 1 session' }).click();
    await page.getByText('Shared 1 of 1 session.').waitFor();
    expect(await isGranted()).toBe(true);
  });

  it('runs a command on a machine and shows its output', async () => {
    const page = await openLive(`/console/machines/${fixture.machine.machineService.identity.machineId}`);
    const form = page.getByRole('form', { name: 'Run a command' });
    await form.getByLabel('Command').fill('echo "two words"');
    await form.getByRole('button', { name: 'Run command' }).click();
    await page.getByText(/^Exit code 0 · inv_/).waitFor();
    expect(await page.getByLabel('Standard output').textContent()).toBe('two words\n');
  });

  it('links a second browser, and signs out of it and in again', async () => {
    const phone = await fixture.browser.openProfile(fixture.service.url);
    await phone.page.goto('/console/link');
    await phone.page.getByLabel('Name of this browser').fill('my phone');
    await phone.page.getByRole('button', { name: 'Show code' }).click();
    await phone.page.getByLabel('Pairing code').waitFor();
    const code = await phone.page.getByLabel('Pairing code').textContent();
    await fixture.ada.page.bringToFront();
    await approveCode(fixture.ada, code!);
    // All tabs are in one window, and a hidden page doesn't poll.
    await phone.page.bringToFront();
    await phone.page.getByRole('heading', { name: 'Approved by ada' }).waitFor();
    await phone.page.getByRole('button', { name: 'Yes, sign in' }).click();
    await phone.page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
    // The linked browser has the content key: it decrypts the title.
    await phone.page.goto(`/console/sessions/${fixture.machine.sessionId}`);
    await phone.page.getByRole('heading', { name: 'say Hello' }).waitFor();
    await phone.signOut();
    await phone.page.getByRole('button', { name: 'Continue as ada' }).click();
    await phone.page.getByRole('heading', { name: 'Signed in as ada' }).waitFor();
    expect(phone.pageErrors).toEqual([]);
    await phone.context.close();
    await fixture.ada.page.bringToFront();
  });

  it('signs out, after which the console asks to sign in', async () => {
    const { page } = fixture.ada;
    await page.goto('/console');
    await fixture.ada.signOut();
    await page.getByRole('button', { name: 'Continue as ada' }).waitFor();
    await page.goto('/console/tokens');
    await waitFor(() => expect(fixture.ada.currentPath()).toMatch(/^\/console\/sign-in/));
  });
});

async function approveCode({ page }: BrowserUser, code: string): Promise<void> {
  await page.goto('/console/devices');
  await page.getByLabel('Approve a device').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Both screens show the same fingerprint').check();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('cell', { name: 'my phone' }).waitFor();
}
