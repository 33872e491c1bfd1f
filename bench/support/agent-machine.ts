import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemoryKeyStore, signUp } from '@external-api/device';
import { TEXT_ENV } from './bench-agent';
import type { BenchFixture } from './bench-fixture';
import { BenchProcess } from './bench-process';
import { HttpLoadClient, type RequestResult } from './http-load-client';

const SCOPES = ['sessions:read', 'sessions:write', 'machines:invoke'];

const OPEN_STATES = new Set(['queued', 'running']);

interface TurnRecord {
  state: string;
  firstSeq: number;
  lastSeq: number;
}

interface TurnAnswer {
  result: { sessionId: string; reply: string | null; turn: { id: string; state: string } };
}

/** A machine of the reference device that runs the test agent in one session, and a caller of that session. */
export class AgentMachine {
  private readonly client = new HttpLoadClient();
  token!: string;
  machineId!: string;
  private sessionId!: string;
  /** Problem that the device has reported. None is expected, and retries would distort a measurement. */
  private problem: string | undefined;

  private constructor(
    readonly benchProcess: BenchProcess,
    private readonly url: string,
    private readonly folder: string,
  ) {
    benchProcess.listenForMessages((message) => (this.problem ??= (message as { error?: string }).error));
  }

  /** Starts the machine on the first instance and begins a session, so that the agent runs. */
  static async start({ firstInstance: { url } }: BenchFixture): Promise<AgentMachine> {
    const username = `user-${randomBytes(6).toString('hex')}`;
    const account = await signUp({ url, store: new MemoryKeyStore(), username });
    const folder = mkdtempSync(join(tmpdir(), 'bench-agent-'));
    const env = { SERVICE_URL: url, ACCOUNT: username, FOLDER: folder, ...TEXT_ENV };
    const agentMachine = new AgentMachine(
      BenchProcess.start('bench/support/agent-machine-process.ts', env),
      url,
      folder,
    );
    try {
      const { benchProcess } = agentMachine;
      const { code, fingerprint } = await benchProcess.waitForMember<{ code: string; fingerprint: string }>('pairing');
      const serving = benchProcess.waitForMember<string>('machineId');
      await account.approveByFingerprint(code, fingerprint);
      agentMachine.machineId = await serving;
      ({ token: agentMachine.token } = await account.createToken({ name: 'bench', scopes: SCOPES }));
      const { result } = await agentMachine.post(`/machines/${agentMachine.machineId}/sessions`, {});
      agentMachine.sessionId = result.sessionId;
      return agentMachine;
    } catch (error) {
      await agentMachine.stop();
      throw error;
    }
  }

  /** Sends a message and returns the reply of its turn. @throws Error unless the turn completes in the answer's time */
  async requestReply(content: string): Promise<string | null> {
    const { result } = await this.post(`/sessions/${this.sessionId}/messages`, { content });
    if (result.turn.state !== 'completed') throw new Error(`a turn is ${result.turn.state}`);
    return result.reply;
  }

  /** Starts a command, and returns the path of its invocation below the API. */
  async startInvocation(command: string, args: string[]): Promise<string> {
    const path = `/machines/${this.machineId}/invocations`;
    const { status, text } = await this.call('POST', path, JSON.stringify({ command, args }));
    if (status !== 202) throw new Error(`POST ${path} responded with ${status}: ${text}`);
    return `${path}/${(JSON.parse(text) as { data: { id: string } }).data.id}`;
  }

  /** Runs a turn, however long it takes, and returns its number of messages, with the user's. */
  async runTurn(content: string): Promise<number> {
    const { result } = await this.post(`/sessions/${this.sessionId}/messages`, { content, waitMs: 0 });
    const path = `/sessions/${this.sessionId}/turns/${result.turn.id}?waitMs=28000`;
    for (;;) {
      const { status, data } = await this.readTurn(path);
      if (data?.state === 'completed') return data.lastSeq - data.firstSeq + 1;
      // The device may not have reported the turn yet.
      if (status === 404) await sleep(20);
      else if (!OPEN_STATES.has(data!.state)) throw new Error(`a turn is ${data!.state}`);
    }
  }

  stop = async (): Promise<void> => {
    await this.client.stop();
    await this.benchProcess.stop();
    rmSync(this.folder, { recursive: true, force: true });
  };

  private async readTurn(path: string): Promise<{ status: number; data?: TurnRecord }> {
    const { status, text } = await this.call('GET', path);
    if (status !== 200 && status !== 404) throw new Error(`GET ${path} responded with ${status}: ${text}`);
    return { status, ...(JSON.parse(text) as { data?: TurnRecord }) };
  }

  private async post(path: string, body: object): Promise<TurnAnswer> {
    const { status, text } = await this.call('POST', path, JSON.stringify(body));
    if (status !== 200) throw new Error(`POST ${path} responded with ${status}: ${text}`);
    return JSON.parse(text) as TurnAnswer;
  }

  private call(method: 'GET' | 'POST', path: string, body?: string): Promise<RequestResult> {
    if (this.problem !== undefined) throw new Error(`the device reported: ${this.problem}`);
    const url = `${this.url}/external/v1${path}`;
    return this.client.sendRequest({ method, url, token: this.token, body, keepsText: true });
  }
}
