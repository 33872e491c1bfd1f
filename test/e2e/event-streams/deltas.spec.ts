import { generateId } from '../../../src/common/ids';
import { GrantedSession } from '../../support/content/granted-session';
import { createReaderKey, encryptWithJose } from '../../support/content/jose-keys';
import { expectStatus } from '../../support/device/foreign-device';
import { EventStreamClient } from '../../support/event-stream-client';
import { RelayFixture, type ConnectedMachine } from '../../support/relay-fixture';
import { waitFor } from '../../support/wait-for';

const SCOPES = ['sessions:read', 'sessions:content'];

describe('deltas', () => {
  let fixture: RelayFixture;
  let machine: ConnectedMachine;
  let session: GrantedSession;
  let clients: EventStreamClient[];

  beforeAll(async () => {
    fixture = await RelayFixture.start();
  });
  beforeEach(async () => {
    clients = [];
    machine = await fixture.createMachine(['session.message', 'session.watch']);
    session = await GrantedSession.createSession(fixture.ada, machine.device);
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    machine.socket.close();
  });
  afterAll(() => fixture?.stop());

  const open = async (
    content: 'sealed' | 'plaintext' | 'none',
    { types = '', deltas = '', token }: { types?: string; deltas?: string; token?: string } = {},
  ) => {
    const prefix = token ? '/v1/control' : '/external/v1';
    const query = `content=${content}${types && `&types=${types}`}${deltas && `&deltas=${deltas}`}`;
    const url = `${fixture.service.url}${prefix}/sessions/${session.id}/events?${query}`;
    const client = await EventStreamClient.open(url, token ?? (await fixture.ada.createToken(SCOPES)).token);
    clients.push(client);
    return client;
  };
  const grantToReader = async () =>
    expectStatus(await session.key.grantToReader((await createReaderKey('X25519')).publicKey, session.resource), 201);
  const waitForWatch = () =>
    waitFor(() => expect(machine.socket.watches).toMatchObject([{ sessionId: session.id }]), 20_000);
  const buildDelta = async (n: number, change: object = {}) => {
    const svc = { a: fixture.ada.accountId, s: session.tag, d: 'm-1', n };
    const content = await encryptWithJose(session.key.bytes, { kid: session.key.kid, svc }, 'x'.repeat(4_096));
    return { sessionId: session.id, turnId: generateId('turn'), localId: 'm-1', n, content, ...change };
  };
  const emit = (event: string, message: object) => machine.socket.socket.emit(event, message);
  /** Sends a stored message, which every stream gets. */
  const sendMarker = async (streams: EventStreamClient[]) => {
    await session.appendMessage('the message');
    for (const stream of streams) {
      await waitFor(() => expect(stream.events.map(({ type }) => type)).toContain('message.created'), 20_000);
    }
  };

  it('reach streams with content, without an id', async () => {
    await session.grantToService();
    await grantToReader();
    const [sealed, plain, without] = [await open('sealed'), await open('plaintext'), await open('none')];
    await waitForWatch();
    expect(machine.socket.watches[0].until).toBeLessThanOrEqual(fixture.service.deviceTime + 30_000);
    const deltas = [await buildDelta(0), await buildDelta(2)];
    for (const delta of deltas) emit('delta', delta);
    const events = await sealed.waitForEvents(2);
    expect(events).toEqual(deltas.map((data) => ({ id: sealed.opened!.id, type: 'delta', data })));
    const texts = (await plain.waitForEvents(2)).map(({ data }) => data);
    expect(texts).toEqual(deltas.map((delta) => ({ ...delta, content: 'x'.repeat(4_096) })));
    await sendMarker([sealed, plain, without]);
    expect([sealed, plain, without].map((stream) => stream.events.length)).toEqual([3, 3, 1]);
  });

  it('are asked for only while a stream with content is open', async () => {
    const without = await open('none');
    const stream = await open('sealed');
    await waitForWatch();
    await stream.close();
    await waitFor(() => {
      expect(machine.socket.watches.at(-1).until).toBeLessThanOrEqual(fixture.service.deviceTime);
    }, 20_000);
    expect(machine.socket.watches).toHaveLength(2);
    expect(without.hasEnded).toBe(false);
  });

  it('need a grant, except for account devices', async () => {
    const stream = await open('sealed');
    const ofDevice = await open('sealed', { token: fixture.ada.token });
    await waitForWatch();
    // What is sent before the second stream has been joined is lost to it.
    await waitFor(async () => {
      emit('delta', await buildDelta(0));
      expect(ofDevice.events.at(-1)!.type).toBe('delta');
    }, 20_000);
    await sendMarker([stream, ofDevice]);
    expect(stream.events.map(({ type }) => type)).toEqual(['message.created']);
    await grantToReader();
    await waitFor(async () => {
      emit('delta', await buildDelta(1));
      expect(stream.events.at(-1)!.type).toBe('delta');
    }, 20_000);
  });

  it('belong to streams with messages, and to the place that they name', async () => {
    await session.grantToService();
    const ofTurns = await open('plaintext', { types: 'turn.ended,session.ended' });
    const stream = await open('plaintext', { types: 'message.created' });
    await waitForWatch();
    emit('delta', await buildDelta(0, { localId: 'm-2' }));
    emit('delta', await buildDelta(1));
    await stream.waitForEvents(1);
    await sendMarker([stream]);
    expect(stream.events.map(({ data }) => data.n)).toEqual([1, undefined]);
    expect(ofTurns.events).toEqual([]);
  });

  describe('of other kinds', () => {
    const buildProgress = async (n: number, kind: string, localId = 'm-1') => {
      const svc = { a: fixture.ada.accountId, s: session.tag, d: localId, n, k: kind };
      const content = await encryptWithJose(session.key.bytes, { kid: session.key.kid, svc }, `{"n":${n}}`);
      return { sessionId: session.id, turnId: generateId('turn'), localId, kind, n, content };
    };
    const connect = async (capabilities: string[]) => {
      machine.socket.close();
      machine = await fixture.createMachine(capabilities);
      session = await GrantedSession.createSession(fixture.ada, machine.device);
      await session.grantToService();
    };

    it('reach only streams that ask for them, and are asked for only then', async () => {
      await connect(['session.message', 'session.watch', 'session.progress']);
      const ofMessages = await open('plaintext');
      await waitForWatch();
      const [ofTools, ofAll] = [
        await open('plaintext', { deltas: 'tool' }),
        await open('plaintext', { deltas: 'message,thought,tool,plan' }),
      ];
      await waitFor(() => expect(machine.socket.watches).toHaveLength(2), 20_000);
      const listKinds = (stream: EventStreamClient) =>
        stream.events.filter(({ type }) => type === 'delta').map(({ data }) => [data.kind, data.content.slice(0, 7)]);
      // What is sent before the last stream has been joined is lost to it.
      await waitFor(async () => {
        for (const [n, kind] of ['thought', 'tool', 'later_kind'].entries())
          emit('delta', await buildProgress(n, kind));
        emit('delta', await buildDelta(3));
        const expected = expect.arrayContaining([
          ['thought', '{"n":0}'],
          ['tool', '{"n":1}'],
          [undefined, 'xxxxxxx'],
        ]);
        expect(listKinds(ofAll)).toEqual(expected);
      }, 20_000);
      await sendMarker([ofMessages, ofTools, ofAll]);
      const kinds = [ofMessages, ofTools, ofAll].map((stream) => new Set(listKinds(stream).map(([kind]) => kind)));
      expect(kinds).toEqual([new Set([undefined]), new Set(['tool']), new Set(['thought', 'tool', undefined])]);
    });

    it('are not asked of a device without the capability, whose messages arrive as before', async () => {
      await session.grantToService();
      const stream = await open('plaintext', { deltas: 'message,tool' });
      await waitForWatch();
      emit('delta', await buildDelta(0));
      expect(await stream.waitForEvents(1)).toMatchObject([{ data: { n: 0 } }]);
      expect(machine.socket.watches).toHaveLength(1);
    });

    it('close the socket of a device that has not declared them', async () => {
      await open('plaintext', { deltas: 'message,tool' });
      await waitForWatch();
      emit('delta', await buildProgress(0, 'tool'));
      await machine.socket.disconnected;
    });

    it.each(['deltas=tool', 'content=plaintext&deltas=tools', 'content=plaintext&deltas='])(
      'are refused without content, and if they are unknown: %s',
      async (query) => {
        const { token } = await fixture.ada.createToken(SCOPES);
        const path = `/external/v1/sessions/${session.id}/events?${query}`;
        const problem = expectStatus(await fixture.service.http.get(path, token), 400);
        expect(problem).toMatchObject({ code: 'invalid_request', errors: [{ in: 'query', path: '/deltas' }] });
      },
    );
  });

  it('of another session or another device are dropped', async () => {
    await grantToReader();
    const stream = await open('sealed');
    await waitForWatch();
    const other = await fixture.createMachine(['session.watch']);
    other.socket.socket.emit('delta', await buildDelta(0));
    emit('delta', await buildDelta(1, { sessionId: generateId('ses') }));
    emit('delta', await buildDelta(2));
    expect((await stream.waitForEvents(1))[0]!.data.n).toBe(2);
    expect([other.socket.socket.connected, machine.socket.socket.connected]).toEqual([true, true]);
  });

  it('may be five per second', async () => {
    await grantToReader();
    const stream = await open('sealed');
    await waitForWatch();
    const deltas = await Promise.all(Array.from({ length: 40 }, (_, n) => buildDelta(n)));
    for (const delta of deltas) emit('delta', delta);
    const last = await buildDelta(1_000);
    await waitFor(() => {
      emit('delta', last);
      expect(stream.events.at(-1)?.data.n).toBe(1_000);
    }, 20_000);
    const numbers = stream.events.map(({ data }) => data.n).filter((n) => n < 1_000);
    expect(numbers.length).toBeGreaterThan(4);
    expect(numbers.length).toBeLessThan(40);
    expect(machine.socket.socket.connected).toBe(true);
  });

  it('that hold plain text close the socket', async () => {
    await open('sealed');
    await waitForWatch();
    emit('delta', await buildDelta(0, { content: 'hello' }));
    await machine.socket.disconnected;
    expect(fixture.service.logs.join('')).not.toContain('"content":"hello"');
  });
});
