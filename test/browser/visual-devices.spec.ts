import { NO_RESPONSE } from '../support/device/device-socket';
import { ForeignDevice } from '../support/device/foreign-device';
import { RelayFixture } from '../support/relay-fixture';
import { TestBrowser, type BrowserUser } from './support/test-browser';
import { expectAccessiblePage, VISUAL_VARIANTS } from './support/visual-checks';

describe.each(Object.keys(VISUAL_VARIANTS))('devices, security log and activity are accessible: %s', (look) => {
  let scene: RelayFixture;
  let browser: TestBrowser;
  let ada: BrowserUser;
  beforeAll(async () => {
    scene = await RelayFixture.start();
    browser = await TestBrowser.launchBrowser();
    ada = await browser.openProfile(scene.service.url, VISUAL_VARIANTS[look]);
    await ada.signInAsDevice(scene.ada);
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.stop();
  });

  const expectSound = (name: string) => expectAccessiblePage(ada, `${look}-${name}`);

  it('devices', async () => {
    await scene.createMachine();
    await scene.createOfflineMachine();
    await ada.page.goto('/console/devices');
    await expectSound('devices');
    await ada.page.getByText('Revoke …').first().click();
    await expectSound('device-revoke');
    const { code } = await new ForeignDevice(scene.http, 'a second laptop').requestPairing('account');
    await ada.page.getByLabel('Approve a device').fill(code);
    await ada.page.keyboard.press('Enter');
    await ada.page.getByRole('button', { name: 'Approve' }).waitFor();
    await expectSound('pairing');
  });

  it('security log', async () => {
    await scene.ada.createToken(['sessions:read'], { name: 'deploy_'.repeat(6) });
    await ada.page.goto('/console/security-log');
    await ada.page.getByText('Token created').first().waitFor();
    await expectSound('security-log');
    await ada.page.getByLabel('Until').fill('2020-01-01T00:00');
    await ada.page.getByRole('button', { name: 'Filter' }).click();
    await ada.page.getByText('No matching events').waitFor();
    await expectSound('security-log-empty');
  });

  it('activity', async () => {
    await ada.page.goto('/console/activity');
    await expectSound('activity-empty');
    const { id, socket } = await scene.createMachine();
    for (const answer of [
      { ok: true, result: {} },
      { ok: false, error: { code: 'failed', message: 'x' } },
    ]) {
      socket.setHandler(() => answer);
      await scene.invokeMachine(id);
    }
    socket.setHandler(() => NO_RESPONSE);
    const lost = scene.invokeMachine(id);
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.close();
    await lost;
    await scene.invokeMachine(id);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await ada.page.goto('/console/activity');
    await expectSound('activity');
  });
});
