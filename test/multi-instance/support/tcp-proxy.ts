import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A network path in the hands of a test: open, silent, or cut. */
export class TcpProxy {
  private readonly links = new Set<Link>();
  private server: Server | null = null;
  private silent = false;
  port = 0;

  private constructor(private readonly target: number) {}

  /** @param target a port of this machine */
  static async start(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    await proxy.listen();
    return proxy;
  }

  /** Connections stand and new ones are taken, but nothing gets through. */
  blackhole(): void {
    this.silent = true;
    for (const link of this.links) link.hold();
  }

  /** One connection alone falls silent: the n-th of those that stand, in the order in which they came. */
  silence(n: number): void {
    [...this.links][n]!.hold();
  }

  get connections(): number {
    return this.links.size;
  }

  /** Ends every connection and refuses new ones. */
  async cut(): Promise<void> {
    const { server } = this;
    this.server = null;
    for (const link of this.links) link.end();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  /** Open again. What was sent into the silence arrives now, late, as it does in TCP. */
  async restore(): Promise<void> {
    this.silent = false;
    if (!this.server) await this.listen();
    for (const link of this.links) link.release();
  }

  private async listen(): Promise<void> {
    const server = createServer({ pauseOnConnect: true }, (client) => this.take(client));
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  private take(client: Socket): void {
    const link = new Link(client, this.target, () => this.links.delete(link));
    this.links.add(link);
    if (!this.silent) link.release();
  }
}

/** A client's connection and, once data may pass, the one to the target. */
class Link {
  private upstream: Socket | null = null;
  private flows = false;

  constructor(
    private readonly client: Socket,
    private readonly target: number,
    private readonly onEnd: () => void,
  ) {
    this.watch(client);
  }

  hold(): void {
    this.flows = false;
    for (const socket of [this.client, this.upstream]) socket?.unpipe().pause();
  }

  release(): void {
    // Piped twice, everything would arrive twice.
    if (this.flows) return;
    this.flows = true;
    this.upstream ??= this.watch(connect(this.target, '127.0.0.1'));
    this.client.pipe(this.upstream);
    this.upstream.pipe(this.client);
  }

  end(): void {
    this.client.destroy();
    this.upstream?.destroy();
    this.onEnd();
  }

  private watch(socket: Socket): Socket {
    return socket
      .setNoDelay()
      .on('error', () => this.end())
      .on('close', () => this.end());
  }
}
