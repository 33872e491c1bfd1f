import {
  MachineDevice,
  MemoryKeyStore,
  type KeyStore,
  type MachineEvent,
  type MachineOptions,
  type MachineRunner,
} from '@external-api/device';
import { validateReferenceDevicePackets } from './device/reference-device-packets';

validateReferenceDevicePackets();

/** Approves the device that shows this code. */
export type ApprovePairing = (code: string, fingerprint: string) => Promise<void>;

/**
 * Machine of the reference device that serves calls, as `npm run device -- machine` starts it. Its packets are
 * validated against asyncapi.json.
 */
export class ReferenceMachine {
  readonly events: MachineEvent[] = [];
  machineService!: MachineRunner;

  private constructor(
    private readonly options: Omit<MachineOptions, 'onEvent'>,
    readonly store: KeyStore,
  ) {}

  static async start(
    options: Omit<MachineOptions, 'store' | 'onEvent'> & { store?: KeyStore },
    approvePairing: ApprovePairing,
  ): Promise<ReferenceMachine> {
    const store = options.store ?? new MemoryKeyStore();
    const machine = new ReferenceMachine({ backoff: { baseMs: 50, maxMs: 200 }, ...options, store }, store);
    const device = await machine.openDevice(approvePairing);
    await device.pairWithAccount({ pollIntervalMs: 20 });
    machine.machineService = await device.startServing();
    return machine;
  }

  get sessionId(): string {
    return this.machineService.identity.sessionId;
  }

  /** Starts the machine again with the same key file. */
  async startServing(url = this.options.url): Promise<void> {
    const device = await MachineDevice.open({
      ...this.options,
      url,
      onEvent: (event) => this.events.push(event),
    });
    this.machineService = await device.startServing();
  }

  async stop(): Promise<void> {
    await this.machineService?.stop();
  }

  private openDevice(approvePairing: ApprovePairing): Promise<MachineDevice> {
    return MachineDevice.open({
      ...this.options,
      onEvent: (event) => {
        this.events.push(event);
        if (event.event === 'pairing') void approvePairing(event.code, event.fingerprint);
      },
    });
  }
}
