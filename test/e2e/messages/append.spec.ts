import { DeviceSocket } from '../../support/device/device-socket';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { DeviceSession } from '../../support/device/device-session';
import { Service } from '../../support/service';

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('appending to a session’s encrypted history', () => {
  let service: Service;
  let ada: ForeignAccountDevice;

  beforeAll(async () => {
    service = await Service.start();
    ada = await ForeignAccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  const read = async (session: DeviceSession, query = '') =>
    expectStatus(await service.http.get(`/v1/sessions/${session.id}/messages${query}`, ada.token), 200).data;

  it('returns id, seq and localId in the batch’s order, with seq from 1', async () => {
    const session = await DeviceSession.createSession(ada);
    const first = await session.appendMessages('a', 'b');
    const second = await session.appendMessages('c');
    expect([...first, ...second]).toEqual([
      { id: expect.stringMatching(/^msg_/), seq: 1, localId: 'a' },
      { id: expect.stringMatching(/^msg_/), seq: 2, localId: 'b' },
      { id: expect.stringMatching(/^msg_/), seq: 3, localId: 'c' },
    ]);
  });

  it('treats a repeated localId as the same message and appends only new ones', async () => {
    const session = await DeviceSession.createSession(ada);
    const [a] = await session.appendMessages('a');
    const again = await session.postMessages([session.encryptMessage('a')]);
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual([a]);
    const mixed = await session.postMessages([session.encryptMessage('b'), session.encryptMessage('a')]);
    expect(mixed.status).toBe(201);
    expect(mixed.body.data).toMatchObject([{ localId: 'b', seq: 2 }, a]);
  });

  it('goes on after the session has ended', async () => {
    const session = await DeviceSession.createSession(ada);
    const end = { token: ada.token, json: { state: 'ended' } };
    expectStatus(await service.http.request('PATCH', `/v1/sessions/${session.id}`, end), 200);
    expect(await session.appendMessages('late')).toMatchObject([{ localId: 'late', seq: 1 }]);
    expect(expectStatus(await service.http.get(`/v1/sessions/${session.id}`, ada.token), 200).data.state).toBe('ended');
  });

  it('stores messages once when the same batch arrives ten times concurrently', async () => {
    const session = await DeviceSession.createSession(ada);
    const batch = [session.encryptMessage('x'), session.encryptMessage('y')];
    const answers = await Promise.all(range(10).map(() => session.postMessages(batch)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    expect(await read(session)).toHaveLength(2);
  });

  it('assigns seqs without gaps or repetitions to twenty writers', async () => {
    const session = await DeviceSession.createSession(ada);
    await Promise.all(range(20).map((writer) => session.appendMessages(...range(3).map((i) => `w${writer}-${i}`))));
    const messages = await read(session, '?limit=100');
    expect(messages.map((message: any) => message.seq)).toEqual(range(60).map((i) => i + 1));
    const { data } = expectStatus(await service.http.get('/v1/sessions?limit=200', ada.token), 200);
    const record = data.find((one: any) => one.id === session.id);
    expect(record).toMatchObject({ messageCount: 60, lastSeq: 60 });
  });

  it('returns the ciphertext to devices, oldest first, after a seq', async () => {
    const session = await DeviceSession.createSession(ada);
    const batch = [session.encryptMessage('a', 'user'), session.encryptMessage('b', 'assistant')];
    expectStatus(await session.postMessages(batch), 201);
    const [message, ...rest] = await read(session, '?afterSeq=1');
    expect(rest).toEqual([]);
    expect(message).toEqual({
      id: expect.stringMatching(/^msg_/),
      object: 'message',
      sessionId: session.id,
      seq: 2,
      localId: 'b',
      role: 'assistant',
      turnId: null,
      sizeBytes: batch[1]!.content.length,
      keyId: session.kid,
      createdAt: expect.any(Number),
      content: batch[1]!.content,
    });
  });

  it('lets a machine write and read only sessions that it hosts', async () => {
    const machine = await ada.pairDevice('machine');
    const own = await DeviceSession.createSession(ada, machine);
    const other = await DeviceSession.createSession(ada);
    expect((await own.postMessages([own.encryptMessage('a')])).status).toBe(201);
    const refused = await other.postMessages([other.encryptMessage('a')], machine);
    expect(refused.status).toBe(403);
    expect(refused.body.code).toBe('forbidden');
    const read = await service.http.get(`/v1/sessions/${other.id}/messages`, machine.token);
    expect(read.body.code).toBe('forbidden');
  });

  it('notifies the account’s other devices', async () => {
    const session = await DeviceSession.createSession(ada);
    const other = await ada.pairDevice('account');
    const socket = await DeviceSocket.connect(service.url, other.token, []);
    const hint = new Promise((resolve) => socket.socket.once('change', resolve));
    await session.appendMessages('a', 'b');
    await expect(hint).resolves.toEqual({ type: 'message.created', id: session.id, seq: 2 });
    socket.close();
  });
});
