import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDead } from '../../../clients/device/src/agent/testing/test-agents';
import { ApprovalFixture } from '../../support/approval-fixture';
import { expectStatus } from '../../support/device/foreign-device';
import type { MachineProcess, MachineProcessOptions } from '../../support/machine-process';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';

const WITHIN_MS = 30_000;
const LONG_COMMAND = 'run-unasked echo $$ > command.pid; exec sleep 600';

/** A service manager ends a machine with SIGTERM, and then starts the program that is there. */
describe('a machine whose service is restarted during a turn', () => {
  let fixture: ApprovalFixture;
  let options: MachineProcessOptions;
  let machine: MachineProcess;
  let sessionId: string;

  beforeAll(async () => {
    fixture = await ApprovalFixture.start();
    const env = { TEST_AGENT_FOLDER: createTempFolder() };
    options = { env, keyFile: join(createTempFolder(), 'keys'), args: ['--agent-env', 'TEST_AGENT_FOLDER'] };
    machine = await fixture.startMachineWith(options);
    sessionId = await fixture.startSession(machine);
  });
  afterAll(() => fixture?.stop());

  const send = async (content: string, waitMs = 0) =>
    expectStatus(await fixture.post(`/sessions/${sessionId}/messages`, { content, waitMs }), 200).result;
  const readTurn = (id: string) => fixture.get(`/sessions/${sessionId}/turns/${id}`);

  it('fails that turn before it exits, with its agent and its command, and goes on with the session', async () => {
    const { turn: running } = await send(LONG_COMMAND);
    const { turn: queued } = await send('memory');
    await fixture.waitForTurn(sessionId, queued.id, 'queued');
    const pidFile = join(fixture.folder, 'command.pid');
    await waitFor(() => expect(existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toMatch(/\n$/), WITHIN_MS);
    const pid = Number(readFileSync(pidFile, 'utf8'));
    expect(isDead(pid)).toBe(false);

    await machine.stop('SIGTERM');
    expect(await machine.exited).toBe(0);
    expect(isDead(pid)).toBe(true);
    expect(await readTurn(running.id)).toMatchObject({ state: 'failed', errorCode: 'agent_lost', stopReason: null });
    expect(await readTurn(queued.id)).toMatchObject({ state: 'queued', startedAt: null });

    const { id } = machine;
    machine = await fixture.startMachineWith(options);
    expect(machine.id).toBe(id);
    await fixture.waitForTurn(sessionId, queued.id, 'completed', WITHIN_MS);
    expect(await fixture.readRoles(sessionId, queued.id)).toEqual(['user', 'assistant']);
    expect((await send('memory', 25_000)).reply).toBe(`${LONG_COMMAND} | memory`);
    expect(await readTurn(running.id)).toMatchObject({ state: 'failed', errorCode: 'agent_lost' });
  });
});
