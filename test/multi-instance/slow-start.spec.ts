import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { LoadBalancer } from './support/load-balancer';

const SOCKETS = 60;

/** Server that is ready and accepts every socket. */
class FakeServer {
  readonly sockets = new Set<Duplex>();
  private server: Server | undefined;
  private port = 0;

  async start(): Promise<number> {
    this.server = createServer((_, response) => void response.end('{}'));
    this.server.on('upgrade', (_, socket: Duplex) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: raw\r\n\r\n');
    });
    await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (this.server.address() as AddressInfo).port;
    return this.port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}

/** deploy/haproxy.cfg with an instance that a rolling deploy has replaced. */
describe('the load balancer after an instance has restarted', () => {
  const places = [new FakeServer(), new FakeServer(), new FakeServer()];
  let balancer: LoadBalancer;
  const open: Duplex[] = [];
  beforeAll(async () => {
    const ports = await Promise.all(places.map((place) => place.start()));
    balancer = await LoadBalancer.start(await LoadBalancer.findPort(), ports);
  });
  afterAll(async () => {
    for (const socket of open) socket.destroy();
    await balancer?.stop();
    await Promise.all(places.map((place) => place.stop()));
  });

  async function connect(): Promise<void> {
    const headers = { Connection: 'Upgrade', Upgrade: 'raw' };
    const upgrading = request(`${balancer.url}/v1/devices/socket/`, { headers }).end();
    const [, socket] = (await once(upgrading, 'upgrade')) as [unknown, Duplex];
    open.push(socket.on('error', () => undefined));
  }

  it('sends it only some of the new sockets', async () => {
    for (let n = 0; n < SOCKETS; n++) await connect();
    expect(places.map(({ sockets }) => sockets.size)).toEqual([20, 20, 20]);
    await places[0]!.stop();
    await balancer.waitForInstanceState(0, 'DOWN');
    await places[0]!.start();
    await balancer.waitForInstanceState(0, 'UP');
    for (let n = 0; n < 20; n++) await connect();
    // Without slow start, the instance would get all twenty.
    expect(places[0]!.sockets.size).toBeLessThan(10);
    expect(places[1]!.sockets.size + places[2]!.sockets.size).toBeGreaterThan(50);
  });
});
