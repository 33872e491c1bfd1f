import type { DeviceState } from '../device-state';
import { MemoryKeyStore } from '../index';
import { ScriptedAgents } from '../testing/scripted-agents';
import {
  createMessageRequest,
  createSessionRequest,
  createStartRequest,
  ServedMachine,
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

  it('does not keep a session from its end', async () => {
    await served.service.callDevice(createStartRequest());
    store.isFull = true;
    const answer = await served.service.callDevice({ ...createSessionRequest('session.end', {}), sessionId: 'ses_2' });
    expect(answer).toEqual({ ok: true, result: { state: 'ended' } });
    expect([...served.service.sessions.values()][1]).toMatchObject({ id: 'ses_2', state: 'ended' });
    expect(served.events).toContainEqual({ event: 'agent', problem: "The key file can't be written: ENOSPC" });
  });
});
