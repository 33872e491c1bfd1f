import { connect, type AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { CertificateFiles } from './certificates';

/** Ends TLS before a port of this computer. */
export class TlsFront {
  private readonly sockets = new Set<TLSSocket>();

  private constructor(private readonly server: Server) {}

  static async start(certificate: CertificateFiles, targetPort: number): Promise<TlsFront> {
    const front = new TlsFront(createServer(certificate));
    front.server.on('secureConnection', (socket) => {
      const target = connect(targetPort, '127.0.0.1');
      front.sockets.add(socket);
      socket.pipe(target).pipe(socket);
      socket.on('error', () => target.destroy()).on('close', () => front.sockets.delete(socket));
      target.on('error', () => socket.destroy());
    });
    // A client that doesn't trust the certificate.
    front.server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => front.server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
