import type { Socket as TcpSocket } from 'node:net';
import type { Socket } from 'socket.io';
import { POLICY_VIOLATION, type SocketViolation } from '@external-api/protocol';
import type { LivePacketVerdict } from '../live/live-output-receiver';
import { getPendingAcknowledgements, getWebSocket, type EngineConnection } from '../../relay-bus';
import type { ByteBudget } from './byte-budget-registry';

const JOIN_TIMEOUT_MS = 5_000;
const MAX_UNJOINED_BYTES = 64 * 1_024;
/** Time for the close frame to arrive. Nothing is read meanwhile. */
const CLOSE_LINGER_MS = 1_000;

/** Handles an event of a joined device. */
type EventReceiver = (packet: string) => LivePacketVerdict;

/** The first character of a socket.io packet is its type; a namespace other than `/` follows it. */
const CONNECT_PACKET = /^0(?!\/[^,])/;
const DISCONNECT_PACKET = /^1(?!\/)/;
const EVENT_PACKET = /^2\["/;
const ACKNOWLEDGEMENT_PACKET = /^(?:3|6(?<attachments>\d{1,2})-)(?<id>\d{1,15})\[/;

export interface GuardedSocketHandlers {
  onViolation: (violation: SocketViolation) => void;
  /** Called once, when the socket has joined or has closed before joining. */
  onSettled: () => void;
}

/**
 * One device socket, from its upgrade to its close. Filters packets between engine.io and socket.io's parser, so that a
 * packet that violates the protocol is never parsed: before the join only a CONNECT to `/` is allowed, then only
 * acknowledgements. Events of a joined device are live output, which bypasses socket.io's parser.
 */
export class GuardedSocket {
  private state: 'open' | 'joining' | 'joined' | 'closed' = 'open';
  private readonly joinTimer: NodeJS.Timeout;
  private isSettled = false;
  private isJoinOverdue = false;
  private engineConnection: EngineConnection | null = null;
  private socket: Socket | null = null;
  private byteBudget: ByteBudget | null = null;
  private receiveEvent: EventReceiver | null = null;
  private unjoinedBytes = 0;
  private pendingAttachments = 0;

  /** @param tcpSocket the socket of the upgrade request */
  constructor(
    private readonly tcpSocket: TcpSocket,
    private readonly handlers: GuardedSocketHandlers,
  ) {
    this.joinTimer = setTimeout(() => this.handleJoinTimeout(), JOIN_TIMEOUT_MS).unref();
    tcpSocket.once('close', () => {
      this.state = 'closed';
      this.settleJoin();
    });
  }

  /** Replaces socket.io's data listener, which then gets only allowed packets. */
  watchConnection(connection: EngineConnection): void {
    this.engineConnection = connection;
    this.tcpSocket.on('data', ({ length }: Buffer) => this.countBytes(length));
    const [parse] = connection.listeners('data') as ((data: unknown) => void)[];
    connection.removeAllListeners('data');
    connection.on('data', (data: unknown) => {
      const packet = this.filterPacket(data);
      if (packet !== null) parse?.(packet);
    });
  }

  /** Called when the handshake was accepted. Returns false if the socket has closed. */
  acceptJoin(socket: Socket, budget: ByteBudget, receiveEvent: EventReceiver): boolean {
    if (this.state === 'closed') return false;
    this.state = 'joined';
    this.socket = socket;
    this.byteBudget = budget;
    this.receiveEvent = receiveEvent;
    socket.onAnyOutgoing((event) => {
      if (event === 'relay:request') budget.addAnswerBytes();
    });
    // A client that leaves the namespace may not send anything more.
    socket.once('disconnect', () => this.engineConnection?.close());
    this.settleJoin();
    return true;
  }

  /** Called when the handshake was refused. The client may retry until the join timeout. */
  refuseJoin(): void {
    if (this.state !== 'joining') return;
    this.state = 'open';
    // The refusal must be sent before the socket closes.
    if (this.isJoinOverdue) setImmediate(() => this.closeForViolation('join_timeout'));
  }

  private handleJoinTimeout(): void {
    this.isJoinOverdue = true;
    if (this.state === 'open') this.closeForViolation('join_timeout');
  }

  private countBytes(length: number): void {
    if (this.state === 'closed') return;
    if (this.byteBudget) {
      if (!this.byteBudget.consumeBytes(length)) this.closeForViolation('too_many_bytes');
      return;
    }
    this.unjoinedBytes += length;
    if (this.unjoinedBytes > MAX_UNJOINED_BYTES) this.closeForViolation('too_many_bytes');
  }

  /** Returns the packet that socket.io may parse, or null. */
  private filterPacket(data: unknown): string | null {
    if (this.state === 'closed') return null;
    if (this.state === 'joined') return this.filterJoinedPacket(data);
    if (this.state === 'open' && typeof data === 'string' && CONNECT_PACKET.test(data)) {
      this.state = 'joining';
      return data;
    }
    this.closeForViolation('unexpected_packet');
    return null;
  }

  private filterJoinedPacket(data: unknown): string | null {
    if (typeof data !== 'string' && this.pendingAttachments > 0) {
      this.pendingAttachments -= 1;
      return null;
    }
    if (typeof data === 'string' && this.pendingAttachments === 0) {
      if (DISCONNECT_PACKET.test(data)) return data;
      const { id, attachments } = ACKNOWLEDGEMENT_PACKET.exec(data)?.groups ?? {};
      if (id) return this.filterAcknowledgement(data, id, attachments);
      if (EVENT_PACKET.test(data) && this.acceptEvent(data)) return null;
    }
    this.closeForViolation('unexpected_packet');
    return null;
  }

  /** Returns false for an event that the device may not send. */
  private acceptEvent(packet: string): boolean {
    const verdict = this.receiveEvent!(packet);
    // The bytes were counted when they arrived, before anything was known about the packet.
    if (verdict === 'allowed') this.byteBudget!.returnBytes(Buffer.byteLength(packet));
    return verdict !== 'invalid';
  }

  /**
   * Drops acknowledgements that no call waits for, such as repeated ones. One with binary members is invalid in any
   * case, so its attachments are dropped and its content is replaced by null.
   */
  private filterAcknowledgement(data: string, id: string, attachments: string | undefined): string | null {
    this.pendingAttachments = Number(attachments ?? 0);
    if (!getPendingAcknowledgements(this.socket!).has(Number(id))) return null;
    return attachments === undefined ? data : `3${id}[null]`;
  }

  /** Closes the socket with the violation as the reason, and stops reading. */
  private closeForViolation(violation: SocketViolation): void {
    if (this.state === 'closed') return;
    const webSocket = this.engineConnection && getWebSocket(this.engineConnection);
    this.state = 'closed';
    this.handlers.onViolation(violation);
    if (!webSocket) return void this.tcpSocket.destroy();
    webSocket.close(POLICY_VIOLATION, violation);
    // A client that has read the close frame needn't wait for the end of the connection.
    this.tcpSocket.end();
    webSocket.pause();
    setTimeout(() => webSocket.terminate(), CLOSE_LINGER_MS).unref();
    // The rest of the service sees the disconnect at once and sends no more calls.
    this.socket?.disconnect(true);
  }

  private settleJoin(): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.joinTimer);
    this.handlers.onSettled();
  }
}
