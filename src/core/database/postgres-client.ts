import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, type ClientBase, type ClientConfig } from 'pg';
import { toConnectionError } from './database-unavailable';

type ConnectCallback = Parameters<Client['connect']>[0];

/**
 * Client whose `connect` reports each reason as DatabaseConnectionError: the network, the server, or a TLS file of the
 * URL. `pg` reads these files in its constructor. The pool calls it for a waiting caller when a connection ends, where
 * an exception would end the process.
 */
export class PostgresClient extends Client {
  private readonly configError: unknown;

  constructor(config: ClientConfig = {}) {
    let configError: unknown;
    try {
      super(config);
    } catch (error) {
      super({ ...config, connectionString: undefined });
      configError = error;
    }
    this.configError = configError;
  }

  /** @throws DatabaseConnectionError */
  override connect(): Promise<Client>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<Client> | void {
    if (callback) this.openConnection(callback as (error: Error | null) => void);
    else
      return new Promise((resolve, reject) => this.openConnection((error) => (error ? reject(error) : resolve(this))));
  }

  /** Calls back in the same tick as `pg` does: the caller must listen to errors before the next message arrives. */
  private openConnection(callback: (error: Error | null) => void): void {
    if (this.configError) {
      process.nextTick(callback, toConnectionError(this.configError));
      return;
    }
    super.connect((error: Error | null) => {
      // After some errors of TLS, `pg` leaves the socket open.
      if (error) getSocket(this).destroy();
      callback(error && toConnectionError(error));
    });
  }
}

/** Returns the connection that emits the messages of the server, which `pg` doesn't declare. */
export function getProtocol(client: ClientBase): EventEmitter & { stream: Socket } {
  return (client as unknown as { connection: EventEmitter & { stream: Socket } }).connection;
}

export function getSocket(client: ClientBase): Socket {
  return getProtocol(client).stream;
}
