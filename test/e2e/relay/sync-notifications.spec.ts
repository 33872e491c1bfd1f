import { randomBytes } from 'node:crypto';
import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus, type ForeignDevice } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { encryptContentJwe } from '../../support/device/jwe-encryption';
import { waitFor } from '../../support/wait-for';
import { Service } from '../../support/service';

interface ReceivedNotification {
  type: string;
  id: string;
}

describe('sync notifications', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let host: ForeignDevice;
  let other: ForeignDevice;
  const sockets: DeviceSocket[] = [];

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    host = await ada.pairDevice('machine');
    other = await ada.pairDevice('machine');
  });
  afterEach(() => sockets.splice(0).forEach((socket) => socket.close()));
  afterAll(() => service?.stop());

  async function listen(device: ForeignDevice): Promise<ReceivedNotification[]> {
    const socket = await DeviceSocket.connect(service.url, device.token, []);
    sockets.push(socket);
    const heard: ReceivedNotification[] = [];
    socket.socket.on('change', (change: ReceivedNotification) => heard.push(change));
    return heard;
  }

  const changeSession = (id: string, change: object) =>
    service.http.request('PATCH', `/v1/sessions/${id}`, { token: ada.token, json: change });

  async function putArtifact(by: ForeignDevice): Promise<{ id: string; replace: () => Promise<unknown> }> {
    const { kid, sealed, bytes } = ada.createDataKey();
    const tag = `tag-${randomBytes(6).toString('hex')}`;
    const content = (version: number) =>
      encryptContentJwe(bytes, kid, { a: ada.accountId, t: tag, v: version }, 'text');
    const body = { tag, mediaType: 'text/plain', dataKey: { kid, sealed }, content: content(1) };
    const { id } = expectStatus(await service.http.post('/v1/artifacts', by.token, body), 201).data;
    const json = { content: content(2), expectedVersion: 1 };
    const replace = () => service.http.request('PUT', `/v1/artifacts/${id}/content`, { token: ada.token, json });
    return { id, replace };
  }

  it('for sessions reach only the machine that hosts them', async () => {
    const [phone, own, foreign] = [
      await ada.pairDevice('account').then(listen),
      await listen(host),
      await listen(other),
    ];
    const session = await DeviceSession.createSession(ada, host);
    expectStatus(await session.postMessages([session.encryptMessage('a')], ada), 201);
    expectStatus(await changeSession(session.id, { state: 'ended' }), 200);
    expectStatus(await service.http.delete(`/v1/sessions/${session.id}`, ada.token), 204);
    const types = ['message.created', 'session.ended', 'session.deleted'];
    const last = await DeviceSession.createSession(ada, ada);
    await waitFor(() => expect(phone.at(-1)).toMatchObject({ type: 'session.created', id: last.id }));
    expect(own.map(({ type, id }) => [type, id])).toEqual(types.map((type) => [type, session.id]));
    expect(foreign).toEqual([]);
    expect(phone.map(({ type }) => type)).toEqual(['session.created', ...types, 'session.created']);
  });

  it('for artifacts reach only the machine that hosts them', async () => {
    const [own, foreign] = [await listen(host), await listen(other)];
    const { id, replace } = await putArtifact(host);
    await putArtifact(ada);
    await replace();
    expectStatus(await service.http.delete(`/v1/artifacts/${id}`, ada.token), 204);
    const types = ['artifact.updated', 'artifact.deleted'];
    await waitFor(() => expect(own.map(({ type }) => type)).toEqual(types));
    expect(foreign).toEqual([]);
  });

  it('for other machines reach only account devices', async () => {
    const [phone, foreign] = [await listen(ada), await listen(other)];
    const machine = await ada.pairDevice('machine');
    const body = { name: 'a machine', platform: 'linux' };
    const { id } = expectStatus(await service.http.post('/v1/machines', machine.token, body), 201).data;
    await waitFor(() => expect(phone).toMatchObject([{ type: 'machine.registered', id }]));
    const online = await listen(machine);
    await waitFor(() => expect(phone.at(-1)).toMatchObject({ type: 'machine.online', id }));
    expect([...online, ...foreign]).toEqual([]);
  });
});
