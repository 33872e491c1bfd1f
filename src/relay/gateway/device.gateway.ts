import { Logger } from '@nestjs/common';
import {
  OnGatewayConnection,
  OnGatewayDisconnect,
  OnGatewayInit,
  WebSocketGateway,
} from '@nestjs/websockets';
import type { Server, Socket } from 'socket.io';
import { Clock } from '../../common/clock';
import { Draining } from '../../common/draining';
import { DEVICE_SOCKET_PATH, type Hello } from '../../wire';
import { DeviceConnection } from '../bus/device-connection';
import { DeviceSlots } from '../bus/device-slots';
import { RelayBus } from '../bus/relay-bus';
import { Handshake, HandshakeError, type Handshaken } from './handshake';
import { PresenceReporter } from './presence-reporter';

const MAX_TIMER_MS = 2 ** 31 - 1;

interface SocketData {
  handshaken: Handshaken;
  connection?: DeviceConnection;
  expiry?: NodeJS.Timeout;
}

/** Where devices connect (device-api.md, Socket): WebSocket only, so that a load balancer needs no stickiness. */
@WebSocketGateway({
  path: DEVICE_SOCKET_PATH,
  transports: ['websocket'],
  allowUpgrades: false,
  serveClient: false,
  perMessageDeflate: false,
  pingInterval: 10_000,
  pingTimeout: 10_000,
  maxHttpBufferSize: 4 * 1_048_576,
})
export class DeviceGateway implements OnGatewayInit, OnGatewayConnection, OnGatewayDisconnect {
  private readonly logger = new Logger('DeviceGateway');

  constructor(
    private readonly handshake: Handshake,
    private readonly bus: RelayBus,
    private readonly presence: PresenceReporter,
    private readonly slots: DeviceSlots,
    private readonly clock: Clock,
    private readonly draining: Draining,
  ) {}

  afterInit(server: Server): void {
    server.use((socket, next) => {
      this.accept(socket).then(
        () => next(),
        (error: Error) => next(this.refusal(error)),
      );
    });
  }

  async handleConnection(socket: Socket): Promise<void> {
    if (!socket.connected) return;
    const data = socket.data as SocketData;
    const { device, machineId, capabilities, epoch } = data.handshaken;
    const connection = new DeviceConnection(device, machineId, capabilities, epoch, socket, this.slots);
    data.connection = connection;
    this.endWithToken(socket, device.tokenExpiresAt);
    // First, so that whoever has seen its hello finds the device on every instance.
    await this.bus.attach(connection);
    if (!socket.connected) return;
    this.presence.connected(connection);
    const hello: Hello = {
      serverTime: this.bus.now(),
      deviceId: device.deviceId,
      ...(machineId && { machineId }),
    };
    socket.emit('hello', hello);
  }

  handleDisconnect(socket: Socket): void {
    const { connection, expiry } = socket.data as SocketData;
    clearTimeout(expiry);
    if (!connection) return;
    // Reported before anything is awaited: a clean stop waits for what is reported.
    this.presence.disconnected(connection, this.bus.detach(connection));
  }

  private async accept(socket: Socket): Promise<void> {
    if (this.draining.isDraining) throw new HandshakeError('service_unavailable');
    (socket.data as SocketData).handshaken = await this.handshake.accept(socket);
  }

  private refusal(error: Error): HandshakeError {
    if (error instanceof HandshakeError) return error;
    this.logger.error({ err: error }, 'a handshake failed unexpectedly');
    return new HandshakeError('internal_error');
  }

  /** A socket ends when its token does; timers hold at most 24 days, so a long one is set again. */
  private endWithToken(socket: Socket, expiresAt: number): void {
    const left = expiresAt - this.clock.now();
    (socket.data as SocketData).expiry = setTimeout(
      () => (left > MAX_TIMER_MS ? this.endWithToken(socket, expiresAt) : socket.disconnect(true)),
      Math.min(Math.max(left, 0), MAX_TIMER_MS),
    ).unref();
  }
}
