import { setTimeout as sleep } from 'node:timers/promises';
import { MachineDevice, MemoryKeyStore, signUp, type KeyStore, type MachineEvent } from '../index';
import type { MachineService } from '../machine/machine-service';
import { FakeService } from './fake-service';

/** A paired machine that serves, with the service that it serves. */
export class ServedMachine {
  private constructor(
    public service: FakeService,
    readonly machine: MachineDevice,
    public serving: MachineService,
    readonly events: MachineEvent[],
  ) {}

  static async start({
    prepare,
    ...options
  }: {
    cwd?: string;
    onMessage?: string[];
    store?: KeyStore;
    prepare?: (service: FakeService) => void;
  } = {}): Promise<ServedMachine> {
    const events: MachineEvent[] = [];
    const service = await new FakeService().start();
    prepare?.(service);
    const ada = await signUp({ url: service.url, store: new MemoryKeyStore(), username: 'ada' });
    const machine = await MachineDevice.open({
      url: service.url,
      store: new MemoryKeyStore(),
      account: 'ada',
      backoff: { baseMs: 40, maxMs: 200 },
      onEvent: (event) => {
        events.push(event);
        if (event.event === 'pairing') void ada.approveOwn(event.code, event.fingerprint);
      },
      ...options,
    });
    await machine.pair({ pollIntervalMs: 20 });
    return new ServedMachine(service, machine, await machine.serve(), events);
  }

  async stop(): Promise<void> {
    await this.serving.stop();
    await this.service.stop();
  }

  count(name: MachineEvent['event']): number {
    return this.events.filter(({ event }) => event === name).length;
  }

  get connectedSockets(): number {
    return this.service.sockets.filter((socket) => socket.connected).length;
  }
}

let serial = 0;

/** What every `relay:request` has. */
export const requestBase = () => ({
  requestId: `req_${++serial}`,
  deadline: Date.now() + 8_000,
  timeoutMs: 5_000,
});

export const invokeRequest = (command: string, args: string[] = []) => ({
  ...requestBase(),
  method: 'machine.invoke',
  params: { command, args, cwd: null },
});

export const messageRequest = (content: string) => ({
  ...requestBase(),
  sessionId: 'ses_1',
  method: 'session.message',
  params: { content },
});

export async function until(condition: () => boolean, withinMs = 5000): Promise<void> {
  for (const end = Date.now() + withinMs; !condition(); await sleep(10))
    if (Date.now() > end) throw new Error(`Not within ${withinMs} ms: ${condition.toString()}`);
}
