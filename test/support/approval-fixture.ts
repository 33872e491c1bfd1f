import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnState } from '@external-api/protocol';
import { createTestAgentCommand } from '../../clients/device/src/agent/testing/test-agents';
import { CallerDataKey } from './content/granted-session';
import { expectStatus, ForeignAccountDevice } from './device/foreign-device';
import { ensureServiceBuilt } from './ensure-service-built';
import type { HttpResponse } from './http-client';
import { MachineProcess, type MachineProcessOptions } from './machine-process';
import { Service } from './service';
import { createTempFolder } from './temp-folder';
import { waitFor } from './wait-for';

const AGENT = `test=${createTestAgentCommand().command.join(' ')}`;
const SCOPES = ['sessions:read', 'sessions:write', 'sessions:content', 'sessions:approve', 'machines:invoke'];

/** A request of the agent, as the caller that decides sees it. */
export interface ReadRequest {
  turnId: string;
  /** `/sessions/{id}/permission-requests/{permissionId}` */
  path: string;
  contentHash: string;
}

/** The real service, processes of the reference device with the test agent, and a caller that decides. */
export class ApprovalFixture {
  private readonly machines: MachineProcess[] = [];

  private constructor(
    readonly service: Service,
    readonly ada: ForeignAccountDevice,
    readonly tokenId: string,
    readonly token: string,
    readonly folder: string,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}): Promise<ApprovalFixture> {
    await ensureServiceBuilt();
    const service = await Service.start({ RATE_LIMIT_METADATA: '100000', RATE_LIMIT_RELAY: '100000', ...env });
    const ada = await ForeignAccountDevice.signUp(service.http);
    const { id, token } = await ada.createToken(SCOPES);
    return new ApprovalFixture(service, ada, id, token, createTempFolder());
  }

  async stop(): Promise<void> {
    for (const machine of this.machines) await machine.stop();
    await this.service.stop();
  }

  startMachine(...args: string[]): Promise<MachineProcess> {
    return this.startMachineWith({ args });
  }

  /** @param url address of the service for the machine, such as that of a proxy */
  async startMachineWith({
    url = this.service.url,
    args = [],
    ...options
  }: MachineProcessOptions & { url?: string }): Promise<MachineProcess> {
    const allArgs = ['--agent', AGENT, '--cwd', this.folder, ...args];
    const machine = await MachineProcess.start(url, this.ada, { ...options, args: allArgs });
    this.machines.push(machine);
    return machine;
  }

  /** Starts a session, and lets the service decrypt its content for callers. */
  async startSession(machine: MachineProcess): Promise<string> {
    const { result } = expectStatus(await this.post(`/machines/${machine.id}/sessions`, {}), 200);
    const key = await CallerDataKey.openSessionKey(this.ada, result.sessionId);
    expectStatus(await key.grantToService({ sessionId: result.sessionId }), 201);
    return result.sessionId;
  }

  post(path: string, body?: object): Promise<HttpResponse> {
    return this.service.http.post(`/external/v1${path}`, this.token, body);
  }

  async get(path: string) {
    return expectStatus(await this.service.http.get(`/external/v1${path}`, this.token), 200).data;
  }

  /**
   * Lets the agent ask before it writes a file, and reads what it asks.
   * @param step what the agent does afterwards. Default: it ends the turn
   */
  async askToWrite(sessionId: string, fileName: string, step = ''): Promise<ReadRequest> {
    const message = { content: `edit ${fileName} written\n${step}` };
    const { result } = expectStatus(await this.post(`/sessions/${sessionId}/messages`, message), 200);
    expect(result).toMatchObject({ reply: null, turn: { state: 'requires_action' } });
    // The answer waits for the service to store the request, but not longer than a second.
    const pending = await waitFor(async () => {
      const requests = await this.get(`/sessions/${sessionId}/permission-requests?state=pending`);
      expect(requests).toMatchObject([{ turnId: result.turn.id, kind: 'edit', state: 'pending', decidedBy: null }]);
      return requests as { id: string }[];
    }, 10_000);
    const path = `/sessions/${sessionId}/permission-requests/${pending[0]!.id}`;
    const { contentHash } = await this.get(`${path}/content`);
    return { turnId: result.turn.id, path, contentHash };
  }

  decide({ path, contentHash }: ReadRequest, body: object): Promise<HttpResponse> {
    return this.post(`${path}/decision`, { contentHash, ...body });
  }

  async waitForTurn(sessionId: string, turnId: string, state: TurnState, withinMs?: number): Promise<void> {
    await waitFor(
      async () => expect(await this.get(`/sessions/${sessionId}/turns/${turnId}?waitMs=1000`)).toMatchObject({ state }),
      withinMs,
    );
  }

  /** Returns the roles of a turn's messages, oldest first. */
  async readRoles(sessionId: string, turnId: string): Promise<string[]> {
    const messages: { role: string }[] = await this.get(`/sessions/${sessionId}/messages?turnId=${turnId}`);
    return messages.map(({ role }) => role).reverse();
  }

  hasFile(name: string): boolean {
    return existsSync(join(this.folder, name));
  }
}
