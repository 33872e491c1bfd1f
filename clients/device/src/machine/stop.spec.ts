import { ScriptedAgents } from '../testing/scripted-agents';
import { ServedMachine, waitUntil } from '../testing/served-machine';

let served: ServedMachine;
let agents: ScriptedAgents;
beforeEach(async () => {
  agents = new ScriptedAgents();
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
});
