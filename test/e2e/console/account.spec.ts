import { ConsoleClient } from '../../support/console-client';
import { DeviceSession } from '../../support/device/device-session';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { Service } from '../../support/service';

describe('the console’s page of the account', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let visitor: ConsoleClient;
  let csrf: string;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service?.stop());
  beforeEach(async () => {
    ada = await ForeignAccountDevice.signUp(service.http);
    visitor = await ConsoleClient.signIn(service.url, ada);
    csrf = await visitor.readCsrfToken();
  });

  const readAccount = async () => expectStatus(await service.http.get('/v1/account', ada.token), 200).data;
  const deleteAccount = (fields: Record<string, string>, headers = {}) =>
    visitor.post('/console/account/delete', { csrf, ...fields }, headers);

  it('shows what identifies the account, and is in the account menu', async () => {
    const { id, username, createdAt } = await readAccount();
    const { status, html } = await visitor.get('/console/account');
    expect(status).toBe(200);
    expect(html).toContain(`<dd>${username}</dd>`);
    expect(html).toContain(`data-copy="${id}"`);
    expect(html).toContain(`datetime="${new Date(createdAt).toISOString()}"`);
    expect(html).toContain('action="/console/devices/sign-out-everywhere"');
    expect((await visitor.get('/console')).html).toContain('<a href="/console/account">Settings</a>');
  });

  it('lists the recovery keys without other devices, and revokes them', async () => {
    expect((await visitor.get('/console/account')).html).toContain('The account has no recovery key.');
    const paper = new ForeignDevice(service.http, 'a key on paper', 'paper');
    const { code } = await paper.requestPairing('account');
    const enrollment = ada.createEnrollment(paper);
    expectStatus(await service.http.post(`/v1/pairings/code/${code}/approve`, ada.token, { enrollment }), 204);
    await ada.pairDevice('machine', 'a box');
    const { html } = await visitor.get('/console/account');
    const [, id] = /action="\/console\/devices\/(dev_\w+)\/revoke"/.exec(html)!;
    expect(html).toContain('<strong>a key on paper</strong>');
    expect(html).not.toContain('a box');
    expect((await visitor.post(`/console/devices/${id}/revoke`, { csrf })).status).toBe(303);
    const { html: revoked } = await visitor.get('/console/account');
    expect(revoked).toContain('<span class="none">revoked</span>');
    expect(revoked).toContain('The account has no recovery key.');
  });

  it('exports what the device API exports, as a file that nobody caches', async () => {
    const session = await DeviceSession.createSession(ada);
    await session.appendMessages('a', 'b');
    const head = await visitor.request('HEAD', '/console/account/export');
    expect(head).toMatchObject({ status: 200, html: '' });
    const exported = await visitor.get('/console/account/export');
    expect(exported.status).toBe(200);
    expect(exported.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(exported.headers.get('content-disposition')).toBe('attachment; filename=account-export.json');
    expect(exported.headers.get('cache-control')).toBe('no-store');
    const { data } = JSON.parse(exported.html);
    expect(data.messages).toHaveLength(2);
    const api = expectStatus(await service.http.get('/v1/account/export', ada.token), 200);
    const withoutActivity = (device: object) => ({ ...device, lastSeenAt: null });
    // Each export is an act, which it contains itself.
    const isExport = ({ act }: { act: string }) => act === 'account.exported';
    const listExporters = (all: any) => all.auditEvents.filter(isExport).map((event: any) => event.actor.kind);
    expect([listExporters(data), listExporters(api.data)]).toEqual([['browser'], ['browser', 'device']]);
    const comparable = (all: any) => ({
      ...all,
      devices: all.devices.map(withoutActivity),
      auditEvents: all.auditEvents.filter((event: { act: string }) => !isExport(event)),
    });
    expect(comparable(data)).toEqual(comparable(api.data));
  });

  it('deletes the account, its login and its devices, which the sign-in page says', async () => {
    const { id, username } = await readAccount();
    const machine = await ada.pairDevice('machine');
    const socket = await DeviceSocket.connect(service.url, machine.token);
    const { token } = await ada.createToken(['sessions:read']);
    const { status, headers } = await deleteAccount({ username });
    expect([status, headers.get('location')]).toEqual([303, `/console/sign-in?deleted=${id}`]);
    expect(visitor.cookie).toBeNull();
    const { html } = await visitor.get(headers.get('location')!);
    expect(html).toContain('The account was deleted.');
    for (const [path, credential] of [
      ['/v1/account', ada.token],
      ['/external/v1/me', token],
    ] as const) {
      expect((await service.http.get(path, credential)).status).toBe(401);
    }
    await socket.disconnected;
    expect((await visitor.createLogin(ada)).status).toBe(401);
  });

  it.each(['', 'someone-else', 'UPPER'])('deletes nothing for the username %p', async (entered) => {
    const { username } = await readAccount();
    const { status, html } = await deleteAccount({ username: entered === 'UPPER' ? username.toUpperCase() : entered });
    expect(status).toBe(400);
    expect(html).toContain('id="username-fault"');
    expect(html).toMatch(/<details class="ask dangerous" name="ask" open>/);
    expect((await readAccount()).username).toBe(username);
    expect((await visitor.get('/console/account')).status).toBe(200);
  });

  it('deletes nothing for the form of another login or site', async () => {
    const { username } = await readAccount();
    const other = await ConsoleClient.signIn(service.url, await ForeignAccountDevice.signUp(service.http));
    for (const foreign of ['', await other.readCsrfToken()]) {
      expect((await deleteAccount({ username, csrf: foreign })).status).toBe(403);
    }
    expect((await deleteAccount({ username }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await readAccount()).username).toBe(username);
  });

  it('is closed to machines and strangers', async () => {
    const { username } = await readAccount();
    const machine = await ada.pairDevice('machine');
    const box = new ConsoleClient(service.url);
    box.cookie = `external_api_session=${machine.token}`;
    for (const path of ['/console/account', '/console/account/export']) {
      expect((await box.get(path)).status).toBe(403);
      expect((await new ConsoleClient(service.url).get(path)).status).toBe(303);
    }
    expect((await box.post('/console/account/delete', { csrf, username })).status).toBe(403);
    expect((await readAccount()).username).toBe(username);
  });

  it('is not said to be deleted while it exists, so that no link makes a browser forget its keys', async () => {
    const { id } = await readAccount();
    for (const deleted of [id, 'acc_1', '"><b>', `${id}&deleted=${id}`]) {
      expect((await visitor.get(`/console/sign-in?deleted=${deleted}`)).html).not.toContain('was deleted');
    }
  });
});
