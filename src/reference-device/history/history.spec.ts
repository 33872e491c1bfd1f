import { compactDecrypt } from 'jose';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyFile, MemoryKeyStore, type KeyStore } from '../index';
import { Problem } from '../testing/fake-accounts';
import type { FakeService } from '../testing/fake-service';
import { messageRequest, ServedMachine, until } from '../testing/served-machine';
import { MAX_CONTENT } from './history-text';

const folder = mkdtempSync(join(tmpdir(), 'history-'));
afterAll(() => rmSync(folder, { recursive: true }));

let served: ServedMachine;
let store: KeyStore;
async function serve(
  options: { onMessage?: string[] } = {},
  kept: KeyStore = new MemoryKeyStore(),
  prepare?: (service: FakeService) => void,
) {
  store = kept;
  served = await ServedMachine.start({ ...options, store, prepare });
}
afterEach(() => served.stop());

/** With jose alone, and the key as the machine's key file has it. */
async function opened(content: string) {
  const [dataKey] = Object.values((await store.load('machine'))!.dataKeys!);
  const { plaintext, protectedHeader } = await compactDecrypt(content, Buffer.from(dataKey!.k, 'base64url'));
  return { header: protectedHeader, text: Buffer.from(plaintext).toString() };
}

const written = () => served.service.messages.map(({ localId }) => localId);

it('is the message and the reply, each bound to its place', async () => {
  await serve({ onMessage: ['tr', 'a-z', 'A-Z'] });
  const request = messageRequest('hello');
  expect(await served.service.call(request)).toEqual({
    ok: true,
    result: { accepted: true, messageId: `msg_${request.requestId}:user`, reply: 'HELLO' },
  });
  const { sessionTag } = served.serving.identity;
  const { kid } = Object.values((await store.load('machine'))!.dataKeys!)[0]!;
  const [message, reply] = await Promise.all(served.service.messages.map(({ content }) => opened(content)));
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

it('keeps a message whose program fails, and one that gets no reply', async () => {
  await serve({ onMessage: ['false'] });
  expect(await served.service.call(messageRequest('hello'))).toMatchObject({ ok: false });
  await until(() => served.service.messages.length === 1);
  await served.stop();
  await serve({ onMessage: ['true'] });
  expect(await served.service.call(messageRequest('hello'))).toMatchObject({ result: { reply: null } });
  expect(served.service.messages).toMatchObject([{ role: 'user' }]);
});

it('is not written into a session that the machine does not host', async () => {
  await serve();
  const answer = await served.service.call({ ...messageRequest('hello'), sessionId: 'ses_2' });
  expect(answer).toMatchObject({ result: { messageId: null, reply: 'hello' } });
  expect(served.service.messages).toEqual([]);
});

it('cuts a text that is longer than a message may be, and says how much', async () => {
  await serve({ onMessage: ['true'] });
  for (const content of ['€'.repeat(100_000), '\u0001'.repeat(100_000)])
    await served.service.call(messageRequest(content));
  const [long, short] = served.service.messages.map(({ content }) => content);
  expect(long!.length).toBeLessThanOrEqual(MAX_CONTENT);
  expect(long!.length).toBeGreaterThan(MAX_CONTENT - 300);
  expect((await opened(long!)).text).toMatch(/^€+\n\[\.\.\. \d+ bytes left out \.\.\.\]\n€+$/);
  expect((await opened(short!)).text).toHaveLength(100_000);
});

it('waits for a service that cannot take it, and comes in order, each text once', async () => {
  await serve();
  let lost = true;
  const { service } = served;
  service.historyProblem = () => new Problem(503, 'service_unavailable');
  const requests = ['one', 'two', 'three'].map((text) => messageRequest(text));
  for (const request of requests)
    expect(await service.call(request)).toMatchObject({ ok: true, result: { messageId: null } });
  const allWait = { event: 'history', problem: expect.any(String) as string, waiting: 6 };
  await until(() => served.events.some((event) => event.event === 'history' && event.waiting === 6));
  expect(served.events).toContainEqual(allWait);
  expect(service.messages).toEqual([]);
  // The first answer after that is lost, though the service has the texts.
  service.historyProblem = (batch) => {
    if (!lost) return undefined;
    lost = false;
    service.messages.push(...batch);
    return new Problem(502, 'bad_gateway');
  };
  await until(() => written().length === 6);
  expect(written()).toEqual(requests.flatMap(({ requestId }) => [`${requestId}:user`, `${requestId}:assistant`]));
}, 20_000);

it('survives the end of the program in the outbox, for its owner only', async () => {
  const keyFile = join(folder, 'machine.json');
  await serve({}, new KeyFile(keyFile));
  const { service } = served;
  service.historyProblem = () => new Problem(503, 'service_unavailable');
  const request = messageRequest('a secret');
  await service.call(request);
  await served.serving.stop();
  const outbox = `${keyFile}.outbox`;
  const files = readdirSync(outbox).map((name) => join(outbox, name));
  expect(files).toHaveLength(2);
  for (const file of files) {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).not.toContain('secret');
  }
  expect(statSync(outbox).mode & 0o777).toBe(0o700);

  service.historyProblem = undefined;
  served.serving = await served.machine.serve();
  await until(() => readdirSync(outbox).length === 0);
  expect(written()).toEqual([`${request.requestId}:user`, `${request.requestId}:assistant`]);
}, 20_000);

it('gives up a text that the service refuses for good, and only that one', async () => {
  await serve({ onMessage: ['true'] });
  const { service } = served;
  service.historyProblem = () => new Problem(503, 'service_unavailable');
  const requests = ['one', 'two', 'three'].map((text) => messageRequest(text));
  for (const request of requests) await service.call(request);
  const [, bad] = requests;
  service.historyProblem = (batch) =>
    batch.some(({ localId }) => localId === `${bad!.requestId}:user`) ? new Problem(400, 'invalid_request') : undefined;
  await until(() => written().length === 2);
  expect(written()).not.toContain(`${bad!.requestId}:user`);
  expect(served.events).toContainEqual(
    expect.objectContaining({ event: 'history', problem: expect.stringContaining('for good') }),
  );
}, 20_000);

it('takes no more messages while too much waits, and runs nothing for them', async () => {
  const entry = (n: number) => ({
    entry: { sessionId: 'ses_1', localId: `req_0${n}:user`, role: 'user' as const, content: 'sealed' },
    remove: () => Promise.resolve(),
  });
  const waiting = new MemoryKeyStore();
  waiting.outbox = () => ({
    load: () => Promise.resolve(Array.from({ length: 1_000 }, (_, n) => entry(n))),
    keep: (kept) => Promise.resolve({ entry: kept, remove: () => Promise.resolve() }),
  });
  const file = join(folder, 'ran');
  await serve({ onMessage: ['touch', file] }, waiting, (service) => {
    service.historyProblem = () => new Problem(403, 'plan_limit_exceeded');
  });
  expect(await served.service.call(messageRequest('hello'))).toMatchObject({
    ok: false,
    error: { code: 'internal', message: expect.stringContaining('cannot be written') },
  });
  expect(existsSync(file)).toBe(false);
  served.service.historyProblem = undefined;
  await until(() => written().length === 1_000, 20_000);
  expect(Math.max(...served.service.batches)).toBe(20);
  expect(await served.service.call(messageRequest('hello'))).toMatchObject({ ok: true });
}, 30_000);

it('goes on while the disk is full, and says so', async () => {
  const full = new MemoryKeyStore();
  full.outbox = () => ({ load: () => Promise.resolve([]), keep: () => Promise.reject(new Error('ENOSPC')) });
  await serve({}, full);
  expect(await served.service.call(messageRequest('hello'))).toMatchObject({
    result: { messageId: expect.stringMatching(/^msg_/) },
  });
  expect(served.events).toContainEqual(expect.objectContaining({ problem: 'The outbox cannot be written: ENOSPC' }));
});
