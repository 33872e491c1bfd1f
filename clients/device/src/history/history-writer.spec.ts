import { ApiResponseError, UnreachableError } from '../client-errors';
import { Backoff } from '../machine/backoff';
import { AGENT_CAPABILITIES, CapabilityNegotiation } from '../machine/capability-negotiation';
import type { SignedInDevice } from '../signed-in-device';
import { waitUntil } from '../testing/served-machine';
import { MemoryHistoryOutbox, type HistoryEntry } from './history-outbox';
import { HistoryWriter } from './history-writer';

const CONTENT = 'x'.repeat(350_000);

let isReachable: boolean;
/** Messages in a request that gets through. */
let maxMessages: number;
let device: SignedInDevice;
let writer: HistoryWriter;
/** Messages that survive a power failure. */
let syncedIds: string[];

/** Outbox that records what it syncs. */
class RecordingOutbox extends MemoryHistoryOutbox {
  override async storeEntry(entry: HistoryEntry) {
    const stored = await super.storeEntry(entry);
    return { ...stored, sync: () => Promise.resolve(void syncedIds.push(entry.localId)) };
  }
}

beforeEach(async () => {
  isReachable = false;
  maxMessages = Infinity;
  const callApi = (_method: string, _path: string, { messages }: { messages: HistoryEntry[] }) =>
    isReachable && messages.length <= maxMessages
      ? Promise.resolve({ data: messages.map(({ localId }) => ({ localId, id: `msg_${localId}` })) })
      : Promise.reject(new UnreachableError('The service is away.'));
  device = { callApi } as unknown as SignedInDevice;
  const backoff = new Backoff({ baseMs: 5, maxMs: 10 });
  const outbox = new RecordingOutbox();
  syncedIds = [];
  writer = await HistoryWriter.openFromOutbox(device, outbox, new CapabilityNegotiation(), backoff);
});
afterEach(() => writer.close());

const appendMessage = (localId: string, content: string | Promise<string>) =>
  writer.appendEntry({ sessionId: 'ses_1', localId, role: 'assistant', content });

/** Returns how many messages of this content the writer takes while the service is away. */
async function countAccepted(content: string): Promise<number> {
  let count = 0;
  while (!writer.isFull && count < 2_000) await appendMessage(String(++count), content);
  return count;
}

it('announces a turn again that the service has lost, and sets messages aside only if that does not help', async () => {
  isReachable = true;
  let knownTurns = new Set<string>();
  const requests: string[] = [];
  const problems: string[] = [];
  let isReconnecting = false;
  const callApi = (method: string, path: string, { messages = [] }: { messages?: HistoryEntry[] }) => {
    requests.push(method);
    if (method === 'PUT') return Promise.resolve(void knownTurns.add(path.split('/').at(-1)!));
    const rejection = new ApiResponseError(400, 'invalid_request', 'An unknown turn.', null);
    if (isReconnecting) turnWriter.forgetAnnouncedTurns();
    if (!messages.every(({ turnLocalId = '' }) => knownTurns.has(turnLocalId))) return Promise.reject(rejection);
    return Promise.resolve({ data: messages.map(({ localId }) => ({ localId, id: `msg_${localId}` })) });
  };
  const capabilities = new CapabilityNegotiation(AGENT_CAPABILITIES);
  capabilities.applyHello({ serverTime: 0, deviceId: 'dev_1', capabilities: [...AGENT_CAPABILITIES] });
  const device = { callApi } as unknown as SignedInDevice;
  const turnWriter = await HistoryWriter.openFromOutbox(
    device,
    new MemoryHistoryOutbox(),
    capabilities,
    new Backoff(),
    (problem) => problems.push(problem),
  );
  const append = async (localId: string) => {
    const entry = { sessionId: 'ses_1', localId, role: 'assistant', content: 'text', turnLocalId: 'req_1' } as const;
    return (await turnWriter.appendEntry(entry)).stored;
  };
  expect(await append('before')).toBe('msg_before');
  knownTurns.clear();
  expect(await append('after')).toBe('msg_after');
  expect(requests.join(' ')).toBe('PUT POST POST PUT POST');
  requests.length = 0;
  isReconnecting = true;
  knownTurns.clear();
  expect(await append('reconnected')).toBe('msg_reconnected');
  expect(requests.join(' ')).toBe('POST PUT POST');
  isReconnecting = false;
  await append('again');
  requests.length = 0;
  knownTurns = Object.assign(new Set<string>(), { add: () => knownTurns });
  expect(await append('refused')).toBeNull();
  expect(requests.join(' ')).toBe('POST PUT POST');
  expect(problems).toEqual(['The service rejected a message: An unknown turn. (invalid_request)']);
  await turnWriter.close();
});

describe('the pending messages', () => {
  it('are at most 1,000', async () => {
    expect(await countAccepted('short')).toBe(1_000);
  });

  it('have at most 64 MiB, until the service has stored them', async () => {
    expect(await countAccepted(CONTENT)).toBe(Math.ceil((64 * 1024 * 1024) / CONTENT.length));
    isReachable = true;
    const { stored } = await appendMessage('last', CONTENT);
    expect(await stored).toBe('msg_last');
    expect(writer.isFull).toBe(false);
  });
});

describe('a power failure', () => {
  it('loses no message that waits for the service for a second', async () => {
    for (const localId of ['1', '2']) await appendMessage(localId, 'text');
    await waitUntil(() => syncedIds.length > 0, 5_000);
    expect(syncedIds).toEqual(['1', '2']);
    isReachable = true;
  }, 10_000);

  it('is none for messages that the service has stored, which are not synced', async () => {
    isReachable = true;
    expect(await (await appendMessage('1', 'text')).stored).toBe('msg_1');
    await writer.syncPendingEntries();
    expect(syncedIds).toEqual([]);
  });
});

it('sends messages in the order in which they were appended, whichever is encrypted first', async () => {
  let resolveContent: (content: string) => void = () => undefined;
  const first = appendMessage('1', new Promise((resolve) => (resolveContent = resolve)));
  const second = appendMessage('2', 'text');
  const failed = appendMessage('3', Promise.reject(new Error('no key')));
  const last = appendMessage('4', 'text');
  await expect(failed).rejects.toThrow('no key');
  isReachable = true;
  resolveContent('text');
  const order: string[] = [];
  await Promise.all([first, second, last].map(async (appended) => order.push((await (await appended).stored)!)));
  expect(order).toEqual(['msg_1', 'msg_2', 'msg_4']);
});

it('sends fewer messages at a time while more do not get through', async () => {
  isReachable = true;
  maxMessages = 3;
  const localIds = Array.from({ length: 30 }, (_, index) => String(index));
  const appended = await Promise.all(localIds.map((localId) => appendMessage(localId, 'text')));
  const stored = await Promise.all(appended.map((each) => each.stored));
  expect(stored).toEqual(localIds.map((localId) => `msg_${localId}`));
}, 10_000);

it('sends messages as soon as a connection opens after the service could not be reached', async () => {
  const capabilities = new CapabilityNegotiation();
  const backoff = new Backoff({ baseMs: 60_000, maxMs: 60_000 });
  const waiting = await HistoryWriter.openFromOutbox(device, new MemoryHistoryOutbox(), capabilities, backoff);
  const { stored } = await waiting.appendEntry({ sessionId: 'ses_1', localId: '1', role: 'user', content: 'text' });
  await waitUntil(() => waiting.isStalled);
  isReachable = true;
  capabilities.applyHello({ serverTime: 0, deviceId: 'dev_1' });
  expect(await stored).toBe('msg_1');
  await waiting.close();
});
