import { createTestAgentCommand } from '../../../clients/device/src/agent/testing/test-agents';
import { ensureServiceBuilt } from '../../support/ensure-service-built';
import type { HttpResponse } from '../../support/http-client';
import { MachineProcess } from '../../support/machine-process';
import { createTempFolder } from '../../support/temp-folder';
import { createTerminalSession } from '../../support/terminal-session';
import { Cluster } from '../support/cluster';
import { ClusterFixture } from '../support/cluster-fixture';

describe('one session of the terminal, continued on several instances', () => {
  let cluster: Cluster;
  let fixture: ClusterFixture;
  let machine: MachineProcess;
  let folder: string;

  beforeAll(async () => {
    await ensureServiceBuilt();
    cluster = await Cluster.start();
    fixture = await ClusterFixture.start(cluster);
    folder = createTempFolder();
    const agent = `test=${createTestAgentCommand().command.join(' ')}`;
    const args = ['--agent', agent, '--agent-env', 'TEST_AGENT_FOLDER', '--cwd', folder];
    machine = await MachineProcess.start(cluster.getInstance(0).url, fixture.ada, {
      env: { TEST_AGENT_FOLDER: folder },
      args,
    });
  });
  afterAll(async () => {
    await machine?.stop();
    fixture?.close();
    await cluster?.stop();
  });

  const start = (index: number): Promise<HttpResponse> =>
    cluster
      .getInstance(index)
      .http.post(`/external/v1/machines/${machine.id}/sessions`, fixture.token, { resume: 'session-a' });

  it('becomes one session, and the other callers learn its ID', async () => {
    createTerminalSession(folder, 'session-a', folder, ['say one']);
    const answers = await Promise.all([start(1), start(2), start(1), start(2)]);
    const started = answers.filter(({ status }) => status === 200);
    expect(started).toHaveLength(1);
    const { sessionId } = started[0]!.body.result;
    for (const { status, body } of answers.filter((answer) => answer !== started[0])) {
      expect(status).toBe(502);
      expect(body).toMatchObject({ outcome: 'answered', deviceError: { code: 'session_exists', sessionId } });
    }
  });
});
