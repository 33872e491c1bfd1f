import { setTimeout as sleep } from 'node:timers/promises';
import { buildDeltaBinding, buildMessageBinding, type DeltaMessage, openContent } from '@external-api/protocol';
import { AgentProcessPool } from '../agent/agent-process-pool';
import type { AgentTurnListener } from '../agent/agent-session';
import { buildTestAgent, createTestAgentCommand } from '../agent/testing/test-agents';
import { MemoryKeyStore } from '../index';
import { ScriptedAgents, type AgentScript } from '../testing/scripted-agents';
import { createMessageRequest, createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';

const SESSION = { sessionId: 'ses_1' };

let store: MemoryKeyStore;
let served: ServedMachine;
/** Lets the waiting script go on. */
let goOn: () => void;

beforeAll(() => buildTestAgent(), 120_000);
afterEach(() => served.stop());

async function startMachine(scripts: Record<string, AgentScript>): Promise<void> {
  store = new MemoryKeyStore();
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ store, agents: { commands: [command], provider: new ScriptedAgents(scripts) } });
}

const say = (listener: AgentTurnListener, ...words: string[]) => {
  for (const word of words) listener.messageTextAdded?.(word);
};
const wait = () => new Promise<void>((resolve) => (goOn = resolve));
const startTurn = async (content: string): Promise<string> => {
  const request = createSessionRequest('session.message', { content, waitMs: 0 });
  expect(await served.service.callDevice(request)).toMatchObject({ ok: true });
  return request.requestId;
};
const waitForEnd = (requestId: string) =>
  waitUntil(() => served.service.agents.turns.get(requestId)?.state === 'completed', 20_000);
const waitForDeltas = (count: number) => waitUntil(() => served.service.deltas.length >= count, 20_000);

async function open(content: string, place: Parameters<typeof openContent>[2]): Promise<string> {
  const [dataKey] = Object.values((await store.loadState('machine'))!.dataKeys!);
  return Buffer.from((await openContent(content, dataKey!, place)).bytes).toString();
}
const getTag = () => served.runner.identity.sessionTag;
const openDelta = ({ localId, kind, n, content }: DeltaMessage) =>
  open(content, buildDeltaBinding('acc_1', getTag(), localId, n, kind));

/** Joins the deltas of each message, after a check that they are numbered from 0. */
async function joinDeltas(): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const counts: Record<string, number> = {};
  for (const delta of served.service.deltas) {
    const { localId, n } = delta;
    expect(n).toBe(counts[localId] ?? 0);
    counts[localId] = n + 1;
    texts[localId] = (texts[localId] ?? '') + (await openDelta(delta));
  }
  return texts;
}

/** Returns the agent's stored messages by `localId`. */
async function openMessages(): Promise<Record<string, string>> {
  const written = served.service.messages.filter(({ role }) => role === 'assistant');
  const opened = written.map(async ({ localId, role, content }) => [
    localId,
    await open(content, buildMessageBinding('acc_1', getTag(), localId, role)),
  ]);
  return Object.fromEntries(await Promise.all(opened)) as Record<string, string>;
}

describe('a watched session', () => {
  it('gets the text of each message under the id that its record will have', async () => {
    await startMachine({
      work: async (listener) => {
        say(listener, 'Let me ', 'look.');
        await wait();
        listener.messageCompleted('Let me look.');
        listener.toolCallFinished({ id: 'c', title: 'ls', kind: 'execute', status: 'completed', output: '' });
        say(listener, 'Done', ' €😀.');
        await wait();
        listener.messageCompleted('Done €😀.');
      },
    });
    served.service.watch(SESSION);
    const requestId = await startTurn('work');
    await waitForDeltas(1);
    goOn();
    await waitForDeltas(2);
    goOn();
    await waitForEnd(requestId);
    expect(await joinDeltas()).toEqual(await openMessages());
    const [first, second] = served.service.deltas;
    const turnId = requestId.replace('req_', 'turn_');
    expect(first).toEqual({ ...SESSION, turnId, localId: `${requestId}:1`, n: 0, content: expect.any(String) });
    expect(second).toMatchObject({ turnId, localId: `${requestId}:3`, n: 0 });
  }, 60_000);

  it('gets the whole text of a message that is long, as long as it is not stored', async () => {
    const text = 'Größe '.repeat(2_000);
    await startMachine({
      work: (listener) => {
        say(listener, text);
        listener.messageCompleted(text);
      },
    });
    let store: () => void = () => undefined;
    const stored = new Promise<void>((resolve) => (store = resolve));
    served.service.delayRequest = (route) => (route.endsWith('/messages') ? stored : undefined);
    served.service.watch(SESSION);
    const requestId = await startTurn('work');
    await waitForDeltas(4);
    store();
    await waitForEnd(requestId);
    expect(await joinDeltas()).toEqual({ [`${requestId}:1`]: text });
    expect(await openMessages()).toEqual({ [`${requestId}:1`]: text });
  }, 60_000);

  it('gets what was written before, when it is watched later', async () => {
    await startMachine({
      work: async (listener) => {
        say(listener, 'one ', 'two ');
        await wait();
        say(listener, 'three');
        await wait();
        listener.messageCompleted('one two three');
      },
    });
    const requestId = await startTurn('work');
    await waitUntil(() => served.service.agents.turns.get(requestId)?.state === 'running');
    await sleep(300);
    expect(served.service.deltas).toEqual([]);
    served.service.watch(SESSION);
    await waitForDeltas(1);
    goOn();
    await waitForDeltas(2);
    goOn();
    await waitForEnd(requestId);
    expect(await joinDeltas()).toEqual({ [`${requestId}:1`]: 'one two three' });
  }, 60_000);

  it('gets nothing more after the connection has ended, until it is watched again', async () => {
    await startMachine({
      work: async (listener) => {
        say(listener, 'one ');
        await wait();
        say(listener, 'two');
        await wait();
        listener.messageCompleted('one two');
      },
    });
    served.service.watch(SESSION);
    const requestId = await startTurn('work');
    await waitForDeltas(1);
    const socketCount = served.service.sockets.length;
    served.service.sockets.at(-1)!.disconnect(true);
    await waitUntil(() => served.service.sockets.length > socketCount && served.connectedSockets === 1, 20_000);
    goOn();
    await sleep(600);
    expect(served.service.deltas).toHaveLength(1);
    served.service.watch(SESSION);
    await waitForDeltas(2);
    goOn();
    await waitForEnd(requestId);
    expect(await joinDeltas()).toEqual({ [`${requestId}:1`]: 'one two' });
  }, 60_000);
});

it.each([
  ['no lease', () => undefined],
  ['a lease that has ended', () => served.service.watch(SESSION, -1)],
  ['a lease of another session', () => served.service.watch({ sessionId: 'ses_2' })],
  ['a malformed lease', () => served.service.sockets.at(-1)!.emit('turn:watch', SESSION)],
])(
  'sends no deltas with %s',
  async (_, prepare) => {
    await startMachine({
      work: async (listener) => {
        say(listener, 'Hello');
        await sleep(500);
        listener.messageCompleted('Hello');
      },
    });
    prepare();
    await waitForEnd(await startTurn('work'));
    expect(served.service.deltas).toEqual([]);
  },
  60_000,
);

it('is declared by a machine with agents only', async () => {
  const getDeclared = () => (served.service.sockets.at(-1)!.handshake.auth as { capabilities: string[] }).capabilities;
  await startMachine({});
  expect(getDeclared()).toContain('session.watch');
  await served.stop();
  served = await ServedMachine.start();
  expect(getDeclared()).not.toContain('session.watch');
});

it('shows what a real agent writes while it writes it', async () => {
  store = new MemoryKeyStore();
  const provider = new AgentProcessPool();
  served = await ServedMachine.start({ store, agents: { commands: [createTestAgentCommand()], provider } });
  served.service.watch(SESSION);
  const request = createMessageRequest('updates 500\ntool output\nsay The end.');
  await served.service.callDevice(request);
  await waitForEnd(request.requestId);
  const messages = await openMessages();
  expect(Object.keys(messages)).toEqual([1, 3].map((position) => `${request.requestId}:${position}`));
  const deltas = await joinDeltas();
  expect(served.service.deltas.length).toBeGreaterThan(1);
  for (const [localId, text] of Object.entries(deltas)) expect(messages[localId]!.startsWith(text)).toBe(true);
}, 60_000);

it('shows what a real agent thinks, plans and does, under the ids of the stored tool calls', async () => {
  store = new MemoryKeyStore();
  const provider = new AgentProcessPool();
  served = await ServedMachine.start({ store, agents: { commands: [createTestAgentCommand()], provider } });
  served.service.watchProgress('ses_1');
  const request = createMessageRequest('think hm\nplan One|Two\nwait 500\nslow-tool 700\nsay The end.');
  await served.service.callDevice(request);
  await waitForEnd(request.requestId);
  const { requestId } = request;
  const opened = await Promise.all(
    served.service.deltas.map(async (delta) => [delta.localId, delta.kind, await openDelta(delta)] as const),
  );
  const [thought, plan, begun] = opened;
  expect(thought).toEqual([`${requestId}:thought0`, 'thought', 'hm']);
  expect([plan![0], plan![1], JSON.parse(plan![2])]).toEqual([
    `${requestId}:plan`,
    'plan',
    {
      entries: [
        { content: 'One', status: 'completed', priority: 'medium' },
        { content: 'Two', status: 'in_progress', priority: 'medium' },
      ],
      omitted: 0,
    },
  ]);
  expect([begun![0], begun![1], JSON.parse(begun![2])]).toEqual([
    `${requestId}:1`,
    'tool',
    expect.objectContaining({ title: 'Run the tests', kind: 'execute', status: 'in_progress', output: '' }),
  ]);
  expect(served.service.messages.map(({ localId, role }) => [localId, role]).slice(1)).toEqual([
    [`${requestId}:1`, 'tool'],
    [`${requestId}:2`, 'assistant'],
  ]);
  expect(opened.every(([, kind]) => kind !== undefined)).toBe(true);
}, 60_000);
