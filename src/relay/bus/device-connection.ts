import type { Socket } from 'socket.io';
import type { DevicePrincipal } from '../../auth';
import { MINUTE } from '../../common/clock';
import type { Capability, ChangeHint, RelayDrain, RelayRequest } from '../../wire';
import { readDeviceAnswer, type DeviceAnswer } from './device-answer';
import type { DeviceSlots } from './device-slots';

/** How long after the origin gave up an answer is still told of. */
const LATE_MS = 5 * MINUTE;
const MAX_UNSENT_BYTES = 4 * 1_048_576;

/** `gone`: this connection stands for its device no more; a newer one may. */
export type Refusal = 'gone' | 'no_online_device' | 'device_busy' | 'relay_unavailable';

/** How a call ended at its device's socket; of a refused one nothing was sent. */
export type Delivery =
  | { kind: 'answered'; answer: DeviceAnswer }
  | { kind: 'refused'; reason: Refusal }
  | { kind: 'lost'; reason: 'timeout' | 'device_disconnected' };

interface OpenCall {
  settle: (delivery: Delivery) => void;
  freeSlot: () => void;
}

/** One device's socket, and the calls on their way through it. */
export class DeviceConnection {
  private readonly open = new Map<string, OpenCall>();
  private retired = false;

  constructor(
    readonly device: DevicePrincipal,
    readonly machineId: string | null,
    readonly capabilities: readonly Capability[],
    readonly epoch: number,
    private readonly socket: Socket,
    private readonly slots: DeviceSlots,
  ) {}

  /** Whether it stands for its device: connected, and no newer connection took over. */
  get isCurrent(): boolean {
    return this.socket.connected && !this.retired;
  }

  /**
   * Sends the request once and waits for its answer.
   * @param answerWithinMs after which waiting ends; a later answer goes to `onLateAnswer`
   */
  deliver(
    request: RelayRequest,
    answerWithinMs: number,
    onLateAnswer: (answer: DeviceAnswer) => void,
  ): Promise<Delivery> {
    if (!this.isCurrent) return Promise.resolve({ kind: 'refused', reason: 'gone' });
    if (this.unsentBytes() > MAX_UNSENT_BYTES) {
      return Promise.resolve({ kind: 'refused', reason: 'relay_unavailable' });
    }
    if (!this.slots.take(this.device.deviceId)) {
      return Promise.resolve({ kind: 'refused', reason: 'device_busy' });
    }
    return new Promise((resolve) => {
      const { requestId } = request;
      const timer = setTimeout(() => this.finish(requestId, { kind: 'lost', reason: 'timeout' }), answerWithinMs);
      this.open.set(requestId, {
        settle: (delivery) => {
          clearTimeout(timer);
          resolve(delivery);
        },
        freeSlot: () => this.slots.free(this.device.deviceId),
      });
      this.emit(request, answerWithinMs + LATE_MS, this.acknowledgement(requestId, onLateAnswer));
    });
  }

  /** Waited for long after the call: apart, so that it holds the request's id and not its body. */
  private acknowledgement(requestId: string, onLateAnswer: (answer: DeviceAnswer) => void) {
    return (raw: unknown) => {
      const answer = readDeviceAnswer(raw);
      if (!this.finish(requestId, { kind: 'answered', answer })) onLateAnswer(answer);
    };
  }

  cancel(requestId: string, reason: string): void {
    if (this.open.has(requestId)) this.socket.emit('relay:cancel', { requestId, reason });
  }

  /** Asks the device to connect again elsewhere; this connection serves on meanwhile. */
  askToLeave(withinMs: number): void {
    const drain: RelayDrain = { withinMs };
    this.socket.emit('relay:drain', drain);
  }

  /** A hint to sync; lost with the socket, like every hint. */
  hint(change: ChangeHint): void {
    this.socket.emit('change', change);
  }

  /** A newer connection took over: what runs here may finish, then the socket closes. */
  retire(): void {
    this.retired = true;
    this.closeIfDone();
  }

  /** Ends it now, as for a revoked device. */
  close(): void {
    this.socket.disconnect(true);
  }

  /** The socket is gone, and with it every answer that was still to come. */
  onDisconnected(): void {
    for (const requestId of [...this.open.keys()]) {
      this.finish(requestId, { kind: 'lost', reason: 'device_disconnected' });
    }
    this.endWaiting();
  }

  /** socket.io keeps the timers of unanswered acknowledgements, and what they hold, beyond the socket's end. */
  private endWaiting(): void {
    const { acks } = this.socket as unknown as { acks: Map<number, () => void> };
    for (const end of acks.values()) end();
    acks.clear();
  }

  private emit(request: RelayRequest, timeoutMs: number, onAnswer: (answer: unknown) => void): void {
    this.socket.timeout(timeoutMs).emit('relay:request', request, (error: Error | null, ...answers: unknown[]) => {
      if (!error && this.socket.connected) onAnswer(answers.length === 1 ? answers[0] : undefined);
    });
  }

  private finish(requestId: string, delivery: Delivery): boolean {
    const call = this.open.get(requestId);
    if (!call) return false;
    this.open.delete(requestId);
    call.freeSlot();
    call.settle(delivery);
    this.closeIfDone();
    return true;
  }

  private closeIfDone(): void {
    if (this.retired && this.open.size === 0) this.close();
  }

  /** What waits in this process for a device that reads slowly. */
  private unsentBytes(): number {
    const { conn } = this.socket;
    const transport = conn.transport as unknown as { socket?: { bufferedAmount?: number } };
    const queued = (conn as unknown as { writeBuffer: { data?: { length?: number } }[] }).writeBuffer;
    return queued.reduce((sum, packet) => sum + (packet.data?.length ?? 0), transport.socket?.bufferedAmount ?? 0);
  }
}
