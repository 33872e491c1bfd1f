import { ForeignAccountDevice, expectStatus } from '../support/device/foreign-device';
import { DeviceSocket } from '../support/device/device-socket';
import { Service } from '../support/service';

describe('the main job, by a foreign device and plain HTTP', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let socket: DeviceSocket;
  let machineId: string;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
    const machine = await ada.pairDevice('machine');
    const registered = await service.http.post('/v1/machines', machine.token, {
      name: 'box',
      platform: 'linux',
    });
    machineId = expectStatus(registered, 201).data.id;
    socket = await DeviceSocket.connect(service.url, machine.token, ['session.message', 'machine.invoke']);
    token = (await ada.createToken(['sessions:write', 'sessions:read', 'machines:read', 'machines:invoke'])).token;
  });
  afterAll(async () => {
    socket?.close();
    await service?.stop();
  });

  it('runs a command on a machine', async () => {
    socket.setHandler(({ params }) => ({ ok: true, result: { exitCode: 0, stdout: params.args.join(' ') } }));
    const httpResponse = await service.http.post(`/external/v1/machines/${machineId}/invoke`, token, {
      command: 'echo',
      args: ['hello', 'there'],
    });
    expect(httpResponse.status).toBe(200);
    expect(httpResponse.body).toEqual({
      requestId: httpResponse.headers.get('x-request-id'),
      result: { exitCode: 0, stdout: 'hello there' },
    });
    expect(socket.requests.at(-1)).toMatchObject({
      method: 'machine.invoke',
      machineId,
      timeoutMs: 20_000,
      params: { command: 'echo', args: ['hello', 'there'], cwd: null },
    });
  });

  it('sends a message into a session', async () => {
    const machine = await ada.pairDevice('machine');
    const host = await DeviceSocket.connect(service.url, machine.token, ['session.message']);
    const session = await ada.createSession(machine);
    host.setHandler(({ params }) => ({
      ok: true,
      result: { accepted: true, messageId: null, reply: params.content.toUpperCase() },
    }));
    const httpResponse = await service.http.post(`/external/v1/sessions/${session.id}/messages`, token, {
      content: 'hi',
    });
    expect(httpResponse.body).toMatchObject({ result: { accepted: true, reply: 'HI' } });
    host.close();
  });

  it('records the call for support', async () => {
    const { body } = await service.http.post(`/external/v1/machines/${machineId}/invoke`, token, {
      command: 'x',
    });
    const row = await service.http.get(`/v1/relay-calls/${body.requestId}`, ada.token);
    expect(row.body.data).toMatchObject({
      requestId: body.requestId,
      method: 'machine.invoke',
      machineId,
      status: 200,
      code: null,
      outcome: 'answered',
    });
  });

  it('shows the machine online', async () => {
    const { body } = await service.http.get(`/external/v1/machines/${machineId}`, token);
    expect(body.data).toMatchObject({ state: 'online', capabilities: ['session.message', 'machine.invoke'] });
  });
});
