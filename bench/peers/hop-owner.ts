import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import { bareGateway } from './bare-gateway';

/** The second half of two hops: what is published to `owner` goes to the device, its answer to `origin`. */
const server = createServer();
const sockets = bareGateway(server);
const commands = new Redis(process.env.REDIS!);
const subscriber = new Redis(process.env.REDIS!);

subscriber.on('message', (_channel, order: string) => {
  const [socket] = sockets.values();
  socket!.emit('relay:request', JSON.parse(order), (answer: unknown) => {
    void commands.publish('origin', JSON.stringify(answer));
  });
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  void subscriber.subscribe('owner').then(() => process.send!({ port }));
});
