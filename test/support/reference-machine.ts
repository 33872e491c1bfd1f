import {
  MachineDevice,
  MemoryKeyStore,
  type KeyStore,
  type MachineEvent,
  type MachineOptions,
  type MachineService,
} from '../../src/reference-device';

/** Lets a device that shows this code join its account. */
export type Approve = (code: string, fingerprint: string) => Promise<void>;

/** A machine of the reference device that serves, as `npm run device -- machine` makes it. */
export class ReferenceMachine {
  readonly events: MachineEvent[] = [];
  serving!: MachineService;

  private constructor(
    private readonly options: Omit<MachineOptions, 'onEvent'>,
    readonly store: KeyStore,
  ) {}

  static async start(
    options: Omit<MachineOptions, 'store' | 'onEvent'> & { store?: KeyStore },
    approve: Approve,
  ): Promise<ReferenceMachine> {
    const store = options.store ?? new MemoryKeyStore();
    const machine = new ReferenceMachine({ backoff: { baseMs: 50, maxMs: 200 }, ...options, store }, store);
    const device = await machine.open(approve);
    await device.pair({ pollIntervalMs: 20 });
    machine.serving = await device.serve();
    return machine;
  }

  get sessionId(): string {
    return this.serving.identity.sessionId;
  }

  /** Another start with the same key file. */
  async serve(url = this.options.url): Promise<void> {
    const device = await MachineDevice.open({
      ...this.options,
      url,
      onEvent: (event) => this.events.push(event),
    });
    this.serving = await device.serve();
  }

  async stop(): Promise<void> {
    await this.serving?.stop();
  }

  private open(approve: Approve): Promise<MachineDevice> {
    return MachineDevice.open({
      ...this.options,
      onEvent: (event) => {
        this.events.push(event);
        if (event.event === 'pairing') void approve(event.code, event.fingerprint);
      },
    });
  }
}
