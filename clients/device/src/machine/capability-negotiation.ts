import { setTimeout as sleep } from 'node:timers/promises';
import type { Capability, HelloMessage } from '@external-api/protocol';

/** Capabilities that every release of the service knows. */
const ORIGINAL_CAPABILITIES: readonly Capability[] = ['session.message', 'machine.invoke'];

/** Capabilities of every machine. */
export const MACHINE_CAPABILITIES: readonly Capability[] = [...ORIGINAL_CAPABILITIES, 'session.sealed', 'invocation'];

/** Capabilities of a device that runs an agent in its sessions. */
export const AGENT_CAPABILITIES: readonly Capability[] = [
  ...MACHINE_CAPABILITIES,
  'session.cancel',
  'session.permission',
  'session.question',
  'permission.message',
  'session.start',
  'session.attachments',
  'session.grant',
  'session.resume',
  'session.options',
  'session.end',
  'session.busy',
  'session.watch',
  'session.progress',
  'session.unprompted',
  'turn.details',
  'agent.sessions',
];

/**
 * The capabilities that this device declares and the service accepts (docs/protocol/device-api.md#handshake). The
 * device uses fields and endpoints of a capability only while the service accepts it: an older instance refuses them.
 */
export class CapabilityNegotiation {
  private acceptedCapabilities: ReadonlySet<Capability> = new Set();
  private readonly listeners = new Set<() => void>();
  private isNegotiated = false;
  /** Called when other capabilities are to be declared than in the last handshake. */
  onServedChanged: () => void = () => undefined;

  constructor(private served: readonly Capability[] = MACHINE_CAPABILITIES) {}

  /** What to declare in the next handshake. */
  get servedCapabilities(): readonly Capability[] {
    return this.served;
  }

  /** No longer declares a capability. */
  withdraw(capability: Capability): void {
    if (!this.served.includes(capability)) return;
    this.served = this.served.filter((name) => name !== capability);
    this.onServedChanged();
  }

  /** What to declare to a service that refuses the names it doesn't know. */
  get originalCapabilities(): readonly Capability[] {
    return ORIGINAL_CAPABILITIES;
  }

  /** Applies `hello` of the newest connection. Without `capabilities` the service accepts only the original ones. */
  applyHello({ capabilities }: HelloMessage): void {
    const accepted = capabilities ?? ORIGINAL_CAPABILITIES;
    this.isNegotiated = true;
    this.acceptedCapabilities = new Set(this.servedCapabilities.filter((capability) => accepted.includes(capability)));
    for (const listener of this.listeners) listener();
  }

  isAccepted(capability: Capability): boolean {
    return this.acceptedCapabilities.has(capability);
  }

  /** Whether the service stores turns: it lets callers cancel them, or does not know them. */
  get areTurnsAccepted(): boolean {
    return this.isAccepted('session.cancel');
  }

  /** Resolves after the first `hello`, and when the signal aborts. Before, no capability counts as accepted. */
  async waitForHello(signal?: AbortSignal): Promise<void> {
    if (this.isNegotiated || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      this.onHello(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  /** Waits for the next `hello`, until the time is over or the signal aborts. Never rejects. */
  async waitForNextHello(limitMs: number, signal: AbortSignal): Promise<void> {
    const controller = new AbortController();
    const stopWaiting = (): void => controller.abort();
    this.listeners.add(stopWaiting);
    signal.addEventListener('abort', stopWaiting);
    if (signal.aborted) stopWaiting();
    await sleep(limitMs, undefined, { signal: controller.signal }).catch(() => undefined);
    this.listeners.delete(stopWaiting);
    signal.removeEventListener('abort', stopWaiting);
  }

  /** Calls the listener after each `hello`. */
  onHello(listener: () => void): void {
    this.listeners.add(listener);
  }
}
