import type { DeviceState } from '../device-state';
import { MemoryKeyStore } from '../index';
import { ScriptedAgents } from '../testing/scripted-agents';
import {
  createMessageRequest,
  createSessionRequest,
  createStartRequest,
  ServedMachine,
  waitUntil,
} from '../testing/served-machine';

/** Store whose key file can't be written while the disk is full. */
class FullDiskKeyStore extends MemoryKeyStore {
  isFull = false;

  override saveState(state: DeviceState): Promise<void> {
    return this.isFull ? Promise.reject(new Error('ENOSPC')) : super.saveState(state);
  }
}

let served: ServedMachine;
let agents: ScriptedAgents;
let store: FullDiskKeyStore;

beforeEach(async () => {
  store = new FullDiskKeyStore();
  agents = new ScriptedAgents();
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ store, agents: { commands: [command], provider: agents } });
});
afterEach(() => served.stop());

const sendMessage = (content: string, caller = 'pat') =>
  served.service.callDevice({ ...createMessageRequest(content), caller });
const failed = { result: { turn: { state: 'failed' } } };
const completed = { result: { turn: { state: 'completed' } } };
const loadSession = async () => Object.values((await store.loadState('machine'))!.agentSessions!)[0];

describe('a key file that cannot be written', () => {
  it('keeps the message of an app from the agent until the file says that an app has prompted it', async () => {
    expect(await sendMessage('first')).toMatchObject(completed);
    store.isFull = true;
    expect(await sendMessage('never', 'app')).toMatchObject(failed);
    store.isFull = false;
    expect(await sendMessage('of an app', 'app')).toMatchObject(completed);
    expect(agents.prompts).toEqual(['first', 'of an app']);
    expect(await loadSession()).toMatchObject({ hasUntrustedPrompt: true });
  });

  it("has the agent's session as soon as it can be written again", async () => {
    store.isFull = true;
    expect(await sendMessage('never')).toMatchObject(failed);
    store.isFull = false;
    expect(await sendMessage('hello')).toMatchObject(completed);
    expect(await loadSession()).toMatchObject({ agentSessionId: expect.any(String) });
  });

  it.each([
    ['at once', true],
    ['before its next prompt', false],
  ])('leaves the options of an agent that would get them %s as they are', async (_, isRunning) => {
    const option = { id: 'effort', name: 'Effort', category: 'thought_level', type: 'select' as const, value: 'low' };
    const values = ['low', 'high'].map((value) => ({ value, name: value }));
    agents.offer = { options: [{ ...option, values }], commands: [] };
    expect(await sendMessage('first')).toMatchObject(completed);
    agents.isRunning = isRunning;
    store.isFull = true;
    const change = createSessionRequest('session.configure', { options: { effort: 'high' }, mayDecide: false });
    expect(await served.service.callDevice(change)).toMatchObject({ ok: false, error: { code: 'internal' } });
    store.isFull = false;
    const read = createSessionRequest('session.options', {});
    expect(await served.service.callDevice(read)).toMatchObject({ result: { options: [{ value: 'low' }] } });
    expect(await sendMessage('second')).toMatchObject(completed);
    expect(agents.requests.at(-1)?.options?.values.effort).not.toBe('high');
    expect(agents.offer.options[0]?.value).toBe('low');
  });

  it('does not keep the machine from a new token', async () => {
    store.isFull = true;
    served.service.accounts.tokens.clear();
    const connections = served.countEvents('connected');
    served.service.sockets.at(-1)!.disconnect();
    await waitUntil(() => served.countEvents('connected') > connections);
    store.isFull = false;
    expect(await sendMessage('hello')).toMatchObject(completed);
  });

  it('makes a start wait, of which there is nothing until it can be written again', async () => {
    const start = () => served.service.callDevice(createStartRequest({ tag: 'work' }));
    store.isFull = true;
    expect(await start()).toMatchObject({ ok: false, error: { code: 'busy' } });
    expect(await start()).toMatchObject({ ok: false, error: { code: 'busy' } });
    expect(served.service.sessions.has('work')).toBe(false);
    store.isFull = false;
    expect(await start()).toMatchObject({ ok: true });
    expect((await store.loadState('machine'))?.dataKeys).toHaveProperty('work');
  });

  it('does not keep a session from its end', async () => {
    await served.service.callDevice(createStartRequest());
    store.isFull = true;
    const answer = await served.service.callDevice({ ...createSessionRequest('session.end', {}), sessionId: 'ses_2' });
    expect(answer).toEqual({ ok: true, result: { state: 'ended' } });
    expect([...served.service.sessions.values()][1]).toMatchObject({ id: 'ses_2', state: 'ended' });
    expect(served.events).toContainEqual({ event: 'agent', problem: "The key file can't be written: ENOSPC" });
  });
});

it('makes a message wait that the journal of turns can not take, and leaves nothing of it', async () => {
  const journal = store.openTurnJournal();
  const save = journal.saveEntry.bind(journal);
  // The last step of the write fails.
  journal.saveEntry = async (entry, isSynced) => {
    await save(entry, isSynced);
    throw new Error('ENOSPC');
  };
  expect(await sendMessage('never')).toMatchObject({ ok: false, error: { code: 'busy' } });
  expect(await journal.loadEntries()).toEqual([]);
  journal.saveEntry = save;
  expect(await sendMessage('hello')).toMatchObject(completed);
  expect(agents.prompts).toEqual(['hello']);
});
