import { mkdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { createTestAgentCommand } from '../../../clients/device/src/agent/testing/test-agents';
import { ForeignAccountDevice, expectStatus } from '../../support/device/foreign-device';
import { MachineProcess } from '../../support/machine-process';
import { Service } from '../../support/service';
import { createTempFolder } from '../../support/temp-folder';
import { waitFor } from '../../support/wait-for';
import { ensureServiceBuilt } from '../../support/ensure-service-built';

const AGENT = `test=${createTestAgentCommand().command.join(' ')}`;
const SCOPES = ['sessions:read', 'sessions:write', 'machines:invoke'];

describe('a machine with an agent that is killed in the middle of a turn', () => {
  let service: Service;
  let ada: ForeignAccountDevice;
  let machine: MachineProcess;
  let token: string;
  let keyFile: string;
  let cwd: string;

  beforeAll(async () => {
    await ensureServiceBuilt();
    service = await Service.start({ RATE_LIMIT_METADATA: '100000' });
    ada = await ForeignAccountDevice.signUp(service.http);
    ({ token } = await ada.createToken(SCOPES));
    keyFile = join(createTempFolder(), 'keys');
    cwd = createTempFolder();
    machine = await startMachine();
  });
  afterAll(async () => {
    await machine?.stop();
    await service?.stop();
  });

  const startMachine = () =>
    MachineProcess.start(service.url, ada, { keyFile, args: ['--agent', AGENT, '--cwd', cwd] });
  const post = async (path: string, body: object) =>
    expectStatus(await service.http.post(`/external/v1${path}`, token, body), 200);
  const get = async (path: string) => expectStatus(await service.http.get(`/external/v1${path}`, token), 200).data;

  it('fails this turn, runs the one that waited, and prompts none twice', async () => {
    const content = 'say Begun.\nedit once.txt text';
    const started = await post(`/machines/${machine.id}/sessions`, { content });
    const { sessionId, turn: interrupted } = started.result;
    expect(interrupted).toMatchObject({ state: 'requires_action' });
    const { result } = await post(`/sessions/${sessionId}/messages`, { content: 'say Second.', waitMs: 0 });
    const sessionPath = `/sessions/${sessionId}`;
    await waitFor(async () => expect(await get(`${sessionPath}/turns/${result.turn.id}`)).toBeDefined());
    await machine.stop('SIGKILL');
    machine = await startMachine();

    await waitFor(async () => {
      const turns = (await get(`${sessionPath}/turns`)) as object[];
      expect(turns).toMatchObject([
        { id: result.turn.id, state: 'completed', errorCode: null },
        { id: interrupted.id, state: 'failed', errorCode: 'agent_lost', pendingPermissions: 0 },
      ]);
      expect(turns).toHaveLength(2);
    }, 15_000);
    expect(await get(sessionPath)).toMatchObject({ activity: 'idle' });
    const roles = async (turnId: string): Promise<string[]> =>
      (await get(`${sessionPath}/messages?turnId=${turnId}`)).map(({ role }: { role: string }) => role).reverse();
    expect(await roles(interrupted.id)).toEqual(['user', 'assistant']);
    expect(await roles(result.turn.id)).toEqual(['user', 'system', 'assistant']);
    const [permission] = await get(`${sessionPath}/permission-requests`);
    expect(permission).toMatchObject({ turnId: interrupted.id, state: 'cancelled' });
  });

  it('refuses messages while the folder of the session is gone, and says why a waiting turn fails', async () => {
    const project = join(cwd, 'project');
    mkdirSync(project);
    const { sessionId } = (await post(`/machines/${machine.id}/sessions`, { cwd: project })).result;
    const sendMessage = (content: string) =>
      service.http.post(`/external/v1/sessions/${sessionId}/messages`, token, { content, waitMs: 0 });
    expectStatus(await sendMessage('wait 60000'), 200);
    const waiting = expectStatus(await sendMessage('say Never.'), 200).result.turn;
    const sessionPath = `/sessions/${sessionId}`;
    await waitFor(async () => expect(await get(`${sessionPath}/turns/${waiting.id}`)).toBeDefined());
    await machine.stop('SIGKILL');
    rmdirSync(project);
    machine = await startMachine();
    await waitFor(async () =>
      expect(await get(`${sessionPath}/turns/${waiting.id}`)).toMatchObject({
        state: 'failed',
        errorCode: 'agent_error',
        startedAt: null,
      }),
    );
    const messages = (await get(`${sessionPath}/messages?turnId=${waiting.id}`)) as { role: string }[];
    expect(messages.map(({ role }) => role).sort()).toEqual(['system', 'user']);
    const refusal = expectStatus(await sendMessage('say Refused.'), 502);
    expect(refusal).toMatchObject({ code: 'device_error', deviceError: { code: 'cwd_not_found' } });
    mkdirSync(project);
    const { result } = await post(`${sessionPath}/messages`, { content: 'say Back.' });
    expect(result.turn).toMatchObject({ state: 'completed' });
  });
});
