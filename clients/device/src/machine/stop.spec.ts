import { ScriptedAgents } from '../testing/scripted-agents';
import { createMessageRequest, createSessionRequest, ServedMachine, waitUntil } from '../testing/served-machine';

let served: ServedMachine;
let agents: ScriptedAgents;
beforeEach(async () => {
  agents = new ScriptedAgents({ work: () => new Promise(() => undefined) });
  const command = { name: 'scripted', command: ['scripted'], environmentNames: [], mode: null };
  served = await ServedMachine.start({ agents: { commands: [command], provider: agents } });
});
afterEach(() => served.stop());

describe('the stop of the machine', () => {
  it('stops everything, also if a step fails', async () => {
    agents.stopAll = () => Promise.reject(new Error('An agent did not stop.'));
    await expect(served.runner.stop()).rejects.toThrow('An agent did not stop.');
    await waitUntil(() => served.connectedSockets === 0);
    agents.stopAll = () => Promise.resolve();
    served.runner = await served.machine.startServing();
  });

  it('happens once, however often it is asked for', async () => {
    const stopAll = jest.spyOn(agents, 'stopAll');
    await Promise.all([served.runner.stop(), served.runner.stop()]);
    expect(stopAll).toHaveBeenCalledTimes(1);
  });

  describe('leaves the message of a turn whose agent still starts for the next start', () => {
    const send = (content: string, ifBusy = 'queue') =>
      served.service.callDevice(createSessionRequest('session.message', { content, waitMs: 0, ifBusy }));

    it('and calls the turn not failed', async () => {
      agents.blocked = new Promise(() => undefined);
      await send('hello');
      await waitUntil(() => agents.requests.length === 1);
      await served.runner.stop();
      expect(JSON.stringify(served.events)).not.toContain('failed');
      agents.blocked = undefined;
      served.runner = await served.machine.startServing();
      await waitUntil(() => agents.prompts.includes('hello'));
    });

    it('unless another message has just interrupted the turn', async () => {
      let letGo: () => void = () => undefined;
      const stopped = new Promise<void>((resolve) => (letGo = resolve));
      const acquire = jest.spyOn(agents, 'acquireSession').mockImplementation(async (_key, _request, signal) => {
        await new Promise<void>((resolve) => signal!.addEventListener('abort', () => resolve()));
        await stopped;
        throw signal!.reason as Error;
      });
      jest.spyOn(agents, 'stopAll').mockImplementation(() => Promise.resolve(letGo()));
      await send('first');
      await waitUntil(() => acquire.mock.calls.length === 1);
      await send('second', 'interrupt');
      await served.runner.stop();
      acquire.mockRestore();
      served.runner = await served.machine.startServing();
      const listStates = () => [...served.service.agents.turns.values()].map(({ state }) => state);
      await waitUntil(() => listStates().sort().join() === 'cancelled,completed');
      expect(agents.prompts).toEqual(['second']);
    });
  });

  describe('does not wait for an agent that never answers', () => {
    const unanswered = { ok: false, error: { code: 'internal' } };
    let isAsked: boolean;
    let giveUp: (error: Error) => void = () => undefined;
    const neverAnswer = (): Promise<never> => {
      isAsked = true;
      return new Promise((_, reject) => (giveUp = reject));
    };
    /** Fails soon if the stop waits for the agent. */
    const stopMachine = async () => {
      let isStopped = false;
      void served.runner.stop().then(() => (isStopped = true));
      await waitUntil(() => isStopped);
    };
    beforeEach(() => (isAsked = false));
    // A machine that waits for it stops then.
    afterEach(() => giveUp(new Error('The test has ended.')));

    it('whether it takes a message while it works', async () => {
      agents.canSteer = true;
      agents.takeSteering = neverAnswer;
      await served.service.callDevice(createSessionRequest('session.message', { content: 'work', waitMs: 0 }));
      await waitUntil(() => agents.prompts.length === 1);
      const steering = { content: 'More.', waitMs: 0, ifBusy: 'steer' };
      const answer = served.service.callDevice(createSessionRequest('session.message', steering));
      await waitUntil(() => isAsked);
      await stopMachine();
      expect(await answer).toMatchObject(unanswered);
    });

    it('whether it takes values of its options', async () => {
      const option = { id: 'effort', name: 'Effort', category: 'thought_level', type: 'select' as const, value: 'low' };
      const values = ['low', 'high'].map((value) => ({ value, name: value }));
      agents.offer = { options: [{ ...option, values }], commands: [] };
      agents.updateSession = neverAnswer;
      await served.service.callDevice(createMessageRequest('hello'));
      const change = { options: { effort: 'high' }, mayDecide: false };
      const answer = served.service.callDevice(createSessionRequest('session.configure', change));
      await waitUntil(() => isAsked);
      await stopMachine();
      expect(await answer).toMatchObject(unanswered);
    });
  });
});
