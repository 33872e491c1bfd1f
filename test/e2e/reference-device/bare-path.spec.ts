import { dirname } from 'node:path';
import { ApprovalFixture } from '../../support/approval-fixture';
import type { MachineProcess } from '../../support/machine-process';
import { waitFor } from '../../support/wait-for';

const PATH = '/opt/none:/usr/bin:/bin';

describe('a machine under the bare PATH of a service manager', () => {
  let fixture: ApprovalFixture;
  let machine: MachineProcess;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    machine = await fixture.startMachineWith({ env: { PATH }, args: ['--agent', 'odd=odd-acp --flag'] });
  });
  afterAll(() => fixture?.stop());

  it('announces the agents that it finds only, and tells its user of the others', async () => {
    const { token } = await fixture.ada.createToken(['machines:read']);
    await waitFor(async () => {
      const { body } = await fixture.service.http.get(`/external/v1/machines/${machine.id}`, token);
      expect(body.data.agents).toMatchObject([{ name: 'test' }]);
    });
    expect(machine.events).toContainEqual({
      event: 'agent',
      problem: expect.stringMatching(
        /^The agent "odd" is not offered to callers\. The command "odd-acp" was not found\. .*\/opt\/none:/,
      ),
    });
  });

  it('says where it searched for an agent that a caller names all the same', async () => {
    const answer = await fixture.post(`/machines/${machine.id}/sessions`, { agent: 'odd' });
    expect(answer).toMatchObject({ status: 502, body: { deviceError: { code: 'agent_not_found' } } });
    const nodeFolder = dirname(process.execPath);
    const searched = PATH.split(':').includes(nodeFolder) ? PATH : `${PATH}:${nodeFolder}`;
    expect(answer.body.deviceError.message).toBe(
      `The agent could not be started: The command "odd-acp" was not found. The device searched for it in ${searched}.`,
    );
  });

  it('starts the agents that it finds', async () => {
    await fixture.startSession(machine);
  });
});
