import { ConsoleClient } from '../../support/console-client';
import { ForeignAccountDevice, ForeignDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSocket } from '../../support/device/device-socket';
import { Service } from '../../support/service';

describe('the console’s page of devices', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let visitor: ConsoleClient;
  let csrf: string;
  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    visitor = await ConsoleClient.signIn(service.url, ada);
    csrf = await visitor.readCsrfToken();
  });
  afterAll(() => service?.stop());

  const act = (path: string, fields: object = {}) => visitor.post(`/console/devices/${path}`, { csrf, ...fields });

  it('doesn’t show or revoke devices of another account', async () => {
    const bob = await ForeignAccountDevice.signUp(service.http);
    await bob.signIn();
    expect((await act(`${bob.id}/revoke`)).status).toBe(404);
    expectStatus(await service.http.get('/v1/devices', bob.token), 200);
    expect((await visitor.get('/console/devices')).html).not.toContain(bob.id);
  });

  it('fills in a pairing code of its address, also after a sign-in', async () => {
    const { html } = await visitor.get('/console/devices?code=WXYZ-2345');
    expect(html).toMatch(/<input[^>]*name="code"[^>]*value="WXYZ-2345"|<input[^>]*value="WXYZ-2345"[^>]*name="code"/);
    const hostile = await visitor.get(`/console/devices?code=${encodeURIComponent('"><script>')}`);
    expect(hostile.html).not.toContain('"><script>');
    const response = await fetch(`${service.url}/console/devices?code=WXYZ-2345`, { redirect: 'manual' });
    expect(response.headers.get('location')).toContain(encodeURIComponent('/console/devices?code=WXYZ-2345'));
  });

  it('shows account devices as active, machines as online or offline, and recovery keys apart', async () => {
    const grace = await ForeignAccountDevice.signUp(service.http);
    const machine = await grace.pairDevice('machine', 'workshop');
    await grace.pairDevice('machine', 'garage');
    const socket = await DeviceSocket.connect(service.url, machine.token);
    const paper = new ForeignDevice(service.http, 'a key on paper', 'paper');
    const { code } = await paper.requestPairing('account');
    const enrollment = grace.createEnrollment(paper);
    expectStatus(await service.http.post(`/v1/pairings/code/${code}/approve`, grace.token, { enrollment }), 204);
    const { html } = await (await ConsoleClient.signIn(service.url, grace)).get('/console/devices');
    socket.close();
    const rows = html.split('<tr').map((row) => row.replace(/<[^>]+>/g, ' '));
    const findRow = (name: string) => rows.find((row) => row.includes(name));
    expect(findRow('this browser')).toContain('active now');
    expect(findRow('workshop')).toContain('online');
    expect(findRow('workshop')).not.toContain('last seen');
    expect(findRow('garage')).toContain('offline');
    expect(findRow('a key on paper')).not.toMatch(/offline|online|active/);
    expect(html).toContain('<h2 id="recovery-keys">');
  });

  it('creates a recovery key, and revokes only keys of the account, and only after that', async () => {
    const [grace, bob] = [
      await ForeignAccountDevice.signUp(service.http),
      await ForeignAccountDevice.signUp(service.http),
    ];
    const client = await ConsoleClient.signIn(service.url, grace);
    const requestKey = async (owner: ForeignAccountDevice, name: string) => {
      const paper = new ForeignDevice(service.http, name, 'paper');
      const { code } = await paper.requestPairing('account');
      return { code, enrollment: owner.createEnrollment(paper) };
    };
    const addKey = async (owner: ForeignAccountDevice, name: string) => {
      const { code, enrollment } = await requestKey(owner, name);
      const path = `/v1/pairings/code/${code}/approve`;
      expectStatus(await service.http.post(path, owner.token, { enrollment }), 204);
      const { data } = expectStatus(await service.http.get('/v1/devices', owner.token), 200);
      return data.find((device: { name: string }) => device.name === name).id as string;
    };
    const listStates = async (owner: ForeignAccountDevice) => {
      const { data } = expectStatus(await service.http.get('/v1/devices', owner.token), 200);
      return Object.fromEntries(data.map(({ name, state }: Record<string, string>) => [name, state === 'revoked']));
    };
    const earlier = await addKey(grace, 'earlier');
    const foreign = await addKey(bob, 'foreign');
    const machine = await grace.pairDevice('machine', 'workshop');
    const fields = [
      ['csrf', await client.readCsrfToken()],
      ...[earlier, foreign, machine.id].map((id) => ['revoke', id]),
    ];
    const post = (key: object) => client.post('/console/devices/recovery-key', [...fields, ...Object.entries(key)]);

    const key = await requestKey(grace, 'new');
    expect((await post({ ...key, enrollment: 'x.y.z' })).status).toBe(400);
    expect((await post({ ...key, code: 'AAAA-AAAA' })).status).toBe(404);
    expect(await listStates(grace)).toMatchObject({ earlier: false, workshop: false });
    const created = await post(key);
    expect([created.status, created.headers.get('location')]).toEqual([303, '/console/devices#recovery-keys']);
    expect(await listStates(grace)).toMatchObject({ earlier: true, new: false, workshop: false });
    expect(await listStates(bob)).toMatchObject({ foreign: false });
  });

  it('renames a device, and shows the entered name again with its error', async () => {
    const machine = await ada.pairDevice('machine', 'old name');
    const list = await visitor.get('/console/devices');
    expect(list.html).toContain(`action="/console/devices/${machine.id}/rename"`);
    expect(list.html).toContain('value="old name"');
    const refused = await act(`${machine.id}/rename`, { name: 'in\u200bvisible' });
    expect(refused.status).toBe(400);
    expect(refused.html).toContain('id="name-fault"');
    expect(refused.html).toContain('value="in\u200bvisible"');
    const renamed = await act(`${machine.id}/rename`, { name: '<b>new</b>' });
    expect([renamed.status, renamed.headers.get('location')]).toEqual([303, '/console/devices']);
    const { html } = await visitor.get('/console/devices');
    expect(html).toContain('<strong>&lt;b>new&lt;/b></strong>');
    for (const [path, location] of [
      ['/console/machines', '/console/machines'],
      ['https://other.example/console', '/console'],
    ]) {
      const returned = await act(`${machine.id}/rename`, { name: 'new', return: path! });
      expect(returned.headers.get('location')).toBe(location);
    }
    const bob = await ForeignAccountDevice.signUp(service.http);
    expect((await act(`${bob.id}/rename`, { name: 'stolen' })).status).toBe(404);
  });

  it('refuses to revoke the last account device and explains why', async () => {
    const { status, html } = await act(`${ada.id}/revoke`);
    expect(status).toBe(409);
    expect(html).toContain('last account device');
  });

  it('lets a browser revoke itself, and names its keys to the sign-in page, which deletes them', async () => {
    const grace = await ForeignAccountDevice.signUp(service.http);
    const other = await grace.pairDevice('account', 'other');
    const browser = await ConsoleClient.signIn(service.url, grace);
    const { data } = expectStatus(await service.http.get('/v1/devices', other.token), 200);
    const { fingerprint } = data.find(({ id }: { id: string }) => id === grace.id);
    const stranger = new ConsoleClient(service.url);
    const showSignIn = async (revoked: string) => (await stranger.get(`/console/sign-in?revoked=${revoked}`)).html;
    // No link makes a browser forget keys that are valid.
    for (const id of [grace.id, other.id, 'dev_1', '"><b>', `${grace.id}&revoked=${grace.id}`]) {
      expect(await showSignIn(id)).not.toContain('was revoked');
    }
    const { status, headers } = await browser.post(`/console/devices/${grace.id}/revoke`, {
      csrf: await browser.readCsrfToken(),
    });
    expect([status, headers.get('location')]).toEqual([303, `/console/sign-in?revoked=${grace.id}`]);
    expect(headers.get('set-cookie')).toContain('external_api_session=;');
    const html = await showSignIn(grace.id);
    expect(html).toContain('This browser was revoked.');
    expect(html).toContain(`data-fingerprint="${fingerprint}"`);
    expect((await service.http.get('/v1/devices', other.token)).status).toBe(200);
  });

  it('stays signed in when a browser revokes another device', async () => {
    const grace = await ForeignAccountDevice.signUp(service.http);
    const machine = await grace.pairDevice('machine');
    const browser = await ConsoleClient.signIn(service.url, grace);
    const path = `/console/devices/${machine.id}/revoke`;
    const { status, headers } = await browser.post(path, { csrf: await browser.readCsrfToken() });
    expect([status, headers.get('location')]).toEqual([303, '/console/devices']);
    expect((await browser.get('/console/devices')).status).toBe(200);
    expect((await service.http.get('/v1/sessions', machine.token)).body.reason).toBe('revoked');
  });

  it('rejects approvals without an enrollment signed by this device', async () => {
    const { code, id } = await new ForeignDevice(service.http, 'new').requestPairing('account');
    expect((await act('pairing', { code })).html).toContain('Approve new?');
    const bob = await ForeignAccountDevice.signUp(service.http);
    const stranger = new ForeignDevice(service.http);
    for (const enrollment of ['', 'no.jws.here', bob.createEnrollment(stranger), ada.createEnrollment(stranger)]) {
      expect((await act('pairing/approve', { code, enrollment })).status).toBe(400);
    }
    expect(expectStatus(await service.http.get(`/v1/pairings/${id}`), 200).data.state).toBe('pending');
    expect((await act('pairing/deny', { code })).status).toBe(303);
    expect(expectStatus(await service.http.get(`/v1/pairings/${id}`), 200).data.state).toBe('denied');
  });

  it('says why a code can no longer be approved or denied, and asks for a code again', async () => {
    const late = new ForeignDevice(service.http, 'late');
    const { code } = await late.requestPairing('account');
    expect((await act('pairing/deny', { code })).status).toBe(303);
    for (const decision of ['approve', 'deny']) {
      const { status, html } = await act(`pairing/${decision}`, { code, enrollment: ada.createEnrollment(late) });
      expect(status).toBe(404);
      expect(html).toContain('That code is wrong or has expired.');
      expect(html).toContain(`value="${code}"`);
    }
  });

  it('locks code entry after ten wrong codes, even for a right one', async () => {
    const other = await ConsoleClient.signIn(service.url, await ForeignAccountDevice.signUp(service.http));
    const token = await other.readCsrfToken();
    const look = (typed: string) => other.post('/console/devices/pairing', { csrf: token, code: typed });
    const { code } = await new ForeignDevice(service.http, 'late').requestPairing('account');
    for (let n = 0; n < 10; n++) {
      const { status, html } = await look('ABCD-EFGH');
      expect(status).toBe(404);
      expect(html).toContain('value="ABCD-EFGH"');
    }
    expect((await look(code)).status).toBe(429);
  });

  it('signs out all account devices, but no machine', async () => {
    const machine = await ada.pairDevice('machine');
    await ada.signIn();
    const phone = await DeviceSocket.connect(service.url, ada.token, ['session.message']);
    const box = await DeviceSocket.connect(service.url, machine.token, ['session.message']);
    let isBoxGone = false;
    void box.disconnected.then(() => (isBoxGone = true));
    const { status, headers } = await act('sign-out-everywhere');
    expect([status, headers.get('location')]).toEqual([303, '/console/sign-in']);
    expect(visitor.cookie).toBeNull();
    expect((await service.http.get('/v1/devices', ada.token)).status).toBe(401);
    expect((await visitor.get('/console/devices')).status).toBe(303);
    await phone.disconnected;
    expect(isBoxGone).toBe(false);
    box.close();
    const about = { name: 'box', platform: 'linux' };
    expectStatus(await service.http.post('/v1/machines', machine.token, about), 201);
  });
});
