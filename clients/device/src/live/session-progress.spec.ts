import { randomBytes } from 'node:crypto';
import {
  buildDeltaBinding,
  type DeltaMessage,
  MAX_DELTA_BYTES,
  MIN_DELTA_INTERVAL_MS,
  openContent,
} from '@external-api/protocol';
import type { ToolCallRecord } from '../agent/agent-session';
import { DeltaSender } from './delta-sender';
import { LiveOutputRequests, type LiveConnection } from './live-output-requests';
import { formatPlan, formatToolCall } from './progress-content';
import { SessionProgress } from './session-progress';

const place = (id: number | string) => ({ turnId: 'turn_1', localId: `req_1:${id}` });
const dataKey = { kid: 'k1', k: randomBytes(32).toString('base64url') };
const session = { accountId: 'acc_1', id: 'ses_1', tag: 'tag', dataKey };
const CALL: ToolCallRecord = { id: 'c1', title: 'make', kind: 'execute', status: 'in_progress', output: '' };

const sendDelta = jest.spyOn(DeltaSender.prototype as unknown as { sendDelta(): Promise<void> }, 'sendDelta');
let sent: DeltaMessage[];
let connection: LiveConnection;
let liveOutput: LiveOutputRequests;
let progress: SessionProgress;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
  sent = [];
  connection = { isCongested: false, sendLiveMessage: (_, message) => void sent.push(message as DeltaMessage) };
  liveOutput = new LiveOutputRequests({ now: () => Date.now() }, () => true);
  progress = new SessionProgress(session, { liveOutput, onProblem: () => undefined });
  liveOutput.onProgressWatched(() => progress.repeatStates());
});
afterEach(() => {
  sendDelta.mockClear();
  jest.useRealTimers();
});

const lease = () => ({ sessionId: 'ses_1', until: Date.now() + 30_000 });
const watch = () => liveOutput.applyProgressWatch(lease(), connection);

/** Lets intervals pass, and the encryption that they start end. */
async function pass(intervals = 1): Promise<void> {
  for (let interval = 0; interval < intervals; interval++) {
    jest.advanceTimersByTime(MIN_DELTA_INTERVAL_MS);
    await Promise.all(sendDelta.mock.results.map(({ value }) => value as Promise<void>));
  }
}

const openAll = () =>
  Promise.all(
    sent.map(async ({ localId, kind, n, content }) => {
      const opened = await openContent(content, dataKey, buildDeltaBinding('acc_1', 'tag', localId, n, kind));
      const text = Buffer.from(opened.bytes).toString();
      return [localId, kind, n, kind === 'thought' ? text : JSON.parse(text)] as [string, string, number, any];
    }),
  );

it('shows a call from its beginning, its newest state only, and its end', async () => {
  watch();
  let record = CALL;
  progress.changeToolCall(place(1), () => record);
  await pass();
  for (const output of ['a', 'ab', 'abc']) {
    record = { ...CALL, output };
    progress.changeToolCall(place(1), () => record);
  }
  await pass(3);
  progress.finishToolCall(place(1), { ...record, status: 'failed', exitCode: 2 });
  await pass(3);
  expect(await openAll()).toEqual([
    ['req_1:1', 'tool', 0, { ...CALL, locations: [] }],
    ['req_1:1', 'tool', 1, { ...CALL, locations: [], output: 'abc' }],
    ['req_1:1', 'tool', 2, { ...CALL, locations: [], output: 'abc', status: 'failed', exitCode: 2 }],
  ]);
});

it('sends nothing unless its own lease holds, and then all that goes on, again with each renewal', async () => {
  liveOutput.applyTurnWatch(lease(), connection);
  progress.addThought(place('thought0'), 'old');
  progress.changeToolCall(place(1), () => CALL);
  progress.changeToolCall(place(2), () => CALL);
  progress.changePlan(place('plan'), [{ content: 'Test', status: 'pending', priority: 'high' }], 0);
  progress.finishToolCall(place(2), { ...CALL, status: 'completed' });
  progress.addThought(place('thought1'), 'new ');
  await pass(3);
  expect(sent).toEqual([]);
  watch();
  await pass(4);
  progress.addThought(place('thought1'), 'thought');
  watch();
  await pass(4);
  expect(
    (await openAll()).map(([localId, , n, value]) => [localId, n, value.entries?.length ?? value.status ?? value]),
  ).toEqual([
    ['req_1:thought1', 0, 'new '],
    ['req_1:1', 0, 'in_progress'],
    ['req_1:plan', 0, 1],
    ['req_1:thought1', 1, 'thought'],
    ['req_1:1', 1, 'in_progress'],
    ['req_1:plan', 1, 1],
  ]);
});

it('shows a thought between the states of tools that change all the time', async () => {
  watch();
  progress.addThought(place('thought0'), 'x'.repeat(MAX_DELTA_BYTES + 1));
  for (let interval = 0; interval < 4; interval++) {
    progress.changeToolCall(place(1), () => CALL);
    await pass();
  }
  expect(sent.map(({ kind }) => kind)).toEqual(['thought', 'tool', 'thought', 'tool']);
});

it('ends with the turn', async () => {
  watch();
  progress.changeToolCall(place(1), () => CALL);
  progress.addThought(place('thought0'), 'x');
  progress.endTurn('turn_1');
  await pass(3);
  watch();
  await pass(3);
  expect(sent).toEqual([]);
});

it('goes on for a turn beside the one that has ended', async () => {
  watch();
  const other = (id: number | string) => ({ turnId: 'turn_2', localId: `req_2:${id}` });
  progress.changeToolCall(place(1), () => CALL);
  progress.changeToolCall(other(1), () => CALL);
  await pass(3);
  progress.addThought(other('thought0'), 'hm');
  progress.endTurn('turn_1');
  progress.finishToolCall(other(1), { ...CALL, status: 'completed' });
  await pass(3);
  expect((await openAll()).map(([localId, , n, value]) => [localId, n, value.status ?? value])).toEqual([
    ['req_1:1', 0, 'in_progress'],
    ['req_2:1', 0, 'in_progress'],
    ['req_2:thought0', 0, 'hm'],
    ['req_2:1', 1, 'completed'],
  ]);
});

it('is bound to its kind', async () => {
  watch();
  progress.addThought(place('thought0'), 'hm');
  await pass();
  const [{ localId, n, content }] = sent as [DeltaMessage];
  await expect(openContent(content, dataKey, buildDeltaBinding('acc_1', 'tag', localId, n))).rejects.toThrow();
});

describe('the content of a delta', () => {
  const path = `/${'é'.repeat(250)}`;

  it('fits, and says what is left out', () => {
    const long = { ...CALL, title: '"'.repeat(300), id: '\\'.repeat(300), output: '\\u{1b}'.repeat(3_000) };
    const text = formatToolCall({ ...long, locations: Array.from({ length: 16 }, () => ({ path, line: 1 })) });
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_DELTA_BYTES);
    expect(JSON.parse(text)).toMatchObject({ output: expect.stringContaining('bytes left out') });
    const entry = { content: '😀'.repeat(140), status: 'in_progress', priority: 'medium' };
    const plan = formatPlan(
      Array.from({ length: 200 }, () => entry),
      44,
    );
    expect(Buffer.byteLength(plan)).toBeLessThanOrEqual(MAX_DELTA_BYTES);
    const { entries, omitted } = JSON.parse(plan) as { entries: object[]; omitted: number };
    expect(entries.length + omitted).toBe(244);
  });
});
