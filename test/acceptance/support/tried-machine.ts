import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expectStatus, ForeignAccountDevice } from '../../support/device/foreign-device';
import type { HttpResponse } from '../../support/http-client';
import { MachineProcess } from '../../support/machine-process';
import { Service } from '../../support/service';
import { createTempFolder } from '../../support/temp-folder';
import { AGENT_SCOPES } from '../../support/agent-fixture';
import { formatAgentCommand, type InstalledAgent, type TriedAgent } from './tried-agents';
import { TriedSession } from './tried-session';

/** The real service, a process of the reference device with one agent, and a caller who may read its sessions. */
export class TriedMachine {
  private readonly machines: MachineProcess[] = [];

  private constructor(
    private readonly service: Service,
    private readonly ada: ForeignAccountDevice,
    private readonly token: string,
    /** The agent's sessions work here. */
    readonly folder: string,
    private readonly keyFile: string,
    private readonly agent: string,
  ) {}

  static async start(agent: TriedAgent, installed: InstalledAgent, modelUrl: string): Promise<TriedMachine> {
    const base = createTempFolder();
    const [folder, home] = [join(base, 'work'), join(base, 'home')];
    for (const path of [folder, home]) mkdirSync(path);
    const service = await Service.start({ RATE_LIMIT_RELAY: '100000', RATE_LIMIT_METADATA: '100000' });
    const ada = await ForeignAccountDevice.signUp(service.http);
    const { token } = await ada.createToken(AGENT_SCOPES);
    const command = formatAgentCommand(agent, installed, home, modelUrl);
    const machine = new TriedMachine(service, ada, token, folder, join(base, 'keys'), command);
    await machine.startDevice();
    return machine;
  }

  async stop(): Promise<void> {
    await this.stopDevice();
    await this.service.stop();
  }

  /** Problems that the device has reported. */
  get problems(): string[] {
    return this.machines
      .flatMap(({ events }) => events)
      .flatMap((event) => (event.event === 'agent' || event.event === 'history' ? [event.problem] : []));
  }

  async startDevice(): Promise<void> {
    const args = ['--agent', this.agent, '--cwd', this.folder];
    this.machines.push(await MachineProcess.start(this.service.url, this.ada, { keyFile: this.keyFile, args }));
  }

  async stopDevice(signal?: NodeJS.Signals): Promise<void> {
    await this.machines.at(-1)!.stop(signal);
  }

  /** Starts a session that is granted to the caller. */
  async startSession(options: { resume?: string; fork?: boolean } = {}): Promise<TriedSession> {
    const { result } = await this.post(`${this.path}/sessions`, { ...options, grant: true });
    expect(result).toMatchObject({ turn: null, grant: { id: expect.any(String) } });
    return new TriedSession(this, result.sessionId);
  }

  /** Returns the agent's own session that works in a session of the service, if the agent can list it. */
  async findAgentSession(sessionId: string): Promise<{ agentSessionId: string; canFork: boolean } | undefined> {
    const { capabilities } = await this.get(this.path);
    if (!capabilities.includes('agent.sessions')) return undefined;
    const response = await this.request('GET', `${this.path}/agent-sessions`);
    return expectStatus(response, 200).result.sessions.find((each: any) => each.sessionId === sessionId);
  }

  private get path(): string {
    return `/machines/${this.machines.at(-1)!.id}`;
  }

  async get(path: string) {
    return expectStatus(await this.request('GET', path), 200).data;
  }

  async post(path: string, json?: object) {
    return expectStatus(await this.request('POST', path, json), 200);
  }

  private request(method: string, path: string, json?: object): Promise<HttpResponse> {
    return this.service.http.request(method, `/external/v1${path}`, { token: this.token, json });
  }
}
