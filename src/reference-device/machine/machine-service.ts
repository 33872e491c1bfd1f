import { CAPABILITIES } from '../../wire';
import type { HistoryWriter } from '../history/history-writer';
import type { SignedInDevice } from '../signed-in-device';
import type { Backoff } from './backoff';
import { Connection, TokenRefusedError } from './connection';
import { DeviceLink, type LinkEvents } from './device-link';
import type { RelayDesk } from './relay-desk';
import type { ServerClock } from './server-clock';

const RENEWAL_CHECK_MS = 60 * 60 * 1000;

/** What a machine serves as. */
export interface ServedIdentity {
  deviceId: string;
  machineId: string;
  sessionId: string;
  sessionTag: string;
}

export interface MachineServiceParts {
  device: SignedInDevice;
  desk: RelayDesk;
  history: HistoryWriter;
  clock: ServerClock;
  backoff: Backoff;
  events: LinkEvents;
}

/** A machine that answers calls until it is stopped. */
export class MachineService {
  private readonly link: DeviceLink;
  private readonly renewal: NodeJS.Timeout;

  private constructor(
    readonly identity: ServedIdentity,
    private readonly parts: MachineServiceParts,
  ) {
    const { backoff, events } = parts;
    this.link = new DeviceLink({
      open: (onDrain) => this.open(onDrain),
      backoff,
      events,
    });
    this.renewal = setInterval(() => void this.renew(), RENEWAL_CHECK_MS).unref();
  }

  /** Resolves once the first connection stands; aborting `signal` is the same as {@link stop}. */
  static async start(
    identity: ServedIdentity,
    parts: MachineServiceParts,
    signal?: AbortSignal,
  ): Promise<MachineService> {
    const service = new MachineService(identity, parts);
    signal?.addEventListener('abort', () => void service.stop(), { once: true });
    const started = signal?.aborted ? Promise.reject(signal.reason as Error) : service.link.start();
    await started.catch(async (error: unknown) => {
      await service.stop();
      throw error;
    });
    return service;
  }

  /** Rejects with DeviceRefusedError or EnrollmentError when serving can never go on; otherwise it stays pending. */
  get failed(): Promise<never> {
    return this.link.failed;
  }

  /** Ends what runs, with all it forked, answers its callers, writes the history that it can, and disconnects. */
  async stop(): Promise<void> {
    clearInterval(this.renewal);
    await this.parts.desk.stop();
    await this.parts.history.close();
    await this.link.stop();
  }

  /** A token that the service no longer takes is renewed at once; what is wrong then, shows at the sign-in. */
  private async open(onDrain: (connection: Connection) => void): Promise<Connection> {
    try {
      return await this.connect(onDrain);
    } catch (error) {
      if (!(error instanceof TokenRefusedError)) throw error;
      this.parts.device.forgetToken();
      return this.connect(onDrain);
    }
  }

  private async connect(onDrain: (connection: Connection) => void): Promise<Connection> {
    const { device, desk, clock } = this.parts;
    const token = await device.token();
    const { url } = device.service.http;
    return Connection.open({ url, token, capabilities: [...CAPABILITIES], desk, clock, onDrain });
  }

  /** A socket ends with its token, so the next one is opened with a new token before that. */
  private async renew(): Promise<void> {
    if (this.parts.device.needsRenewal()) await this.link.replace();
  }
}
