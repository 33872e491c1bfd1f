import { ConsoleClient } from '../../support/console-client';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
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

  it('gets no notifications once it is signed out', async () => {
    const pushService = await PushService.start();
    const { subscription } = pushService.addBrowser();
    await pushService.stop();
    expectStatus(await service.http.post('/v1/push-subscriptions', ada.token, subscription), 201);
    const browser = await ConsoleClient.signIn(service.url, ada);
    await browser.post('/console/sign-out', { csrf: await browser.readCsrfToken() });
    expect(expectStatus(await service.http.get('/v1/push-subscriptions', ada.token), 200).data).toEqual([]);
  });
});
