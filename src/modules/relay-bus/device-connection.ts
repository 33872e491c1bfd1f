import type { Socket } from 'socket.io';
import type {
  Capability,
  ReconnectMessage,
  RelayRequest,
  SyncNotificationMessage,
  WatchInvocationMessage,
  WatchTurnMessage,
} from '@external-api/protocol';
import type { DevicePrincipal } from '../../access/auth';
import { MINUTE } from '../../common/clock';
import { parseDeviceAnswer, type DeviceAnswer } from './device-answer';
import type { DeviceCallLimiter } from './device-call-limiter';
import type { LiveTopic } from './live-output';
import type { NotDeliveredReason, CallOutcome } from './relay-call';
import { runRelayStage } from './relay-spans';
import { getPendingAcknowledgements, getWebSocket } from './socket-internals';

/** How long after the timeout a late answer is still reported. */
export const LATE_ANSWER_WINDOW_MS = 5 * MINUTE;
const MAX_UNSENT_BYTES = 4 * 1_048_576;
/** Unsent messages with which a device loses its connection, since it has missed too much to go on. */
const MAX_UNSENT_MESSAGES = 1_000;

interface InFlightCall {
  /** `performance.now()` */
  sentAt: number;
  resolveCall: (outcome: CallOutcome) => void;
  releaseSlot: () => void;
}

/** One device's socket and its calls in flight. */
export class DeviceConnection {
  private readonly inFlightCalls = new Map<string, InFlightCall>();
  private isRetired = false;
  /**
   * Since when the device has been connected to this instance without a gap, on this or earlier connections.
   * `performance.now()`
   */
  presentSince = performance.now();

  constructor(
    readonly device: DevicePrincipal,
    readonly machineId: string | null,
    readonly capabilities: readonly Capability[],
    readonly epoch: number,
    private readonly socket: Socket,
    private readonly deviceCallLimiter: DeviceCallLimiter,
    private readonly getServerTime: () => number,
  ) {}

  /** Whether the socket is connected and no newer connection of the device has replaced it. */
  get isCurrent(): boolean {
    return this.socket.connected && !this.isRetired;
  }

  /**
   * Sends the request once and waits for its answer. Returns null, without having sent anything, if this connection is
   * no longer the current one of its device; a newer one may be.
   * @param answerTimeoutMs time after which the outcome is unknown; a later answer goes to `onLateAnswer`
   */
  sendRequest(
    request: RelayRequest,
    answerTimeoutMs: number,
    onLateAnswer: (answer: DeviceAnswer) => void,
  ): Promise<CallOutcome | null> {
    if (!this.isCurrent) return Promise.resolve(null);
    if (this.countUnsentBytes() > MAX_UNSENT_BYTES) {
      return Promise.resolve(this.createRefusal('relay_unavailable'));
    }
    if (!this.deviceCallLimiter.acquireSlot(this.device.deviceId, request.method)) {
      return Promise.resolve(this.createRefusal('device_busy'));
    }
    return runRelayStage('device', request, (traced) => this.emitAndWait(traced, answerTimeoutMs, onLateAnswer));
  }

  private emitAndWait(
    request: RelayRequest,
    answerTimeoutMs: number,
    onLateAnswer: (answer: DeviceAnswer) => void,
  ): Promise<CallOutcome> {
    return new Promise((resolve) => {
      const { requestId, method } = request;
      const sentAt = performance.now();
      const timer = setTimeout(() => {
        this.finishCall(requestId, { kind: 'unknown', reason: 'timeout', ...this.measureCall(sentAt) });
      }, answerTimeoutMs);
      this.inFlightCalls.set(requestId, {
        sentAt,
        resolveCall: (outcome) => {
          clearTimeout(timer);
          resolve(outcome);
        },
        releaseSlot: () => this.deviceCallLimiter.releaseSlot(this.device.deviceId, method),
      });
      this.emitRequest(
        request,
        answerTimeoutMs + LATE_ANSWER_WINDOW_MS,
        this.createAcknowledgementHandler(requestId, sentAt, onLateAnswer),
      );
    });
  }

  /** A method of its own, so that the long-lived closure retains the request's id and not its body. */
  private createAcknowledgementHandler(
    requestId: string,
    sentAt: number,
    onLateAnswer: (answer: DeviceAnswer) => void,
  ) {
    return (raw: unknown) => {
      const answer = parseDeviceAnswer(raw);
      const outcome: CallOutcome = { kind: 'answered', answer, ...this.measureCall(sentAt) };
      if (!this.finishCall(requestId, outcome)) onLateAnswer(answer);
    };
  }

  cancelCall(requestId: string, reason: string): void {
    if (this.inFlightCalls.has(requestId)) this.socket.emit('relay:cancel', { requestId, reason });
  }

  /** Asks the device to reconnect to another instance. This connection continues to serve meanwhile. */
  requestReconnect(withinMs: number): void {
    const message: ReconnectMessage = { withinMs };
    this.socket.emit('relay:drain', message);
  }

  /** Sends a sync notification. It is lost if the socket closes. */
  sendSyncNotification(notification: SyncNotificationMessage): void {
    this.sendMessage('change', notification);
  }

  /**
   * Asks the device for live output, or to stop it.
   * @param until Unix ms in server time; a time that is over ends the lease
   */
  sendWatchRequest({ type, id }: LiveTopic, until: number): void {
    const lease = { until, serverTime: this.getServerTime() };
    if (type === 'delta') this.sendMessage('turn:watch', { sessionId: id, ...lease } satisfies WatchTurnMessage);
    else if (type === 'progress')
      this.sendMessage('progress:watch', { sessionId: id, ...lease } satisfies WatchTurnMessage);
    else this.sendMessage('invocation:watch', { invocationId: id, ...lease } satisfies WatchInvocationMessage);
  }

  /** Sends a message that no caller waits for. A device that reads nothing must not fill the memory with them. */
  private sendMessage(event: string, message: object): void {
    if (this.unsentPackets.length < MAX_UNSENT_MESSAGES) this.socket.emit(event, message);
    else getWebSocket(this.socket.conn)?.terminate();
  }

  /** Retires the connection: calls in flight may finish, then the socket closes. */
  closeWhenIdle(): void {
    this.isRetired = true;
    this.closeIfIdle();
  }

  /** Tells the device that a newer connection of it has replaced this one, and retires it. */
  closeReplaced(): void {
    if (this.isCurrent) this.socket.emit('relay:replaced', {});
    this.closeWhenIdle();
  }

  /** Closes the socket at once, without waiting for calls in flight. */
  closeSocket(): void {
    this.socket.disconnect(true);
  }

  /** Ends all calls in flight with an unknown outcome. */
  onDisconnected(): void {
    for (const [requestId, { sentAt }] of [...this.inFlightCalls]) {
      this.finishCall(requestId, { kind: 'unknown', reason: 'device_disconnected', ...this.measureCall(sentAt) });
    }
    this.clearPendingAcknowledgements();
  }

  /** Clears unanswered acknowledgements: socket.io retains their timers and closures after the socket has closed. */
  private clearPendingAcknowledgements(): void {
    const acknowledgements = getPendingAcknowledgements(this.socket);
    for (const cancelAcknowledgement of acknowledgements.values()) cancelAcknowledgement();
    acknowledgements.clear();
  }

  private emitRequest(request: RelayRequest, timeoutMs: number, onAnswer: (answer: unknown) => void): void {
    const timed: RelayRequest = { ...request, serverTime: this.getServerTime() };
    this.socket.timeout(timeoutMs).emit('relay:request', timed, (error: Error | null, ...answers: unknown[]) => {
      if (!error && this.socket.connected) onAnswer(answers.length === 1 ? answers[0] : undefined);
    });
  }

  /** Returns false if the call has ended before. */
  private finishCall(requestId: string, outcome: CallOutcome): boolean {
    const call = this.inFlightCalls.get(requestId);
    if (!call) return false;
    this.inFlightCalls.delete(requestId);
    call.releaseSlot();
    call.resolveCall(outcome);
    this.closeIfIdle();
    return true;
  }

  private createRefusal(reason: NotDeliveredReason): CallOutcome {
    return { kind: 'not_delivered', reason, deviceId: this.device.deviceId };
  }

  private measureCall(sentAt: number) {
    return { deviceId: this.device.deviceId, routeMs: 0, deviceMs: Math.round(performance.now() - sentAt) };
  }

  private closeIfIdle(): void {
    if (this.isRetired && this.inFlightCalls.size === 0) this.closeSocket();
  }

  /** Returns the bytes buffered in this process for a device that reads slowly. */
  private countUnsentBytes(): number {
    const buffered = getWebSocket(this.socket.conn)?.bufferedAmount ?? 0;
    return this.unsentPackets.reduce((sum, packet) => sum + (packet.data?.length ?? 0), buffered);
  }

  /** Packets that wait until the WebSocket has sent the ones before. */
  private get unsentPackets(): readonly { data?: { length?: number } }[] {
    return (this.socket.conn as unknown as { writeBuffer: { data?: { length?: number } }[] }).writeBuffer;
  }
}
