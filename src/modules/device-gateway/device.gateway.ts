import { Logger } from '@nestjs/common';
import { OnGatewayConnection, OnGatewayDisconnect, OnGatewayInit, WebSocketGateway } from '@nestjs/websockets';
import { Subject } from 'rxjs';
import type { Server, Socket } from 'socket.io';
import { DEVICE_SOCKET_PATH, type HelloMessage } from '@external-api/protocol';
import { ShutdownState } from '../../common/shutdown-state';
import { isDatabaseUnavailable } from '../../core/database';
import { DeviceConnection, DeviceCallLimiter, RelayBus } from '../relay-bus';
import { MAX_FRAME_BYTES } from './sockets/byte-budget-registry';
import { HandshakeService, HandshakeError, type HandshakeResult } from './handshake.service';
import { PresenceRecorder } from './presence/presence-recorder';
import { SocketGuard } from './sockets/socket-guard';

/** Equals the time that the reference device waits for `hello`. A device must ask to join within five seconds. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

interface SocketData {
  /** Set from the handshake to the connection. */
  handshakeResult?: HandshakeResult;
  connection?: DeviceConnection;
}

/**
 * Gateway that devices connect to (docs/protocol/device-api.md#socket). It supports WebSocket only, so that load
 * balancers don't need sticky sessions.
 */
@WebSocketGateway({
  path: DEVICE_SOCKET_PATH,
  transports: ['websocket'],
  allowUpgrades: false,
  serveClient: false,
  perMessageDeflate: false,
  pingInterval: 10_000,
  pingTimeout: 10_000,
  maxHttpBufferSize: MAX_FRAME_BYTES,
  connectTimeout: HANDSHAKE_TIMEOUT_MS,
})
export class DeviceGateway implements OnGatewayInit, OnGatewayConnection, OnGatewayDisconnect {
  /** Emits the connection of a device that has got `hello`. */
  readonly connectedDevices = new Subject<DeviceConnection>();
  private readonly logger = new Logger('DeviceGateway');

  constructor(
    private readonly handshakeService: HandshakeService,
    private readonly bus: RelayBus,
    private readonly presenceRecorder: PresenceRecorder,
    private readonly deviceCallLimiter: DeviceCallLimiter,
    private readonly shutdownState: ShutdownState,
    private readonly socketGuard: SocketGuard,
  ) {}

  afterInit(server: Server): void {
    this.socketGuard.guardServer(server);
    server.use((socket, next) => {
      this.acceptSocket(socket).then(
        () => next(),
        (error: Error) => {
          next(this.toHandshakeError(error));
          this.socketGuard.refuseJoin(socket);
        },
      );
    });
  }

  async handleConnection(socket: Socket): Promise<void> {
    if (!socket.connected) return;
    const data = socket.data as SocketData;
    const { device, machineId, capabilities, epoch } = data.handshakeResult!;
    delete data.handshakeResult;
    const getServerTime = (): number => this.bus.getServerTime();
    const { deviceCallLimiter } = this;
    const connection = new DeviceConnection(
      device,
      machineId,
      capabilities,
      epoch,
      socket,
      deviceCallLimiter,
      getServerTime,
    );
    data.connection = connection;
    // Presence is published before `hello`, so that afterwards every instance finds the device.
    await this.bus.attachConnection(connection);
    if (!socket.connected) return;
    this.presenceRecorder.recordConnected(connection);
    const helloMessage: HelloMessage = {
      serverTime: this.bus.getServerTime(),
      deviceId: device.deviceId,
      ...(machineId && { machineId }),
      capabilities: [...capabilities],
    };
    socket.emit('hello', helloMessage);
    this.connectedDevices.next(connection);
  }

  handleDisconnect(socket: Socket): void {
    const { connection } = socket.data as SocketData;
    if (!connection) return;
    // Called before anything is awaited, because a graceful shutdown waits for recorded writes only.
    this.presenceRecorder.recordDisconnected(connection, this.bus.detachConnection(connection));
  }

  private async acceptSocket(socket: Socket): Promise<void> {
    if (this.shutdownState.isDraining) throw new HandshakeError('service_unavailable');
    const handshakeResult = await this.handshakeService.acceptDevice(socket);
    (socket.data as SocketData).handshakeResult = handshakeResult;
    this.socketGuard.acceptJoin(socket, handshakeResult);
  }

  private toHandshakeError(error: Error): HandshakeError {
    if (error instanceof HandshakeError) return error;
    if (isDatabaseUnavailable(error)) {
      this.logger.warn({ reason: error.message }, 'handshake failed, database unavailable');
      return new HandshakeError('service_unavailable');
    }
    this.logger.error({ err: error }, 'handshake failed');
    return new HandshakeError('internal_error');
  }
}
