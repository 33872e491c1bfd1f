import type { AccountApi } from '../content/account-api';
import type { InvocationRecord } from '../content/records';
import { UnreachableError } from '../lib/api-client';
import { InvocationFollower } from './invocation-follower';

const WRITTEN = 'first\nsecond\n';
const RECORD = { id: 'inv_1', state: 'running' } as InvocationRecord;

describe('following the output of a command', () => {
  let stream: ReadableStreamDefaultController<Uint8Array>;
  let isReachable: boolean;
  let responseMs: number;
  let follower: InvocationFollower;

  const api = {
    openStream: () => {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => (stream = controller) });
      return Promise.resolve({ body });
    },
    getResult: async (path: string) => {
      const isAnswered = isReachable;
      if (responseMs > 0) await new Promise((resolve) => setTimeout(resolve, responseMs));
      if (!isAnswered) throw new UnreachableError();
      const query = new URL(path, 'https://service.test').searchParams;
      const text = query.get('stream') === 'stdout' ? WRITTEN : '';
      const offset = Number(query.get('offset'));
      const data = btoa(text.slice(offset));
      return { offset, nextOffset: text.length, totalBytes: text.length, data };
    },
  } as unknown as AccountApi;

  const write = async (type: string, data: object) => {
    stream.enqueue(Buffer.from(`event: ${type}\ndata: ${JSON.stringify(data)}\n\n`));
    await jest.advanceTimersByTimeAsync(0);
  };

  beforeEach(async () => {
    jest.useFakeTimers();
    const page = Object.assign(new EventTarget(), { hidden: false });
    const nothing = () => undefined;
    Object.assign(globalThis, { document: page, addEventListener: nothing, removeEventListener: nothing });
    isReachable = false;
    responseMs = 0;
    follower = new InvocationFollower(api, '/invocations/inv_1', RECORD, () => undefined);
    follower.follow();
    await jest.advanceTimersByTimeAsync(0);
  });
  afterEach(() => {
    follower.stop();
    jest.useRealTimers();
  });

  it('shows what is missing after a failed read as soon as a read succeeds', async () => {
    await write('stream.opened', { data: RECORD });
    await write('output', { stream: 'stdout', offset: 6, data: btoa('second\n') });
    expect(follower.stdout.writtenText).toContain('6 bytes are missing here');
    isReachable = true;
    await write('invocation.ended', { data: { ...RECORD, state: 'completed' } });
    expect([follower.stdout.writtenText, follower.problem]).toEqual([WRITTEN, '']);
  });

  it('shows all of a command that ends while an earlier read fails', async () => {
    responseMs = 100;
    await write('stream.opened', { data: RECORD });
    await write('output', { stream: 'stdout', offset: 6, data: btoa('second\n') });
    isReachable = true;
    responseMs = 200;
    await write('invocation.ended', { data: { ...RECORD, state: 'completed' } });
    await jest.advanceTimersByTimeAsync(1_000);
    expect([follower.stdout.writtenText, follower.problem]).toEqual([WRITTEN, '']);
  });
});
