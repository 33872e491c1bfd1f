import { UnreachableError } from '../client-errors';
import { Backoff } from '../machine/backoff';
import { CapabilityNegotiation } from '../machine/capability-negotiation';
import type { SignedInDevice } from '../signed-in-device';
import { MemoryHistoryOutbox, type HistoryEntry } from './history-outbox';
import { HistoryWriter } from './history-writer';

const CONTENT = 'x'.repeat(350_000);

let isReachable: boolean;
let writer: HistoryWriter;

beforeEach(async () => {
  isReachable = false;
  const callApi = (_method: string, _path: string, { messages }: { messages: HistoryEntry[] }) =>
    isReachable
      ? Promise.resolve({ data: messages.map(({ localId }) => ({ localId, id: `msg_${localId}` })) })
      : Promise.reject(new UnreachableError('The service is away.'));
  const device = { callApi } as unknown as SignedInDevice;
  const backoff = new Backoff({ baseMs: 5, maxMs: 10 });
  const outbox = new MemoryHistoryOutbox();
  writer = await HistoryWriter.openFromOutbox(device, outbox, new CapabilityNegotiation(), backoff);
});
afterEach(() => writer.close());

const appendMessage = (localId: string, content: string) =>
  writer.appendEntry({ sessionId: 'ses_1', localId, role: 'assistant', content });

/** Returns how many messages of this content the writer takes while the service is away. */
async function countAccepted(content: string): Promise<number> {
  let count = 0;
  while (!writer.isFull && count < 2_000) await appendMessage(String(++count), content);
  return count;
}

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
