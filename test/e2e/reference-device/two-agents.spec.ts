import { createTestAgentCommand } from '../../../clients/device/src/agent/testing/test-agents';
import { ApprovalFixture } from '../../support/approval-fixture';
import { expectStatus } from '../../support/device/foreign-device';
import type { MachineProcess } from '../../support/machine-process';
import { waitFor } from '../../support/wait-for';

describe('two agents of different kinds on one machine', () => {
  let fixture: ApprovalFixture;
  let machine: MachineProcess;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    const other = `other=env TEST_AGENT_OPTIONS=upgraded,options ${createTestAgentCommand().command.join(' ')}`;
    machine = await fixture.startMachineWith({
      env: { TEST_KEY: 'key of test', OTHER_KEY: 'key of other', OWNERS_KEY: 'key of neither' },
      args: ['--agent', other, '--agent-env', 'test=TEST_KEY', '--agent-env', 'other=OTHER_KEY'],
    });
  });
  afterAll(() => fixture?.stop());

  it('get the variables that are named for them, and not those of each other', async () => {
    const ask = async (agent: string) => {
      const started = await fixture.post(`/machines/${machine.id}/sessions`, { agent });
      const { sessionId } = expectStatus(started, 200).result;
      const content = 'environment TEST_KEY\nsay ,\nenvironment OTHER_KEY\nsay ,\nenvironment OWNERS_KEY';
      const answer = await fixture.post(`/sessions/${sessionId}/messages`, { content, waitMs: 25_000 });
      return expectStatus(answer, 200).result.reply;
    };
    // Both run at the same time.
    expect(await Promise.all(['test', 'other'].map(ask))).toEqual([
      'key of test,not set,not set',
      'not set,key of other,not set',
    ]);
  });

  it('share no variable with the commands of callers', async () => {
    const answer = await fixture.post(`/machines/${machine.id}/invoke`, { command: 'env' });
    const { stdout } = expectStatus(answer, 200).result;
    expect(stdout).toContain('PATH=');
    expect(stdout).not.toMatch(/key of|_KEY/);
  });

  it('are listed with the version and options of each', async () => {
    await waitFor(async () => {
      const path = `/v1/control/machines/${machine.id}`;
      const { agents } = expectStatus(await fixture.service.http.get(path, fixture.ada.token), 200).data;
      expect(agents).toMatchObject([
        { name: 'test', version: '1.0.0' },
        { name: 'other', version: '2.0.0', options: expect.arrayContaining([{ id: 'model', category: 'model' }]) },
      ]);
      expect(JSON.stringify(agents[0].options)).not.toContain('model');
    });
  });
});
