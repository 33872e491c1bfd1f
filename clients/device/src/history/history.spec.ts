import { compactDecrypt } from 'jose';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileKeyStore, MemoryKeyStore, type KeyStore } from '../index';
import { FakeServiceError } from '../testing/fake-accounts';
import type { FakeService } from '../testing/fake-service';
import { createMessageRequest, ServedMachine, waitUntil } from '../testing/served-machine';
import { MemoryHistoryOutbox } from './history-outbox';
import { MAX_CONTENT_LENGTH } from './session-history';

const folder = mkdtempSync(join(tmpdir(), 'history-'));
afterAll(() => rmSync(folder, { recursive: true }));

let served: ServedMachine;
let store: KeyStore;
async function startMachine(
  options: { onMessage?: string[] } = {},
  keyStore: KeyStore = new MemoryKeyStore(),
  prepare?: (service: FakeService) => void,
) {
  store = keyStore;
  served = await ServedMachine.start({ ...options, store, prepare });
}
afterEach(() => served.stop());

/** With jose alone, and the key as the machine's key file has it. */
async function decryptWithStoredKey(content: string) {
  const [dataKey] = Object.values((await store.loadState('machine'))!.dataKeys!);
  const { plaintext, protectedHeader } = await compactDecrypt(content, Buffer.from(dataKey!.k, 'base64url'));
  return { header: protectedHeader, text: Buffer.from(plaintext).toString() };
}

const getWrittenLocalIds = () => served.service.messages.map(({ localId }) => localId);

it('is the message and the reply, each bound to its place', async () => {
  await startMachine({ onMessage: ['tr', 'a-z', 'A-Z'] });
  const request = createMessageRequest('hello');
  expect(await served.service.callDevice(request)).toEqual({
    ok: true,
    result: { accepted: true, messageId: `msg_${request.requestId}:user`, reply: 'HELLO' },
  });
  const { sessionTag } = served.runner.identity;
  const { kid } = Object.values((await store.loadState('machine'))!.dataKeys!)[0]!;
  const [message, reply] = await Promise.all(
    served.service.messages.map(({ content }) => decryptWithStoredKey(content)),
  );
  const header = (localId: string, role: string) => ({
    alg: 'dir',
    enc: 'A256GCM',
    kid,
    cty: 'text/plain; charset=utf-8',
    svc: { a: 'acc_1', s: sessionTag, l: localId, r: role },
  });
  expect(message).toEqual({ text: 'hello', header: header(`${request.requestId}:user`, 'user') });
  expect(reply).toEqual({ text: 'HELLO', header: header(`${request.requestId}:assistant`, 'assistant') });
});

it('of a program that replies at once is one call of the service', async () => {
  await startMachine();
  expect(await served.service.callDevice(createMessageRequest('hello'))).toMatchObject({ ok: true });
  expect(served.service.batchSizes).toEqual([2]);
});

it('survives a power failure before the answer if the service has not stored it', async () => {
  const syncedIds: string[] = [];
  const outbox = new MemoryHistoryOutbox();
  const store = new MemoryKeyStore();
  store.openOutbox = () => ({
    loadEntries: () => outbox.loadEntries(),
    storeEntry: async (entry) => ({
      ...(await outbox.storeEntry(entry)),
      sync: () => Promise.resolve(void syncedIds.push(entry.localId)),
    }),
  });
  await startMachine({}, store, (service) => {
    service.getHistoryError = () => new FakeServiceError(503, 'service_unavailable');
  });
  const request = createMessageRequest('hello');
  expect(await served.service.callDevice(request)).toMatchObject({ ok: true, result: { messageId: null } });
  expect(syncedIds).toEqual([`${request.requestId}:user`, `${request.requestId}:assistant`]);
});

it('keeps a message whose program fails, and one that gets no reply', async () => {
  await startMachine({ onMessage: ['false'] });
  expect(await served.service.callDevice(createMessageRequest('hello'))).toMatchObject({ ok: false });
  await waitUntil(() => served.service.messages.length === 1);
  await served.stop();
  await startMachine({ onMessage: ['true'] });
  expect(await served.service.callDevice(createMessageRequest('hello'))).toMatchObject({
    result: { reply: null },
  });
  expect(served.service.messages).toMatchObject([{ role: 'user' }]);
});

it('is not written into a session that the machine does not host', async () => {
  await startMachine();
  const answer = await served.service.callDevice({ ...createMessageRequest('hello'), sessionId: 'ses_2' });
  expect(answer).toMatchObject({ result: { messageId: null, reply: 'hello' } });
  expect(served.service.messages).toEqual([]);
});

it('cuts a text that is longer than a message may be, and says how much', async () => {
  await startMachine({ onMessage: ['true'] });
  for (const content of ['€'.repeat(100_000), '\u0001'.repeat(100_000)])
    await served.service.callDevice(createMessageRequest(content));
  const [long, short] = served.service.messages.map(({ content }) => content);
  expect(long!.length).toBeLessThanOrEqual(MAX_CONTENT_LENGTH);
  expect(long!.length).toBeGreaterThan(MAX_CONTENT_LENGTH - 300);
  expect((await decryptWithStoredKey(long!)).text).toMatch(/^€+\n\[\.\.\. \d+ bytes left out \.\.\.\]\n€+$/);
  expect((await decryptWithStoredKey(short!)).text).toHaveLength(100_000);
});

it('waits for a service that cannot take it, and comes in order, each text once', async () => {
  await startMachine();
  let lost = true;
  const { service } = served;
  service.getHistoryError = () => new FakeServiceError(503, 'service_unavailable');
  const requests = ['one', 'two', 'three'].map((text) => createMessageRequest(text));
  for (const request of requests)
    expect(await service.callDevice(request)).toMatchObject({ ok: true, result: { messageId: null } });
  const allWait = { event: 'history', problem: expect.any(String) as string, waiting: 6 };
  await waitUntil(() => served.events.some((event) => event.event === 'history' && event.waiting === 6));
  expect(served.events).toContainEqual(allWait);
  expect(service.messages).toEqual([]);
  // The first answer after that is lost, though the service has the texts.
  service.getHistoryError = (batch) => {
    if (!lost) return undefined;
    lost = false;
    service.messages.push(...batch);
    return new FakeServiceError(502, 'bad_gateway');
  };
  await waitUntil(() => getWrittenLocalIds().length === 6);
  expect(getWrittenLocalIds()).toEqual(
    requests.flatMap(({ requestId }) => [`${requestId}:user`, `${requestId}:assistant`]),
  );
}, 20_000);

it('survives the end of the program in the outbox, for its owner only', async () => {
  const keyFile = join(folder, 'machine.json');
  await startMachine({}, new FileKeyStore(keyFile));
  const { service } = served;
  service.getHistoryError = () => new FakeServiceError(503, 'service_unavailable');
  const request = createMessageRequest('a secret');
  await service.callDevice(request);
  await served.runner.stop();
  const outbox = `${keyFile}.outbox`;
  const files = readdirSync(outbox).map((name) => join(outbox, name));
  expect(files).toHaveLength(2);
  for (const file of files) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
  }
  expect(statSync(outbox).mode & 0o777).toBe(0o700);

  service.getHistoryError = undefined;
  served.runner = await served.machine.startServing();
  await waitUntil(() => readdirSync(outbox).length === 0);
  expect(getWrittenLocalIds()).toEqual([`${request.requestId}:user`, `${request.requestId}:assistant`]);
}, 20_000);

it('sets a text aside that the service itself refuses, only that one, and says so in the history', async () => {
  const keyFile = join(folder, 'keys.json');
  await startMachine({ onMessage: ['true'] }, new FileKeyStore(keyFile));
  const { service } = served;
  service.getHistoryError = () => new FakeServiceError(503, 'service_unavailable');
  const requests = ['one', 'two', 'three'].map((text) => createMessageRequest(text));
  for (const request of requests) await service.callDevice(request);
  const [, bad] = requests;
  service.getHistoryError = (batch) =>
    batch.some(({ localId }) => localId === `${bad!.requestId}:user`)
      ? new FakeServiceError(400, 'invalid_request')
      : undefined;
  await waitUntil(() => getWrittenLocalIds().length === 3);
  expect(getWrittenLocalIds()).not.toContain(`${bad!.requestId}:user`);
  expect(service.messages.at(-1)).toMatchObject({ localId: `${bad!.requestId}:user:rejected`, role: 'system' });
  expect(statSync(`${keyFile}.rejected`).mode & 0o777).toBe(0o700);
  const [name] = readdirSync(`${keyFile}.rejected`);
  const kept = join(`${keyFile}.rejected`, name!);
  expect(JSON.parse(readFileSync(kept, 'utf8'))).toMatchObject({ localId: `${bad!.requestId}:user` });
  expect(served.events).toContainEqual(
    expect.objectContaining({ event: 'history', problem: expect.stringContaining(`It is kept in ${kept}.`) }),
  );
}, 20_000);

it('writes no notice of a notice that the service refuses too', async () => {
  const keyFile = join(folder, 'refused.json');
  const refused = createMessageRequest('hello');
  await startMachine({ onMessage: ['true'] }, new FileKeyStore(keyFile), (service) => {
    service.getHistoryError = (batch) =>
      batch.some(({ localId }) => localId.startsWith(refused.requestId))
        ? new FakeServiceError(400, 'invalid_request')
        : undefined;
  });
  const listRejected = () => (existsSync(`${keyFile}.rejected`) ? readdirSync(`${keyFile}.rejected`).sort() : []);
  await served.service.callDevice(refused);
  await waitUntil(() => listRejected().length >= 2);
  const next = createMessageRequest('next');
  await served.service.callDevice(next);
  await waitUntil(() => getWrittenLocalIds().length === 1);
  const localIds = listRejected().map(
    (name) => (JSON.parse(readFileSync(join(`${keyFile}.rejected`, name), 'utf8')) as { localId: string }).localId,
  );
  expect(localIds).toEqual([`${refused.requestId}:user`, `${refused.requestId}:user:rejected`]);
}, 20_000);

it('takes no more messages while too much waits, and runs nothing for them', async () => {
  const entry = (n: number) => ({
    entry: { sessionId: 'ses_1', localId: `req_0${n}:user`, role: 'user' as const, content: 'sealed' },
    sync: () => Promise.resolve(),
    remove: () => Promise.resolve(),
    setAside: () => Promise.resolve(null),
  });
  const waiting = new MemoryKeyStore();
  waiting.openOutbox = () => ({
    loadEntries: () => Promise.resolve(Array.from({ length: 1_000 }, (_, n) => entry(n))),
    storeEntry: (kept) => Promise.resolve({ ...entry(0), entry: kept }),
  });
  const file = join(folder, 'ran');
  await startMachine({ onMessage: ['touch', file] }, waiting, (service) => {
    service.getHistoryError = () => new FakeServiceError(403, 'plan_limit_exceeded');
  });
  expect(await served.service.callDevice(createMessageRequest('hello'))).toMatchObject({
    ok: false,
    error: { code: 'busy', message: expect.stringContaining('cannot be written') },
  });
  expect(existsSync(file)).toBe(false);
  served.service.getHistoryError = undefined;
  await waitUntil(() => getWrittenLocalIds().length === 1_000, 20_000);
  expect(Math.max(...served.service.batchSizes)).toBe(20);
  expect(await served.service.callDevice(createMessageRequest('hello'))).toMatchObject({ ok: true });
}, 30_000);

it('goes on while the disk is full, and says so', async () => {
  const full = new MemoryKeyStore();
  full.openOutbox = () => ({
    loadEntries: () => Promise.resolve([]),
    storeEntry: () => Promise.reject(new Error('ENOSPC')),
  });
  await startMachine({}, full);
  expect(await served.service.callDevice(createMessageRequest('hello'))).toMatchObject({
    result: { messageId: expect.stringMatching(/^msg_/) },
  });
  expect(served.events).toContainEqual(expect.objectContaining({ problem: "The outbox can't be written: ENOSPC" }));
});
