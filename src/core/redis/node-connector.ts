import { createConnection, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';

const DISCONNECT_TIMEOUT_MS = 2_000;

/**
 * Connects to a node of a cluster. A TLS socket may emit another error after the first, when the peer answers an alert.
 * The connector of the library listens to one only, so that the next one would end the process.
 */
export class NodeConnector extends AbstractConnector {
  constructor(protected readonly options: RedisOptions) {
    super(DISCONNECT_TIMEOUT_MS);
  }

  connect(): Promise<Socket> {
    this.connecting = true;
    return Promise.resolve(this.openStream());
  }

  protected openStream(): Socket {
    const { host, port, tls } = this.options;
    const address = { host, port: port! };
    const stream: Socket = tls ? connectTls({ ...address, ...tls }) : createConnection(address);
    stream.on('error', (error) => (this.firstError ??= error));
    this.stream = stream;
    return stream;
  }
}
