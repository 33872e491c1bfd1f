import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { createBareGateway } from './bare-gateway';

/** Second half of two hops: sends messages on `owner` to the device, and publishes its answer on `origin`. */
const server = createServer();
const sockets = createBareGateway(server);
const commands = new Redis(process.env.REDIS!);
const subscriber = new Redis(process.env.REDIS!);

subscriber.on('message', (_channel, relayMessage: string) => {
  const [socket] = sockets.values();
  socket!.emit('relay:request', JSON.parse(relayMessage), (answer: unknown) => {
    void commands.publish('origin', JSON.stringify(answer));
  });
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  void subscriber.subscribe('owner').then(() => process.send!({ port }));
});
