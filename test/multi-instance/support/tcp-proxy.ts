import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Network path of a test, which can be open, silent or cut. */
export class TcpProxy {
  private readonly links = new Set<ProxyLink>();
  private server: Server | null = null;
  private isBlocked = false;
  private isDiscarding = false;
  port = 0;

  private constructor(private target: number) {}

  /** @param target port of this machine */
  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.startListening();
    return proxy;
  }

  /** Keeps and accepts connections, but delays all data until `restore`. */
  blockTraffic(): void {
    this.isBlocked = true;
    for (const link of this.links) link.pauseTraffic();
  }

  /** Like `blockTraffic`, but the data and the connections are lost. `restore` allows new connections. */
  discardTraffic(): void {
    this.isDiscarding = true;
    for (const link of this.links) link.discardTraffic();
  }

  /** Silences only the n-th open connection, in the order of arrival. */
  blockConnection(n: number): void {
    [...this.links][n]!.pauseTraffic();
  }

  /** Connects new connections to another port of this machine, like a name that moves to another server. */
  redirectTraffic(target: number): void {
    this.target = target;
  }

  get connectionCount(): number {
    return this.links.size;
  }

  /** Closes all connections and rejects new ones. */
  async cutConnections(): Promise<void> {
    const { server } = this;
    this.server = null;
    for (const link of this.links) link.destroySockets();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  /** Opens the path again. Data sent during the silence arrives late, as with TCP. */
  async restoreTraffic(): Promise<void> {
    this.isBlocked = false;
    this.isDiscarding = false;
    if (!this.server) await this.startListening();
    for (const link of this.links) link.resumeTraffic();
  }

  private async startListening(): Promise<void> {
    const server = createServer({ pauseOnConnect: true }, (client) => this.acceptConnection(client));
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  private acceptConnection(client: Socket): void {
    const proxyLink = new ProxyLink(client, this.target, () => this.links.delete(proxyLink));
    this.links.add(proxyLink);
    if (this.isDiscarding) proxyLink.discardTraffic();
    else if (!this.isBlocked) proxyLink.resumeTraffic();
  }
}

/** Connection of a client and, once data may pass, the connection to the target. */
class ProxyLink {
  private upstream: Socket | null = null;
  private isFlowing = false;
  private isDiscarded = false;

  constructor(
    private readonly client: Socket,
    private readonly target: number,
    private readonly onEnd: () => void,
  ) {
    this.watchSocket(client);
  }

  pauseTraffic(): void {
    this.isFlowing = false;
    for (const socket of [this.client, this.upstream]) socket?.unpipe().pause();
  }

  /** Permanent. Neither side notices when the other one closes. */
  discardTraffic(): void {
    this.pauseTraffic();
    this.isDiscarded = true;
    this.client.resume();
  }

  resumeTraffic(): void {
    // A second pipe would duplicate all data.
    if (this.isFlowing || this.isDiscarded) return;
    this.isFlowing = true;
    this.upstream ??= this.watchSocket(connect(this.target, '127.0.0.1'));
    this.client.pipe(this.upstream);
    this.upstream.pipe(this.client);
  }

  destroySockets(): void {
    this.client.destroy();
    this.upstream?.destroy();
    this.onEnd();
  }

  private onSocketEnd(): void {
    if (!this.isDiscarded) this.destroySockets();
  }

  private watchSocket(socket: Socket): Socket {
    return socket
      .setNoDelay()
      .on('error', () => this.onSocketEnd())
      .on('close', () => this.onSocketEnd());
  }
}
