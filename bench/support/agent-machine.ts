import { setTimeout as sleep } from 'node:timers/promises';
import { TEXT_ENV } from './bench-agent';
import type { BenchFixture } from './bench-fixture';
import { HttpLoadClient, type RequestResult } from './http-load-client';
import { PairedMachine } from './paired-machine';

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
  sessionId!: string;
  /** Problem that the device has reported. None is expected, and retries would distort a measurement. */
  private problem: string | undefined;

  private constructor(
    private readonly machine: PairedMachine,
    private readonly url: string,
  ) {
    machine.benchProcess.listenForMessages((message) => (this.problem ??= (message as { error?: string }).error));
  }

  /** Starts the machine on the first instance and begins a session, so that the agent runs. */
  static async start({ firstInstance: { url } }: BenchFixture): Promise<AgentMachine> {
    const agentMachine = new AgentMachine(await PairedMachine.start(url, TEXT_ENV), url);
    try {
      const { result } = await agentMachine.post(`/machines/${agentMachine.machineId}/sessions`, {});
      agentMachine.sessionId = result.sessionId;
      return agentMachine;
    } catch (error) {
      await agentMachine.stop();
      throw error;
    }
  }

  get benchProcess() {
    return this.machine.benchProcess;
  }

  get token(): string {
    return this.machine.token;
  }

  get machineId(): string {
    return this.machine.identity.machineId;
  }

  /** Sends a message and returns the reply of its turn. @throws Error unless the turn completes in the answer's time */
  async requestReply(content: string): Promise<string | null> {
    const { result } = await this.post(`/sessions/${this.sessionId}/messages`, { content });
    if (result.turn.state !== 'completed') throw new Error(`a turn is ${result.turn.state}`);
    return result.reply;
  }

  /** Sends a message upon which the agent asks, and reads the pending request. Returns the id of the turn. */
  async requestApproval(content: string): Promise<string> {
    const { result } = await this.post(`/sessions/${this.sessionId}/messages`, { content });
    const { id: turnId, state } = result.turn;
    const path = `/sessions/${this.sessionId}/permission-requests?state=pending`;
    const { text } = await this.call('GET', path);
    const [request] = (JSON.parse(text) as { data: { turnId: string }[] }).data;
    if (state !== 'requires_action' || request?.turnId !== turnId) throw new Error(`a turn is ${state}: ${text}`);
    return turnId;
  }

  /** Cancels a turn, and returns when it has ended. */
  async cancelTurn(turnId: string): Promise<void> {
    const path = `/sessions/${this.sessionId}/turns/${turnId}/cancel`;
    const { status, text } = await this.call('POST', path, '{}');
    if (status !== 200) throw new Error(`POST ${path} responded with ${status}: ${text}`);
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
    await this.machine.stop();
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
