import { DeviceSocket } from '../../support/device/device-socket';
import { AccountDevice, ok } from '../../support/device/foreign-device';
import { KeptSession } from '../../support/device/kept-session';
import { Service } from '../../support/service';

const range = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('appending to a session’s encrypted history', () => {
  let service: Service;
  let ada: AccountDevice;

  beforeAll(async () => {
    service = await Service.start();
    ada = await AccountDevice.signUp(service.http);
  });
  afterAll(() => service?.stop());

  const read = async (session: KeptSession, query = '') =>
    ok(await service.http.get(`/v1/sessions/${session.id}/messages${query}`, ada.token), 200).data;

  it('answers id, seq and localId in the batch’s order, seq from 1', async () => {
    const session = await KeptSession.open(ada);
    const first = await session.append('a', 'b');
    const second = await session.append('c');
    expect([...first, ...second]).toEqual([
      { id: expect.stringMatching(/^msg_/), seq: 1, localId: 'a' },
      { id: expect.stringMatching(/^msg_/), seq: 2, localId: 'b' },
      { id: expect.stringMatching(/^msg_/), seq: 3, localId: 'c' },
    ]);
  });

  it('takes a repeated localId as the same message, and only what is new', async () => {
    const session = await KeptSession.open(ada);
    const [a] = await session.append('a');
    const again = await session.post([session.message('a')]);
    expect(again.status).toBe(200);
    expect(again.body.data).toEqual([a]);
    const mixed = await session.post([session.message('b'), session.message('a')]);
    expect(mixed.status).toBe(201);
    expect(mixed.body.data).toMatchObject([{ localId: 'b', seq: 2 }, a]);
  });

  it('keeps one message when the same batch arrives ten times at once', async () => {
    const session = await KeptSession.open(ada);
    const batch = [session.message('x'), session.message('y')];
    const answers = await Promise.all(range(10).map(() => session.post(batch)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(9);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body.data))).size).toBe(1);
    expect(await read(session)).toHaveLength(2);
  });

  it('gives twenty writers seqs without a gap or a repeat', async () => {
    const session = await KeptSession.open(ada);
    await Promise.all(range(20).map((writer) => session.append(...range(3).map((i) => `w${writer}-${i}`))));
    const messages = await read(session, '?limit=100');
    expect(messages.map((message: any) => message.seq)).toEqual(range(60).map((i) => i + 1));
    const { data } = ok(await service.http.get('/v1/sessions?limit=200', ada.token), 200);
    const record = data.find((one: any) => one.id === session.id);
    expect(record).toMatchObject({ messageCount: 60, lastSeq: 60 });
  });

  it('gives back the ciphertext to devices, oldest first, after a seq', async () => {
    const session = await KeptSession.open(ada);
    const batch = [session.message('a', 'user'), session.message('b', 'assistant')];
    ok(await session.post(batch), 201);
    const [message, ...rest] = await read(session, '?afterSeq=1');
    expect(rest).toEqual([]);
    expect(message).toEqual({
      id: expect.stringMatching(/^msg_/),
      object: 'message',
      sessionId: session.id,
      seq: 2,
      localId: 'b',
      role: 'assistant',
      sizeBytes: batch[1]!.content.length,
      keyId: session.kid,
      createdAt: expect.any(Number),
      content: batch[1]!.content,
    });
  });

  it('lets a machine write and read only where it hosts', async () => {
    const machine = await ada.adopt('machine');
    const own = await KeptSession.open(ada, machine);
    const other = await KeptSession.open(ada);
    expect((await own.post([own.message('a')])).status).toBe(201);
    const refused = await other.post([other.message('a')], machine);
    expect(refused.status).toBe(403);
    expect(refused.body.code).toBe('forbidden');
    const read = await service.http.get(`/v1/sessions/${other.id}/messages`, machine.token);
    expect(read.body.code).toBe('forbidden');
  });

  it('tells the account’s other devices', async () => {
    const session = await KeptSession.open(ada);
    const other = await ada.adopt('account');
    const socket = await DeviceSocket.connect(service.url, other.token, []);
    const hint = new Promise((resolve) => socket.socket.once('change', resolve));
    await session.append('a', 'b');
    await expect(hint).resolves.toEqual({ type: 'message.created', id: session.id, seq: 2 });
    socket.close();
  });
});
