import { computeInvocationId, type ReadOutputResult } from '@external-api/protocol';
import type { KeyStore } from '../index';
import { MACHINE_CAPABILITIES } from '../machine/capability-negotiation';
import { createRequestBase, ServedMachine, waitUntil } from './served-machine';

/** A machine whose service accepts invocations, and calls about them. */
export class InvokingMachine {
  private constructor(readonly served: ServedMachine) {}

  static async start(options: { store?: KeyStore; cwd?: string } = {}): Promise<InvokingMachine> {
    const served = await ServedMachine.start({
      ...options,
      prepare: (service) => (service.acceptedCapabilities = [...MACHINE_CAPABILITIES]),
    });
    return new InvokingMachine(served);
  }

  /** Returns a request of the service, which has stored the invocation. */
  createStart(command: string, args: string[] = [], params: object = {}) {
    const base = createRequestBase();
    this.served.service.invocations.addStarting(base.requestId);
    const defaults = { command, args, cwd: null, timeoutMs: 60_000 };
    return {
      ...base,
      machineId: 'mch_1',
      caller: 'pat',
      method: 'invocation.start',
      params: { ...defaults, ...params },
    };
  }

  /** Starts `sh -c` with a script, and returns the id of the call. */
  async startScript(script: string, params: object = {}): Promise<string> {
    const request = this.createStart('sh', ['-c', script], params);
    const answer = await this.served.service.callDevice(request);
    expect(answer).toMatchObject({ ok: true });
    return request.requestId;
  }

  getRecord(requestId: string) {
    return this.served.service.invocations.getRecord(requestId);
  }

  /** Returns the record of the service once the invocation has ended. */
  async waitForEnd(requestId: string, timeoutMs = 30_000) {
    await waitUntil(() => this.getRecord(requestId).endedAt !== null, timeoutMs);
    return this.getRecord(requestId);
  }

  cancel(requestId: string) {
    const params = { invocationId: computeInvocationId(requestId) };
    return this.served.service.callDevice({ ...createRequestBase(), method: 'invocation.cancel', params });
  }

  callOutput(requestId: string, params: object = {}) {
    const range = { stream: 'stdout', offset: 0, limit: 262_144 };
    const invocationId = computeInvocationId(requestId);
    const request = {
      ...createRequestBase(),
      method: 'invocation.output',
      params: { invocationId, ...range, ...params },
    };
    return this.served.service.callDevice(request);
  }

  async readOutput(requestId: string, params: object = {}): Promise<ReadOutputResult & { text: string }> {
    const answer = await this.callOutput(requestId, params);
    if (!answer.ok) throw new Error(answer.error.code);
    const result = answer.result as unknown as ReadOutputResult;
    return { ...result, text: Buffer.from(result.data, 'base64').toString() };
  }

  stop(): Promise<void> {
    return this.served.stop();
  }
}
