import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryKeyStore, signUp } from '@external-api/device';
import { AgentProcessPool } from '../../../clients/device/src/agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../../../clients/device/src/agent/testing/test-agents';
import { TcpProxy } from '../../multi-instance/support/tcp-proxy';
import { expectStatus } from '../../support/device/foreign-device';
import { ReferenceMachine } from '../../support/reference-machine';
import { Service } from '../../support/service';
import { waitFor } from '../../support/wait-for';

describe('a turn of an agent whose machine is away for too long', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lost-turn-'));
  let service: Service;
  let proxy: TcpProxy;
  let machine: ReferenceMachine;
  let token: string;

  beforeAll(async () => {
    await buildTestAgent();
    service = await Service.start({ TURN_LOST_AFTER_SECONDS: '2' });
    proxy = await TcpProxy.start(Number(new URL(service.url).port));
    const username = 'ada-of-the-lost-turn';
    const ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username });
    machine = await ReferenceMachine.start(
      {
        url: `http://127.0.0.1:${proxy.port}`,
        publicUrl: service.url,
        account: username,
        cwd: folder,
        agents: { commands: [createTestAgentCommand()], provider: new AgentProcessPool() },
      },
      (code, fingerprint) => ada.approveByFingerprint(code, fingerprint),
    );
    ({ token } = await ada.createToken({ name: 'ci', scopes: ['sessions:read', 'sessions:write'] }));
  });
  afterAll(async () => {
    await machine?.stop();
    await proxy?.cutConnections();
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  it('is reported again once when the machine is back, and goes on', async () => {
    const path = `/external/v1/sessions/${machine.sessionId}`;
    const send = async (content: string) =>
      expectStatus(await service.http.post(`${path}/messages`, token, { content, waitMs: 0 }), 200).result.turn.id;
    const running = await send('silent');
    const queued = await send('say Done.');
    const read = async (id: string) => expectStatus(await service.http.get(`${path}/turns/${id}`, token), 200).data;
    const waitForStates = (states: string[]) =>
      waitFor(async () => {
        const turns = await Promise.all([running, queued].map(read));
        expect(turns.map(({ state }: { state: string }) => state)).toEqual(states);
      }, 20_000);

    await waitForStates(['running', 'queued']);
    await proxy.cutConnections();
    await waitForStates(['lost', 'lost']);
    await proxy.restoreTraffic();
    await waitForStates(['running', 'queued']);
    const { version } = await read(running);
    await proxy.cutConnections();
    await proxy.restoreTraffic();
    await waitFor(() =>
      expect(machine.events.filter(({ event }) => event === 'connected').length).toBeGreaterThanOrEqual(3),
    );
    expectStatus(await service.http.post(`${path}/turns/${running}/cancel`, token, undefined), 200);
    await waitForStates(['cancelled', 'completed']);
    expect(await read(running)).toMatchObject({ version: version + 1, stopReason: 'cancelled' });
  }, 60_000);
});
