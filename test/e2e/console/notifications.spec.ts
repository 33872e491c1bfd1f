import { DeviceTokenService } from '../../../src/modules/devices';
import { TargetUrlValidator } from '../../../src/modules/webhook-sending';
import { ConsoleClient } from '../../support/console-client';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { expectProblem } from '../../support/problems';
import { createPushEnv, PushService } from '../../support/push-service';
import { Service } from '../../support/service';

describe('the installed console', () => {
  let service: Service;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    service = await Service.start(createPushEnv());
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  it('has a manifest, whose icons and pages exist', async () => {
    const response = await fetch(`${service.url}/console/manifest.webmanifest`);
    expect(response.headers.get('content-type')).toMatch(/^application\/manifest\+json/);
    const manifest = await response.json();
    expect(manifest).toMatchObject({ start_url: '/console', scope: '/console', display: 'standalone' });
    for (const { src, type, sizes } of manifest.icons) {
      const icon = await fetch(service.url + src);
      expect([icon.status, icon.headers.get('content-type')]).toEqual([200, type]);
      const png = Buffer.from(await icon.arrayBuffer());
      expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`).toBe(sizes);
    }
    const browser = await ConsoleClient.signIn(service.url, ada);
    for (const { url } of [{ url: manifest.start_url }, ...manifest.shortcuts])
      expect((await browser.get(url)).status).toBe(200);
    expect((await browser.get('/console')).html).toContain('<link rel="manifest" href="/console/manifest.webmanifest"');
  });

  it('has a service worker with a scope of its own, which loads nothing and calls this service only', async () => {
    const response = await fetch(`${service.url}/console/push/worker.js?decide=page`);
    expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; connect-src 'self'");
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.has('service-worker-allowed')).toBe(false);
    expect(await response.text()).toContain('notificationclick');
  });

  it('tells the service worker who is signed in, and nobody else', async () => {
    const headers = { Accept: 'application/json' };
    expect((await new ConsoleClient(service.url).get('/console/push/login', headers)).status).toBe(401);
    const browser = await ConsoleClient.signIn(service.url, ada);
    const answer = await browser.get('/console/push/login', headers);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('cross-origin-resource-policy')).toBe('same-origin');
    const { data } = JSON.parse(answer.html);
    expect(data).toMatchObject({ accountId: ada.accountId, deviceId: ada.id });
    const list = await browser.get('/v1/push-subscriptions', { ...headers, 'X-CSRF-Token': data.csrfToken });
    expect(list.status).toBe(200);
  });

  it.each<[string, (browser: ConsoleClient, csrf: string) => Promise<unknown>]>([
    ['here', (browser, csrf) => browser.post('/console/sign-out', { csrf })],
    ['by a script', (browser) => browser.request('DELETE', '/console/session')],
    ['everywhere', (browser, csrf) => browser.post('/console/devices/sign-out-everywhere', { csrf })],
    ['by the operator', (browser) => service.app.get(DeviceTokenService).revokeIssuedToken(readToken(browser))],
    [
      'by the sign-in of another account',
      async (browser) => browser.createLogin(await ForeignAccountDevice.signUp(service.http)),
    ],
  ])('gets no notifications once it is signed out %s', async (_, signOut) => {
    const { browser, ...signedIn } = await signInWithNotifications();
    await signOut(browser, await browser.readCsrfToken());
    await signedIn.device.signIn();
    expect(await signedIn.list()).toEqual([]);
  });

  it('keeps its notifications if it signs in again, or another browser signs out', async () => {
    const { browser, device, list } = await signInWithNotifications();
    const other = await ConsoleClient.signIn(service.url, await device.pairDevice('account'));
    await other.post('/console/sign-out', { csrf: await other.readCsrfToken() });
    await browser.createLogin(device);
    expect(await list()).toHaveLength(1);
  });

  it('can not turn notifications on while it is signed out everywhere', async () => {
    const { browser, device, subscription, list } = await signInWithNotifications();
    const csrf = await browser.readCsrfToken();
    jest.spyOn(service.app.get(TargetUrlValidator), 'findViolation').mockImplementationOnce(async () => {
      await browser.post('/console/devices/sign-out-everywhere', { csrf });
      return null;
    });
    const refused = await service.http.post('/v1/push-subscriptions', device.token, subscription);
    expectProblem(refused, 401, 'invalid_token');
    await device.signIn();
    expect(await list()).toEqual([]);
  });

  const readToken = (browser: ConsoleClient) => browser.cookie!.split('=')[1]!;

  const signInWithNotifications = async () => {
    const device = await ForeignAccountDevice.signUp(service.http);
    const pushService = await PushService.start();
    const { subscription } = pushService.addBrowser();
    await pushService.stop();
    expectStatus(await service.http.post('/v1/push-subscriptions', device.token, subscription), 201);
    const list = async () => expectStatus(await service.http.get('/v1/push-subscriptions', device.token), 200).data;
    return { browser: await ConsoleClient.signIn(service.url, device), device, subscription, list };
  };
});
