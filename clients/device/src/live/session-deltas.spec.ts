import { randomBytes } from 'node:crypto';
import { type DeltaMessage, MAX_DELTA_BYTES, MIN_DELTA_INTERVAL_MS, openContent } from '@external-api/protocol';
import { DeltaSender } from './delta-sender';
import { LiveOutputRequests, type LiveConnection } from './live-output-requests';
import { SessionDeltas } from './session-deltas';

const place = (number: number) => ({ turnId: 'turn_1', localId: `req_1:${number}` });
const dataKey = { kid: 'k1', k: randomBytes(32).toString('base64url') };
const session = { accountId: 'acc_1', id: 'ses_1', tag: 'tag', dataKey };

const sendDelta = jest.spyOn(DeltaSender.prototype as unknown as { sendDelta(): Promise<void> }, 'sendDelta');
let sent: DeltaMessage[];
let problems: string[];
let connection: LiveConnection & { isCongested: boolean };
let liveOutput: LiveOutputRequests;
let deltas: SessionDeltas;

const createConnection = () => ({
  isCongested: false,
  sendLiveMessage: (_: string, message: unknown) => void sent.push(message as DeltaMessage),
});

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
  [sent, problems, connection] = [[], [], createConnection()];
  liveOutput = new LiveOutputRequests({ now: () => Date.now() }, () => true);
  deltas = new SessionDeltas(session, { liveOutput, onProblem: (problem) => problems.push(problem) });
  liveOutput.onSessionWatched(() => deltas.scheduleDelta());
});
afterEach(() => {
  sendDelta.mockClear();
  jest.useRealTimers();
});

const watch = (ms = 30_000) => liveOutput.applyTurnWatch({ sessionId: 'ses_1', until: Date.now() + ms }, connection);

/** Lets time pass, and the encryption that it starts end. */
async function pass(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms);
  await Promise.all(sendDelta.mock.results.map(({ value }) => value as Promise<void>));
}

async function decrypt({ localId, n, content }: DeltaMessage): Promise<string> {
  const { mediaType, bytes } = await openContent(content, dataKey, { a: 'acc_1', s: 'tag', d: localId, n });
  expect(mediaType).toBe('text/plain; charset=utf-8');
  return Buffer.from(bytes).toString();
}
const decryptAll = () => Promise.all(sent.map(decrypt));
const getPlaces = () => sent.map(({ localId, n }) => `${localId} ${n}`);

it('sends the first text at once and merges what follows within an interval', async () => {
  watch();
  deltas.addText(place(1), 'Hello');
  await pass(0);
  for (const text of [', ', 'wor', 'ld']) deltas.addText(place(1), text);
  await pass(MIN_DELTA_INTERVAL_MS - 1);
  expect(sent).toHaveLength(1);
  await pass(1);
  expect(sent).toMatchObject([
    { sessionId: 'ses_1', turnId: 'turn_1', localId: 'req_1:1', n: 0 },
    { sessionId: 'ses_1', turnId: 'turn_1', localId: 'req_1:1', n: 1 },
  ]);
  expect(await decryptAll()).toEqual(['Hello', ', world']);
});

it('numbers the deltas of each message from 0, the rest of the one before first', async () => {
  watch();
  deltas.addText(place(1), 'a');
  await pass(0);
  deltas.addText(place(1), 'b');
  deltas.completeMessage('req_1:1');
  deltas.addText(place(3), 'c');
  await pass(MIN_DELTA_INTERVAL_MS);
  await pass(MIN_DELTA_INTERVAL_MS);
  expect(getPlaces()).toEqual(['req_1:1 0', 'req_1:1 1', 'req_1:3 0']);
  expect(await decryptAll()).toEqual(['a', 'b', 'c']);
});

it('keeps the interval between messages and turns', async () => {
  watch();
  deltas.addText(place(1), 'a');
  await pass(0);
  deltas.completeMessage('req_1:1');
  deltas.addText({ turnId: 'turn_2', localId: 'req_2:1' }, 'b');
  await pass(MIN_DELTA_INTERVAL_MS - 1);
  expect(sent).toHaveLength(1);
  await pass(1);
  expect(getPlaces()).toEqual(['req_1:1 0', 'req_2:1 0']);
});

it.each([
  ['one byte', 'x'],
  ['two bytes', 'ä'],
  ['three bytes', '€'],
  ['four bytes', '😀'],
])('divides long text between characters of %s', async (_, character) => {
  watch();
  const text = `a${character.repeat(6_000)}`;
  deltas.addText(place(1), text);
  for (let interval = 0; interval < 10; interval++) await pass(MIN_DELTA_INTERVAL_MS);
  const parts = await decryptAll();
  expect(parts.join('') === text).toBe(true);
  const sizes = parts.map((part) => Buffer.byteLength(part));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_DELTA_BYTES);
  expect(Math.min(...sizes.slice(0, -1))).toBeGreaterThan(MAX_DELTA_BYTES - 4);
  expect(getPlaces()).toEqual(parts.map((_part, n) => `req_1:1 ${n}`));
});

it('sends nothing unwatched, and the whole message from n = 0 to a reader who comes later', async () => {
  deltas.addText(place(1), 'before ');
  await pass(10_000);
  expect(sent).toEqual([]);
  watch();
  deltas.addText(place(1), 'after');
  await pass(0);
  expect(getPlaces()).toEqual(['req_1:1 0']);
  expect(await decryptAll()).toEqual(['before after']);
});

it('stops at the end of the lease, and continues with a new one where it stopped', async () => {
  watch(1_000);
  deltas.addText(place(1), 'a');
  await pass(0);
  await pass(1_000);
  deltas.addText(place(1), 'b');
  await pass(10_000);
  expect(sent).toHaveLength(1);
  watch();
  await pass(0);
  expect(getPlaces()).toEqual(['req_1:1 0', 'req_1:1 1']);
  expect(await decryptAll()).toEqual(['a', 'b']);
});

it('ends with the connection', async () => {
  watch();
  deltas.addText(place(1), 'a');
  liveOutput.removeConnection(connection);
  await pass(10_000);
  expect(sent).toEqual([]);
});

it('sends no more of a stored message, nor of one that was complete before somebody read it', async () => {
  deltas.addText(place(1), 'unread');
  deltas.completeMessage('req_1:1');
  watch();
  deltas.addText(place(2), 'x'.repeat(MAX_DELTA_BYTES + 1));
  await pass(0);
  deltas.completeMessage('req_1:2');
  deltas.discardMessage('req_1:2');
  await pass(10_000);
  expect(getPlaces()).toEqual(['req_1:2 0']);
});

it('waits while the socket has much to send', async () => {
  watch();
  connection.isCongested = true;
  deltas.addText(place(1), 'a');
  for (let interval = 0; interval < 5; interval++) await pass(MIN_DELTA_INTERVAL_MS);
  deltas.addText(place(1), 'b');
  expect(sent).toEqual([]);
  connection.isCongested = false;
  await pass(MIN_DELTA_INTERVAL_MS);
  expect(await decryptAll()).toEqual(['ab']);
});

it('goes on after a failure, which it logs once and without the text', async () => {
  const broken = new SessionDeltas(
    { ...session, dataKey: { kid: 'k1', k: 'short' } },
    { liveOutput, onProblem: (problem) => problems.push(problem) },
  );
  watch();
  for (const text of ['secret', 'words']) {
    broken.addText(place(1), text);
    await pass(MIN_DELTA_INTERVAL_MS);
  }
  expect(problems).toEqual([expect.stringContaining('ses_1')]);
  expect(problems.join()).not.toMatch(/secret|words/);
  expect(sent).toEqual([]);
});
