import { createBackend, type Backend } from '../../support/backend';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { describeWithServices } from '../../support/postgres';
import { createPushEnv, PushService } from '../../support/push-service';
import { Service } from '../../support/service';
import { ReportedTurn } from '../../support/turns/turn-reports';

const SESSIONS = 40;

describeWithServices('push messages of two instances', () => {
  let backend: Backend;
  let instances: Service[];
  let pushService: PushService;

  beforeAll(async () => {
    backend = await createBackend('services');
    pushService = await PushService.start();
    const env = createPushEnv();
    instances = [await Service.start(env, backend), await Service.start(env, backend)];
  });
  afterAll(async () => {
    for (const { app } of instances ?? []) await app.close();
    await backend?.dispose();
    await pushService?.stop();
  });

  it('are sent once each, whichever instance recorded the event', async () => {
    const ada = await ForeignAccountDevice.signUp(instances[0]!.http);
    const browsers = [pushService.addBrowser(), pushService.addBrowser()];
    const phone = await ada.pairDevice('account', 'phone');
    for (const [n, { token }] of [ada, phone].entries())
      expectStatus(await ada.http.post('/v1/push-subscriptions', token, browsers[n]!.subscription), 201);
    const sessions = await Promise.all(Array.from({ length: SESSIONS }, () => ada.createSession(ada)));
    await Promise.all(
      sessions.map(async ({ id }, n) => {
        const device = new ForeignAccountDevice(instances[n % 2]!.http);
        device.token = ada.token;
        const turn = new ReportedTurn(device, id);
        expectStatus(await turn.report('running'), 201);
        expectStatus(await turn.report(n % 3 === 0 ? 'failed' : 'completed'), 200);
      }),
    );
    for (const browser of browsers) {
      const pushed = await pushService.waitForMessages(browser, SESSIONS, 20_000);
      expect(new Set(pushed.map(({ message }) => message.sessionId)).size).toBe(SESSIONS);
    }
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(pushService.received).toHaveLength(2 * SESSIONS);
  });
});
