import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createTestAgentCommand } from '../../../clients/device/src/agent/testing/test-agents';
import { CallerDataKey } from '../../support/content/granted-session';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import { findFreePort } from '../../support/find-free-port';
import { MachineProcess } from '../../support/machine-process';
import { ServiceProcess } from '../../support/service-process';
import { createMigratedFolder, createTempFolder } from '../../support/temp-folder';

export const SCOPES = [
  'sessions:read',
  'sessions:write',
  'sessions:content',
  'sessions:approve',
  'machines:read',
  'machines:invoke',
  'artifacts:read',
  'artifacts:content',
  'webhooks:manage',
  'usage:read',
];

/** Processes of the service and of a machine with the test agent, and a token for the client under test. */
export class IntegrationFixture {
  private constructor(
    readonly url: string,
    private readonly env: NodeJS.ProcessEnv,
    private service: ServiceProcess,
    readonly ada: ForeignAccountDevice,
    readonly machine: MachineProcess,
    /** Working directory of the machine's commands and agents. */
    readonly folder: string,
    /** Folder in which the agent has its sessions. */
    readonly agentFolder: string,
    readonly token: string,
  ) {}

  static async start(): Promise<IntegrationFixture> {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const limits = { RATE_LIMIT_RELAY: '100000', RATE_LIMIT_METADATA: '100000' };
    const env = { DATA_DIR: createMigratedFolder(), PUBLIC_URL: url, ...limits };
    const service = await ServiceProcess.start(env, { port });
    const ada = await ForeignAccountDevice.signUp(service.http);
    const folder = createTempFolder();
    const agentFolder = createTempFolder();
    const agent = `test=${createTestAgentCommand().command.join(' ')}`;
    const machine = await MachineProcess.start(url, ada, {
      env: { TEST_AGENT_FOLDER: agentFolder },
      args: ['--agent', agent, '--agent-env', 'TEST_AGENT_FOLDER', '--cwd', folder],
    });
    const { token } = await ada.createToken(SCOPES);
    return new IntegrationFixture(url, env, service, ada, machine, folder, agentFolder, token);
  }

  async stop(): Promise<void> {
    await this.machine.stop();
    await this.service.stop();
  }

  killService(): Promise<unknown> {
    return this.service.stop('SIGKILL');
  }

  async restartService(): Promise<void> {
    this.service = await ServiceProcess.start(this.env, { port: Number(new URL(this.url).port) });
  }

  /** Starts a session of the test agent, and lets the service decrypt its content for callers. */
  async startSession(): Promise<string> {
    const { result } = await this.post(`/machines/${this.machine.id}/sessions`, {});
    const key = await CallerDataKey.openSessionKey(this.ada, result.sessionId);
    expectStatus(await key.grantToService({ sessionId: result.sessionId }), 201);
    return result.sessionId;
  }

  async post(path: string, body?: object): Promise<any> {
    return expectStatus(await this.ada.http.post(`/external/v1${path}`, this.token, body), 200);
  }

  async list(path: string): Promise<any[]> {
    return expectStatus(await this.ada.http.get(`/external/v1${path}`, this.token), 200).data;
  }

  hasFile(name: string): boolean {
    return existsSync(join(this.folder, name));
  }
}
