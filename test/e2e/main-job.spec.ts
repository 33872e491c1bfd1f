import { AccountDevice, ok } from '../support/device/foreign-device';
import { DeviceSocket } from '../support/device/device-socket';
import { Service } from '../support/service';

describe('the main job, by a foreign device and plain HTTP', () => {
  let service: Service;
  let ada: AccountDevice;
  let socket: DeviceSocket;
  let machineId: string;
  let token: string;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
    const machine = await ada.adopt('machine');
    const registered = await service.http.post('/v1/machines', machine.token, {
      name: 'box',
      platform: 'linux',
    });
    machineId = ok(registered, 201).data.id;
    socket = await DeviceSocket.connect(service.url, machine.token, ['session.message', 'machine.invoke']);
    token = (await ada.createToken(['sessions:write', 'sessions:read', 'machines:read', 'machines:invoke'])).token;
  });
  afterAll(async () => {
    socket?.close();
    await service?.stop();
  });

  it('runs a command on a machine', async () => {
    socket.answerWith(({ params }) => ({ ok: true, result: { exitCode: 0, stdout: params.args.join(' ') } }));
    const answer = await service.http.post(`/external/v1/machines/${machineId}/invoke`, token, {
      command: 'echo',
      args: ['hello', 'there'],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      requestId: answer.headers.get('x-request-id'),
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
    const machine = await ada.adopt('machine');
    const host = await DeviceSocket.connect(service.url, machine.token, ['session.message']);
    const session = await ada.openSession(machine);
    host.answerWith(({ params }) => ({
      ok: true,
      result: { accepted: true, messageId: null, reply: params.content.toUpperCase() },
    }));
    const answer = await service.http.post(`/external/v1/sessions/${session.id}/messages`, token, {
      content: 'hi',
    });
    expect(answer.body).toMatchObject({ result: { accepted: true, reply: 'HI' } });
    host.close();
  });

  it('notes the call for support', async () => {
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
