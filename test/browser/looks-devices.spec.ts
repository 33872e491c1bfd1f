import { NO_ANSWER } from '../support/device/device-socket';
import { ForeignDevice } from '../support/device/foreign-device';
import { RelayScene } from '../support/relay-scene';
import { TestBrowser, type Person } from './support/browser';
import { expectSoundPage, LOOKS } from './support/looks';

describe.each(Object.keys(LOOKS))('devices and activity look right: %s', (look) => {
  let scene: RelayScene;
  let browser: TestBrowser;
  let ada: Person;
  beforeAll(async () => {
    scene = await RelayScene.start();
    browser = await TestBrowser.launch();
    ada = await browser.person(scene.service.url, LOOKS[look]);
    await ada.signInAs(scene.ada);
  });
  afterAll(async () => {
    await browser?.close();
    await scene?.stop();
  });

  const expectSound = (name: string) => expectSoundPage(ada, `${look}-${name}`);

  it('devices', async () => {
    await scene.machine();
    await scene.offlineMachine();
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

  it('activity', async () => {
    await ada.page.goto('/console/activity');
    await expectSound('activity-empty');
    const { id, socket } = await scene.machine();
    for (const answer of [
      { ok: true, result: {} },
      { ok: false, error: { code: 'failed', message: 'x' } },
    ]) {
      socket.answerWith(() => answer);
      await scene.invoke(id);
    }
    socket.answerWith(() => NO_ANSWER);
    const lost = scene.invoke(id);
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.close();
    await lost;
    await scene.invoke(id);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await ada.page.goto('/console/activity');
    await expectSound('activity');
  });
});
