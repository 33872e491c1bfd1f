import type { Server as HttpServer } from 'node:http';
import { Server, type Socket } from 'socket.io';
import { DEVICE_SOCKET_PATH } from '../../src/protocol';

/** Sockets by the token of their device. */
export type BareSockets = Map<string, Socket>;

/** Starts a socket.io server with the service's options that only sends `hello` and registers its sockets. */
export function createBareGateway(server: HttpServer): BareSockets {
  const sockets: BareSockets = new Map();
  const io = new Server(server, {
    path: DEVICE_SOCKET_PATH,
    transports: ['websocket'],
    allowUpgrades: false,
    serveClient: false,
    perMessageDeflate: false,
    pingInterval: 10_000,
    pingTimeout: 10_000,
    maxHttpBufferSize: 4 * 1_048_576,
  });
  io.on('connection', (socket) => {
    const { token } = socket.handshake.auth as { token: string };
    sockets.set(token, socket);
    socket.once('disconnect', () => sockets.delete(token));
    socket.emit('hello', { serverTime: Date.now() });
  });
  return sockets;
}
