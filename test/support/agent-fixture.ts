import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TurnState } from '@external-api/protocol';
import { MemoryKeyStore, signUp, type AccountDevice } from '@external-api/device';
import { AgentProcessPool } from '../../clients/device/src/agent/agent-process-pool';
import { buildTestAgent, createTestAgentCommand } from '../../clients/device/src/agent/testing/test-agents';
import { expectStatus } from './device/foreign-device';
import type { HttpResponse } from './http-client';
import { ReferenceMachine } from './reference-machine';
import { Service } from './service';
import { waitFor } from './wait-for';

export const AGENT_SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
  'sessions:approve',
  'machines:read',
  'machines:invoke',
];

interface RelayedAnswer {
  requestId: string;
  result: {
    reply?: string | null;
    messageId?: string | null;
    sessionId: string;
    turn: { id: string; state: TurnState };
  };
}

/** The real service and a reference machine whose sessions the test agent works in. */
export class AgentFixture {
  private constructor(
    readonly service: Service,
    readonly ada: AccountDevice,
    readonly machine: ReferenceMachine,
    readonly folder: string,
    readonly token: string,
  ) {}

  /**
   * @param findUrl returns the address that the machine uses, such as that of a proxy
   * @param environment more settings of the service
   * @param behavior options of the test agent
   */
  static async start(
    username: string,
    findUrl: (service: Service) => Promise<string> = ({ url }) => Promise.resolve(url),
    environment: Record<string, string> = {},
    behavior = '',
  ): Promise<AgentFixture> {
    await buildTestAgent();
    const { command } = createTestAgentCommand();
    // The device may have another `process.env` than the test.
    const agent = createTestAgentCommand({ command: ['env', `TEST_AGENT_OPTIONS=${behavior}`, ...command] });
    const folder = mkdtempSync(join(tmpdir(), 'agent-'));
    const service = await Service.start({ RATE_LIMIT_RELAY: '100000', RATE_LIMIT_METADATA: '100000', ...environment });
    const ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username });
    const machine = await ReferenceMachine.start(
      {
        url: await findUrl(service),
        publicUrl: service.url,
        account: username,
        cwd: folder,
        agents: { commands: [agent], provider: new AgentProcessPool() },
      },
      (code, fingerprint) => ada.approveByFingerprint(code, fingerprint),
    );
    const { token } = await ada.createToken({ name: 'ci', scopes: AGENT_SCOPES });
    return new AgentFixture(service, ada, machine, folder, token);
  }

  async stop(): Promise<void> {
    await this.machine.stop();
    await this.service.stop();
    rmSync(this.folder, { recursive: true });
  }

  /** Problems that the machine has reported. None of them is expected where both sides agree. */
  get problems(): string[] {
    return this.machine.events.flatMap((event) =>
      event.event === 'agent' || event.event === 'history' ? [event.problem] : [],
    );
  }

  post(path: string, body?: object): Promise<HttpResponse> {
    return this.service.http.post(`/external/v1${path}`, this.token, body);
  }

  async get(path: string) {
    return expectStatus(await this.service.http.get(`/external/v1${path}`, this.token), 200).data;
  }

  async startSession(body: object = {}): Promise<RelayedAnswer> {
    const path = `/machines/${this.machine.machineService.identity.machineId}/sessions`;
    return expectStatus(await this.post(path, body), 200);
  }

  async sendMessage(sessionId: string, content: string, waitMs?: number): Promise<RelayedAnswer> {
    return expectStatus(await this.post(`/sessions/${sessionId}/messages`, { content, waitMs }), 200);
  }

  /** Waits as a caller does, until the turn has this state. */
  async waitForTurn(sessionId: string, turnId: string, state: TurnState) {
    return waitFor(async () => {
      const turn = await this.get(`/sessions/${sessionId}/turns/${turnId}?waitMs=1000`);
      expect(turn).toMatchObject({ id: turnId, state });
      return turn;
    }, 15_000);
  }

  /** Returns the roles of a turn's messages, oldest first. */
  async readRoles(sessionId: string, turnId: string): Promise<string[]> {
    const messages: { role: string }[] = await this.get(`/sessions/${sessionId}/messages?turnId=${turnId}`);
    return messages.map(({ role }) => role).reverse();
  }
}
