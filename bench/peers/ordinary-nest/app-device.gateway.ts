import { InjectRepository } from '@nestjs/typeorm';
import { WebSocketGateway, WebSocketServer, type OnGatewayConnection } from '@nestjs/websockets';
import type { Server, Socket } from 'socket.io';
import { Repository } from 'typeorm';
import { DEVICE_SOCKET_PATH } from '@external-api/protocol';
import { hashSecretToken } from '../../../src/common/secret-token';
import { AppMachineEntity } from './entities';

/** Reaches devices by a room for each machine, wherever they are connected. */
@WebSocketGateway({ path: DEVICE_SOCKET_PATH, transports: ['websocket'], serveClient: false })
export class AppDeviceGateway implements OnGatewayConnection {
  @WebSocketServer()
  private readonly server!: Server;

  constructor(@InjectRepository(AppMachineEntity) private readonly machines: Repository<AppMachineEntity>) {}

  async handleConnection(socket: Socket): Promise<void> {
    const { token } = socket.handshake.auth as { token: string };
    const machine = await this.machines.findOneBy({ tokenHash: hashSecretToken(token) });
    if (!machine) return void socket.disconnect(true);
    await socket.join(machine.id);
    socket.emit('hello', { serverTime: Date.now() });
  }

  /** Returns the acknowledgement of the machine's device, or undefined without a device. */
  async sendRequest(machineId: string, relayRequest: object, timeoutMs: number): Promise<unknown> {
    const room = this.server.to(machineId).timeout(timeoutMs);
    const [acknowledgement] = (await room.emitWithAck('relay:request', relayRequest)) as unknown[];
    return acknowledgement;
  }
}
