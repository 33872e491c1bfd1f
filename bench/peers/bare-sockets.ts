import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';
import { DEVICE_SOCKET_PATH } from '@external-api/protocol';

/** A socket.io server with the service's options that only sends `hello` and registers its sockets. */
const sockets = new Map<string, Socket>();
const server = createServer();
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
server.listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as AddressInfo).port }));
