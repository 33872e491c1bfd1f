import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, isIP, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { CertificateFiles } from './certificates';

export interface ForwardProxyOptions {
  /** User name and password, separated by a colon. Without them, the proxy demands none. */
  credentials?: string;
  /** Certificate of a proxy that is reached with TLS. */
  tls?: CertificateFiles;
}

/**
 * Forward proxy as in a company, with CONNECT and requests for whole URLs. It alone knows the names below
 * `example.test`, which are this computer.
 */
export class ForwardProxy {
  /** Method and target of each request, such as `CONNECT svc.example.test:443`. */
  readonly requests: string[] = [];
  /** Connections to the proxy so far. */
  connections = 0;
  /** Status that the proxy answers instead of forwarding. */
  refusal: number | null = null;
  /** The proxy accepts requests and answers none. */
  isSilent = false;
  private readonly sockets = new Set<Duplex>();
  private readonly tunnels = new Set<Duplex>();

  private constructor(
    private readonly server: Server,
    private readonly options: ForwardProxyOptions,
  ) {
    server.on('connection', (socket: Duplex) => {
      this.connections++;
      this.sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    });
    server.on('request', (incoming, outgoing) => this.forwardRequest(incoming, outgoing));
    server.on('connect', (incoming, socket, head) => this.openTunnel(incoming, socket, head));
  }

  static async start(options: ForwardProxyOptions = {}): Promise<ForwardProxy> {
    const server = options.tls ? createTlsServer(options.tls) : createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ForwardProxy(server, options);
  }

  /** Host and port. */
  get name(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** URL with the user name and password that the proxy demands. */
  get url(): string {
    const { credentials, tls } = this.options;
    const encoded = credentials && `${credentials.split(':').map(encodeURIComponent).join(':')}@`;
    return `${tls ? 'https' : 'http'}://${encoded ?? ''}${this.name}`;
  }

  get openTunnels(): number {
    return this.tunnels.size;
  }

  /** Ends all tunnels, as a proxy does that limits their time. */
  cutTunnels(): void {
    for (const tunnel of this.tunnels) tunnel.destroy();
  }

  async stop(): Promise<void> {
    for (const socket of [...this.sockets, ...this.tunnels]) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private forwardRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    this.requests.push(`${incoming.method} ${incoming.url}`);
    if (this.isSilent) return;
    const status = this.findRefusal(incoming);
    if (status !== null) {
      outgoing.writeHead(status, { 'content-type': 'text/html', 'proxy-authenticate': 'Basic realm="proxy"' });
      outgoing.end('<h1>Refused</h1>');
      return;
    }
    const { hostname, port, pathname, search } = new URL(incoming.url!);
    const { 'proxy-authorization': _, ...headers } = incoming.headers;
    const options = { host: resolve(hostname), port, path: pathname + search, method: incoming.method, headers };
    const target = request({ ...options, agent: false }, (response) => {
      response.on('error', () => outgoing.destroy());
      response.pipe(outgoing.writeHead(response.statusCode!, response.headers));
    });
    target.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    outgoing.on('close', () => target.destroy());
    incoming.pipe(target);
  }

  private openTunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.requests.push(`CONNECT ${incoming.url}`);
    if (this.isSilent) return;
    const status = this.findRefusal(incoming);
    if (status !== null) return void socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 7\r\n\r\nrefused`);
    const { hostname, port } = new URL(`http://${incoming.url}`);
    const target = connect(Number(port || 80), resolve(hostname), () => {
      socket.write('HTTP/1.0 200 Connection established\r\nproxy-agent: test\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    this.tunnels.add(socket);
    socket.on('close', () => {
      this.tunnels.delete(socket);
      target.destroy();
    });
    target.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')).on('close', () => socket.end());
  }

  private findRefusal({ headers }: IncomingMessage): number | null {
    const { credentials } = this.options;
    const expected = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
    return expected && headers['proxy-authorization'] !== expected ? 407 : this.refusal;
  }
}

/** Returns the address of a host of a URL. Names of others don't resolve. */
function resolve(hostname: string): string {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return host.endsWith('.example.test') ? '127.0.0.1' : isIP(host) ? host : 'unknown.invalid';
}
