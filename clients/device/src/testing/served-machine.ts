import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { MachineDevice, MemoryKeyStore, signUp, type KeyStore, type MachineEvent } from '../index';
import { AGENT_CAPABILITIES } from '../machine/capability-negotiation';
import type { MachineRunner } from '../machine/machine-runner';
import type { AgentOptions } from '../sessions/agent-runtime';
import { FakeService } from './fake-service';

/** A paired, running machine with its fake service. */
export class ServedMachine {
  private constructor(
    public service: FakeService,
    readonly machine: MachineDevice,
    public runner: MachineRunner,
    readonly events: MachineEvent[],
  ) {}

  static async start({
    prepare,
    ...options
  }: {
    cwd?: string;
    onMessage?: string[];
    store?: KeyStore;
    agents?: AgentOptions;
    prepare?: (service: FakeService) => void;
  } = {}): Promise<ServedMachine> {
    const events: MachineEvent[] = [];
    const service = await new FakeService().start();
    if (options.agents) service.acceptedCapabilities = [...AGENT_CAPABILITIES];
    prepare?.(service);
    const ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'ada' });
    const machine = await MachineDevice.open({
      url: service.url,
      store: new MemoryKeyStore(),
      account: 'ada',
      // Not the work tree of this repository, of which each turn would take a snapshot.
      cwd: tmpdir(),
      backoff: { baseMs: 40, maxMs: 200 },
      onEvent: (event) => {
        events.push(event);
        if (event.event === 'pairing') void ada.approveByFingerprint(event.code, event.fingerprint);
      },
      ...options,
    });
    await machine.pairWithAccount({ pollIntervalMs: 20 });
    return new ServedMachine(service, machine, await machine.startServing(), events);
  }

  async stop(): Promise<void> {
    await this.runner.stop();
    await this.service.stop();
  }

  countEvents(name: MachineEvent['event']): number {
    return this.events.filter(({ event }) => event === name).length;
  }

  get connectedSockets(): number {
    return this.service.sockets.filter((socket) => socket.connected).length;
  }
}

let lastRequestSerial = 0;

/** Returns the fields that every `relay:request` has. */
export const createRequestBase = () => ({
  requestId: `req_${++lastRequestSerial}`,
  deadline: Date.now() + 30_000,
  timeoutMs: 25_000,
});

export const createInvokeRequest = (command: string, args: string[] = []) => ({
  ...createRequestBase(),
  method: 'machine.invoke',
  params: { command, args, cwd: null },
});

export const createMessageRequest = (content: string) => createSessionRequest('session.message', { content });

/** Returns a request of a caller with a personal access token. */
export const createSessionRequest = (method: string, params: object) => ({
  ...createRequestBase(),
  sessionId: 'ses_1',
  caller: 'pat',
  method,
  params,
});

/** @param clockAheadMs how far the service's clock is ahead of this computer's */
export function createStartRequest(params: object = {}, clockAheadMs = 0) {
  const base = createRequestBase();
  const deadline = base.deadline + clockAheadMs;
  const defaults = { agent: null, cwd: null, mode: null, tag: base.requestId, content: null, waitMs: 5_000 };
  const allParams = { ...defaults, ...params };
  return { ...base, deadline, machineId: 'mch_1', caller: 'pat', method: 'session.start', params: allParams };
}

export async function waitUntil(condition: () => boolean, timeoutMs = 15_000): Promise<void> {
  for (const deadline = Date.now() + timeoutMs; !condition(); await sleep(10))
    if (Date.now() > deadline) throw new Error(`Condition not met within ${timeoutMs} ms: ${condition.toString()}`);
}
