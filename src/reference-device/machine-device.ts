import type { DeviceState } from './device-state';
import { DeviceRefusedError } from './api-error';
import { newState } from './device-state';
import { HistoryWriter } from './history/history-writer';
import { SessionHistory } from './history/session-history';
import { fingerprintOf, generateDeviceKeys } from './keys';
import type { MachineEvent } from './machine-events';
import { echo, program } from './machine/answerers';
import { Backoff, type BackoffOptions } from './machine/backoff';
import { invokeHandler } from './machine/invoke-handler';
import { MachineService } from './machine/machine-service';
import { messageHandler } from './machine/message-handler';
import { openSession, registerMachine } from './machine/registration';
import { answerOutcome, RelayDesk } from './machine/relay-desk';
import { retryTransient } from './machine/retry';
import { ServerClock } from './machine/server-clock';
import { describeDevice, type NewDevice } from './new-device';
import { awaitApproval, pairingStatus, requestPairing } from './pairing';
import { DEFAULT_URL, serviceAt } from './service-address';
import { SignedInDevice } from './signed-in-device';

export interface MachineOptions extends Omit<NewDevice, 'url'> {
  /** Default: where the device last found the service, else {@link DEFAULT_URL}. */
  url?: string;
  /** The username of the one account that this machine serves. */
  account: string;
  /** Default: one that is this device's own. */
  sessionTag?: string;
  /** Where commands run that name no directory. Default: the process's. */
  cwd?: string;
  /** Program and arguments that answer session messages; without it they are echoed. */
  onMessage?: string[];
  onEvent?: (event: MachineEvent) => void;
  backoff?: BackoffOptions;
}

/** A machine that runs commands for its account (device-api.md, Reference device). */
export class MachineDevice {
  private constructor(
    private readonly options: MachineOptions,
    private device: SignedInDevice,
  ) {}

  /** The machine of an existing key file, or a new one that still has to {@link pair}. */
  static async open(options: MachineOptions): Promise<MachineDevice> {
    const kept = await options.store.load('machine');
    const service = serviceAt({ ...options, url: options.url ?? kept?.url ?? DEFAULT_URL });
    const state = kept ?? freshState(service.http.url);
    const device = new SignedInDevice(service, options.store, state);
    const machine = new MachineDevice(options, device);
    if (state.account) machine.checkOwner(state.account.username);
    return machine;
  }

  get paired(): boolean {
    return this.device.state.account !== undefined;
  }

  /** What people compare: four groups of four characters. */
  get fingerprint(): string {
    return fingerprintOf(this.device.state.keys);
  }

  /**
   * Joins the account: shows a code (event `pairing`), waits until a device of the account approves it, verifies and
   * pins the enrollment. A pairing that an earlier start left waiting is taken up again.
   * @throws DeviceRefusedError when denied, expired, or adopted by another account than `account`
   */
  async pair({ signal, pollIntervalMs }: { signal?: AbortSignal; pollIntervalMs?: number } = {}): Promise<void> {
    const { service } = this.device;
    const { id, code, expiresAt } = await this.pendingPairing();
    this.emit({ event: 'pairing', code, fingerprint: this.fingerprint, expiresAt });
    try {
      const adoptedBy = await awaitApproval(service, id, { intervalMs: pollIntervalMs, signal });
      this.checkOwner(adoptedBy);
      await this.device.signIn();
      this.checkOwner(this.device.state.account?.username);
    } catch (error) {
      // Whoever else holds an enrollment of these keys must never meet them again.
      if (error instanceof DeviceRefusedError) await this.startOver();
      throw error;
    }
    const { id: accountId = '', username: account = '' } = this.device.state.account ?? {};
    this.emit({ event: 'paired', account, accountId });
  }

  /**
   * Signs in, registers the machine, opens its session, connects and answers calls. Waits for a service that cannot be
   * reached yet.
   * @param options aborting `signal` stops what was started
   * @throws DeviceRefusedError once revoked; EnrollmentError when the pinned enrollment has changed; AbortError
   */
  async serve({ signal }: { signal?: AbortSignal } = {}): Promise<MachineService> {
    const { options, device } = this;
    const backoff = new Backoff(options.backoff);
    const waiting = (error: Error, ms: number): void =>
      this.emit({ event: 'waiting', reason: error.message, ms: Math.round(ms) });
    const { identity, session } = await retryTransient(() => this.register(), { backoff, signal, waiting });
    backoff.reset();
    const history = await this.openHistory();
    const clock = new ServerClock();
    const directory = options.cwd ?? process.cwd();
    const answer = options.onMessage ? program(options.onMessage, directory) : echo;
    const handlers = {
      invoke: invokeHandler(directory),
      message: messageHandler(answer, new SessionHistory(session, history)),
    };
    const desk = new RelayDesk(clock, handlers, ({ method, requestId, answer, ms }) =>
      this.emit({ event: 'call', method, requestId, outcome: answerOutcome(answer), ms }),
    );
    const events = {
      connected: () => this.emit({ event: 'connected' }),
      lost: (reason: string) => this.emit({ event: 'disconnected', reason }),
      waiting,
    };
    const parts = { device, desk, history, clock, backoff, events };
    const service = await MachineService.start(identity, parts, signal);
    this.emit({ event: 'serving', account: options.account, ...identity });
    return service;
  }

  private async register() {
    const { device, options } = this;
    // Every start signs in: the pinned enrollment is compared before anything is served.
    await device.signIn();
    this.checkOwner(device.state.account?.username);
    const about = describeDevice(options);
    const machine = await registerMachine(device, about);
    const sessionTag = options.sessionTag ?? `machine-${this.fingerprint.toLowerCase()}`;
    const session = await openSession(device, sessionTag, machine.id, { title: about.name, ...about });
    const deviceId = device.state.deviceId ?? '';
    const identity = { deviceId, machineId: machine.id, sessionId: session.id, sessionTag };
    return { identity, session };
  }

  /** With waits of its own: the socket may stand while the history cannot be written, and the other way round. */
  private openHistory(): Promise<HistoryWriter> {
    const { device, options } = this;
    return HistoryWriter.open(device, options.store.outbox(), new Backoff(options.backoff), (problem, waiting) =>
      this.emit({ event: 'history', problem, waiting }),
    );
  }

  private async pendingPairing() {
    const waiting = this.device.state.pairing;
    if (waiting) {
      const { state } = await pairingStatus(this.device.service, waiting.id);
      if (state === 'pending' || state === 'approved') return waiting;
      await this.startOver();
    }
    const { device, options } = this;
    const { state, service } = device;
    state.pairing = await requestPairing(service, state.keys, {
      kind: 'machine',
      ...describeDevice(options),
    });
    await device.save();
    return state.pairing;
  }

  private checkOwner(username: string | undefined): void {
    if (username === this.options.account) return;
    throw new DeviceRefusedError(
      `This device was adopted by "${username}", not by "${this.options.account}": it serves nothing.`,
    );
  }

  private async startOver(): Promise<void> {
    const { service } = this.device;
    const state = freshState(service.http.url);
    this.device = new SignedInDevice(service, this.options.store, state);
    await this.device.save();
  }

  private emit(event: MachineEvent): void {
    this.options.onEvent?.(event);
  }
}

const freshState = (url: string): DeviceState => newState('machine', url, generateDeviceKeys());
