/**
 * Two strangers meet: a device and a client, each written from the protocol's pages by somebody who has never seen the
 * service's source. What fails here is a defect of a page or of the service.
 */
import { randomBytes } from 'node:crypto';
import { Service } from '../../support/service';
import { StrangerClient, StrangerError, type Machine, type Message, type Session } from './stranger-client';
import { StrangerDevice } from './stranger-device';

const SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
  'machines:read',
  'machines:invoke',
  'usage:read',
];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a device and a client that were written from the pages alone', () => {
  const suffix = randomBytes(6).toString('hex');
  const username = `stranger-${suffix}`;
  let service: Service;
  let person: StrangerDevice;
  let machine: StrangerDevice;
  let token: { id: string; token: string };
  let client: StrangerClient;
  let sessions: string[];

  beforeAll(async () => {
    service = await Service.start();
    person = new StrangerDevice(service.url);
    machine = new StrangerDevice(service.url);
    await person.signUp(username);
    await machine.joinAsMachine('stranger-machine', person);
    await machine.connect(['machine.invoke', 'session.message']);
    token = await person.createToken('stranger', SCOPES);
    client = new StrangerClient(service.url, token.token);
    sessions = [];
    for (const name of ['first', 'second', 'third']) {
      sessions.push(await machine.createSession(`${name}-${suffix}`, { title: name }));
    }
  }, 30_000);

  afterAll(async () => {
    machine?.close();
    await service?.stop();
  });

  describe('the device', () => {
    it('signs in again with its keys, to the account and the device that it had before', async () => {
      const first = await person.signIn();
      const second = await machine.signIn();
      expect(first.account).toMatchObject({ id: person.accountId, username });
      expect(first.enrollment).toBeNull();
      expect(second.account.id).toBe(person.accountId);
      expect(second.enrollment).toEqual(expect.any(String));
    });

    it('learns which of its capabilities the service accepts', () => {
      expect([...machine.capabilities].sort()).toEqual(['machine.invoke', 'session.message']);
    });

    it('encrypts metadata on the machine that the account device can read', async () => {
      expect(await person.readMetadata(sessions[0]!)).toEqual({ title: 'first' });
    });

    it('stores a message once, whatever number of times it is appended', async () => {
      const first = await machine.append(sessions[1]!, 'once', 'system', 'The same text.');
      const second = await machine.append(sessions[1]!, 'once', 'system', 'The same text.');
      expect(second).toBe(first);
    });
  });

  describe('the client', () => {
    it('learns whose token it has', async () => {
      const me = await client.me();
      expect(me.account).toMatchObject({ id: person.accountId, username });
      expect(me.token).toMatchObject({ id: token.id, type: 'pat' });
      expect([...me.token.scopes].sort()).toEqual([...SCOPES].sort());
    });

    it('lists the sessions over several pages, newest first', async () => {
      const { rows, pages } = await client.list<Session>('/sessions', {}, 2);
      expect(rows.map(({ id }) => id)).toEqual([...sessions].reverse());
      expect(pages).toBe(2);
    });

    it('finds the machine online', async () => {
      const { rows } = await client.list<Machine>('/machines', { state: 'online' });
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({ id: machine.machineId, name: 'stranger-machine', state: 'online' });
    });

    it('runs a command, which the machine echoes', async () => {
      const result = await client.invoke(machine.machineId, 'say', ['hello', 'wörld']);
      expect(result).toMatchObject({ exitCode: 0, stdout: 'say hello wörld\n', timedOut: false });
    });

    it('sends a message, and reads it and the reply once the account has granted the key', async () => {
      const sessionId = sessions[0]!;
      const answer = await client.send(sessionId, 'Good morning, stranger.');
      expect(answer).toMatchObject({ accepted: true, reply: 'You said: Good morning, stranger.' });
      const messageId = answer.messageId!;
      expect(await client.read(sessionId, messageId)).toBeNull();

      await person.grantToService(sessionId, token.id);

      const { rows } = await client.list<Message>(`/sessions/${sessionId}/messages`, { order: 'asc' });
      expect(rows.map(({ seq, role }) => [seq, role])).toEqual([
        [1, 'user'],
        [2, 'assistant'],
      ]);
      expect(rows[0]!.id).toBe(messageId);
      const texts = await Promise.all(rows.map(({ id }) => client.read(sessionId, id)));
      expect(texts[0]).toMatchObject({
        encoding: 'plaintext',
        content: 'Good morning, stranger.',
        contentEncoding: 'utf8',
      });
      expect(texts[1]).toMatchObject({
        mediaType: 'text/plain; charset=utf-8',
        content: 'You said: Good morning, stranger.',
      });
      const { rows: listed } = await client.list<Session>('/sessions', { tag: `first-${suffix}` });
      expect(listed[0]).toMatchObject({ contentGranted: true, lastSeq: 2 });
    });

    it('reads what it has used, which is written within a moment', async () => {
      let usage = await client.usage();
      for (let tries = 0; !usage.has('sendMessage') && tries < 20; tries += 1) {
        await pause(200);
        usage = await client.usage();
      }
      expect(usage.get('invokeMachine')).toBe(1);
      expect(usage.get('sendMessage')).toBe(1);
    });

    it('tells errors apart by their code', async () => {
      const call = client.invoke('mch_unknown', 'say');
      await expect(call).rejects.toBeInstanceOf(StrangerError);
      await expect(call).rejects.toMatchObject({ code: 'not_found', problem: { status: 404 } });
    });

    it('learns that nothing ran when the machine has left', async () => {
      machine.close();
      const failure = async (): Promise<StrangerError> =>
        client.invoke(machine.machineId, 'say').then(
          () => Promise.reject(new Error('A machine that has left answered')),
          (error: StrangerError) => error,
        );
      // The service may learn of the end of the connection a moment later, and then the call is lost instead.
      let error = await failure();
      for (let tries = 0; error.code === 'device_disconnected' && tries < 20; tries += 1) {
        await pause(200);
        error = await failure();
      }
      expect(error.problem).toMatchObject({ status: 503, code: 'no_online_device', outcome: 'not_delivered' });
    });
  });
});
