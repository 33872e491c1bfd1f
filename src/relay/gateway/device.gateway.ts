import { Logger } from '@nestjs/common';
import { OnGatewayConnection, OnGatewayDisconnect, OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import type { Server, Socket } from 'socket.io';
import { Draining } from '../../common/draining';
import { DEVICE_SOCKET_PATH, type Hello } from '../../wire';
import { DeviceConnection } from '../bus/device-connection';
import { DeviceSlots } from '../bus/device-slots';
import { RelayBus } from '../bus/relay-bus';
import { Handshake, HandshakeError, type Handshaken } from './handshake';
import { PresenceReporter } from './presence-reporter';

interface SocketData {
  /** From the handshake to the connection. */
  handshaken?: Handshaken;
  connection?: DeviceConnection;
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
    const { device, machineId, capabilities, epoch } = data.handshaken!;
    delete data.handshaken;
    const connection = new DeviceConnection(device, machineId, capabilities, epoch, socket, this.slots);
    data.connection = connection;
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
    const { connection } = socket.data as SocketData;
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
}
