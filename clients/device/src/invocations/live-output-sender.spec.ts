import { randomBytes } from 'node:crypto';
import {
  MAX_LIVE_OUTPUT_BYTES,
  MAX_LIVE_OUTPUT_BYTES_PER_SECOND,
  WATCH_LEASE_MS,
  type OutputMessage,
} from '@external-api/protocol';
import { LiveOutputRequests, type LiveConnection } from '../live/live-output-requests';
import { LiveOutputSender } from './live-output-sender';

const CHUNK_BYTES = 65_536;

let sent: (OutputMessage & { sentAt: number })[];
let connection: LiveConnection & { isCongested: boolean };
let liveOutput: LiveOutputRequests;
let sender: LiveOutputSender;

beforeEach(() => {
  jest.useFakeTimers();
  sent = [];
  connection = {
    isCongested: false,
    sendLiveMessage: (_, message) => void sent.push({ ...(message as OutputMessage), sentAt: performance.now() }),
  };
  liveOutput = new LiveOutputRequests({ now: () => Date.now() }, () => true);
  sender = new LiveOutputSender('inv_1', liveOutput);
});
afterEach(() => jest.useRealTimers());

const watch = (ms = WATCH_LEASE_MS) =>
  liveOutput.applyInvocationWatch({ invocationId: 'inv_1', until: Date.now() + ms }, connection);
const getParts = () => sent.map(({ stream, offset, data }) => [stream, offset, Buffer.from(data, 'base64').toString()]);

/** Writes whole chunks, `count` each millisecond, and renews the lease. Returns what was written. */
function flood(ms: number, count: number): Buffer {
  const chunk = randomBytes(CHUNK_BYTES);
  let offset = 0;
  for (let elapsed = 0; elapsed < ms; elapsed++, jest.advanceTimersByTime(1)) {
    if (elapsed % 10_000 === 0) watch();
    for (let each = 0; each < count; each++, offset += chunk.length) sender.addBytes('stdout', offset, chunk);
  }
  return Buffer.concat(Array.from({ length: 2 }, () => chunk));
}

it('merges what a command writes, for each stream', () => {
  watch();
  sender.addBytes('stdout', 0, Buffer.from('one '));
  sender.addBytes('stderr', 0, Buffer.from('err'));
  sender.addBytes('stdout', 4, Buffer.from('two'));
  expect(sent).toEqual([]);
  jest.advanceTimersByTime(1_000);
  sender.addBytes('stdout', 7, Buffer.from('three'));
  jest.advanceTimersByTime(1_000);
  expect(sent[0]).toMatchObject({ invocationId: 'inv_1' });
  expect(getParts()).toEqual([
    ['stdout', 0, 'one two'],
    ['stderr', 0, 'err'],
    ['stdout', 7, 'three'],
  ]);
});

it('sends full messages at once, and the rest later', () => {
  watch();
  sender.addBytes('stdout', 0, Buffer.alloc(2 * MAX_LIVE_OUTPUT_BYTES + 1));
  expect(sent.map(({ offset, data }) => [offset, Buffer.from(data, 'base64').length])).toEqual([
    [0, MAX_LIVE_OUTPUT_BYTES],
    [MAX_LIVE_OUTPUT_BYTES, MAX_LIVE_OUTPUT_BYTES],
  ]);
  jest.advanceTimersByTime(1_000);
  expect(sent[2]).toMatchObject({ offset: 2 * MAX_LIVE_OUTPUT_BYTES, data: 'AA==' });
});

it('begins with what is written while somebody reads it', () => {
  sender.addBytes('stdout', 0, Buffer.from('unread'));
  watch(1_000);
  sender.addBytes('stdout', 6, Buffer.from('read'));
  jest.advanceTimersByTime(1_000);
  sender.addBytes('stdout', 10, Buffer.from('unread'));
  jest.advanceTimersByTime(1_000);
  watch();
  sender.addBytes('stdout', 16, Buffer.from('again'));
  jest.advanceTimersByTime(1_000);
  expect(getParts()).toEqual([
    ['stdout', 6, 'read'],
    ['stdout', 16, 'again'],
  ]);
});

it('sends nothing after the connection has ended', () => {
  watch();
  sender.addBytes('stdout', 0, Buffer.from('text'));
  liveOutput.removeConnection(connection);
  jest.advanceTimersByTime(1_000);
  sender.close();
  expect(sent).toEqual([]);
});

it('sends at most the limit in every second, in full messages, and the end of the output', () => {
  const chunks = flood(10_000, 2);
  sender.addBytes('stderr', 0, Buffer.alloc(CHUNK_BYTES - 1));
  sender.close();
  for (const { sentAt: start } of sent) {
    const inSecond = sent.filter(({ sentAt }) => sentAt >= start && sentAt < start + 1_000);
    const bytes = inSecond.reduce((sum, { data }) => sum + Buffer.from(data, 'base64').length, 0);
    expect(bytes).toBeLessThanOrEqual(MAX_LIVE_OUTPUT_BYTES_PER_SECOND);
  }
  expect(sent.length).toBeGreaterThan(60);
  let end = 0;
  for (const { stream, offset, data } of sent.slice(0, -1)) {
    const bytes = Buffer.from(data, 'base64');
    expect([stream, bytes.length, offset >= end]).toEqual(['stdout', MAX_LIVE_OUTPUT_BYTES, true]);
    const position = offset % CHUNK_BYTES;
    expect(bytes.equals(chunks.subarray(position, position + bytes.length))).toBe(true);
    end = offset + bytes.length;
  }
  // Of the end nothing is missing.
  expect(end).toBe(10_000 * 2 * CHUNK_BYTES);
  expect(sent.at(-1)).toMatchObject({ stream: 'stderr', offset: 0 });
});

it('drops the oldest bytes while the socket has much to send, and sends the newest afterwards', () => {
  watch();
  connection.isCongested = true;
  sender.addBytes('stdout', 0, Buffer.from('old'));
  jest.advanceTimersByTime(1_000);
  sender.addBytes('stdout', 3, Buffer.alloc(MAX_LIVE_OUTPUT_BYTES, 'n'));
  jest.advanceTimersByTime(1_000);
  expect(sent).toEqual([]);
  connection.isCongested = false;
  jest.advanceTimersByTime(1_000);
  expect(sent).toMatchObject([{ offset: 3, data: Buffer.alloc(MAX_LIVE_OUTPUT_BYTES, 'n').toString('base64') }]);
});

it('sends the rest at the end of the command without a delay', () => {
  watch();
  sender.addBytes('stdout', 0, Buffer.from('end'));
  sender.addBytes('stderr', 0, Buffer.from('too'));
  sender.close();
  expect(getParts()).toEqual([
    ['stdout', 0, 'end'],
    ['stderr', 0, 'too'],
  ]);
  jest.advanceTimersByTime(10_000);
  expect(sent).toHaveLength(2);
});
