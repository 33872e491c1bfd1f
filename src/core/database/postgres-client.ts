import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, type ClientBase, type ClientConfig } from 'pg';
import { toConnectionError } from './database-unavailable';

/**
 * Settings of every session that decide how the server writes and rounds times, whatever a server, database or role
 * sets. Poolers such as PgBouncer accept these two at the start, and keep them for the client in transaction mode.
 */
const START_SETTINGS = { DateStyle: 'ISO, MDY', TimeZone: 'UTC' };
/** Gateways forget a connection that is silent for minutes, such as during a long migration. */
const KEEP_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };
/** The only encoding in which a database can store every text. */
const ENCODING = 'UTF8';

type ConnectCallback = Parameters<Client['connect']>[0];

/**
 * Client whose `connect` reports each reason as DatabaseConnectionError: the network, the server, its encoding, or a
 * TLS file of the URL. `pg` reads these files in its constructor. The pool calls it for a waiting caller when a
 * connection ends, where an exception would end the process.
 */
export class PostgresClient extends Client {
  private readonly configError: unknown;
  /** Reported by the server when the session starts. */
  private serverEncoding: string;

  constructor(config: ClientConfig = {}) {
    let configError: unknown;
    try {
      super({ ...KEEP_ALIVE, ...config });
    } catch (error) {
      super({ ...config, connectionString: undefined });
      configError = error;
    }
    this.configError = configError;
    this.serverEncoding = ENCODING;
    getProtocol(this).on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      if (parameterName === 'server_encoding') this.serverEncoding = parameterValue!;
    });
  }

  /** Called by `pg`, which doesn't declare it. */
  protected getStartupConf(): object {
    const { getStartupConf } = Client.prototype as unknown as { getStartupConf: () => object };
    return { ...getStartupConf.call(this), ...START_SETTINGS };
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
    super.connect((connectError: Error | null) => {
      const error = connectError ?? this.findEncodingError();
      // After some errors of TLS, `pg` leaves the socket open.
      if (error) getSocket(this).destroy();
      callback(error && toConnectionError(error));
    });
  }

  private findEncodingError(): Error | null {
    if (this.serverEncoding === ENCODING) return null;
    return new Error(`its encoding is ${this.serverEncoding}. Create the database with the encoding ${ENCODING}.`);
  }
}

/** Returns the connection that emits the messages of the server, which `pg` doesn't declare. */
export function getProtocol(client: ClientBase): EventEmitter & { stream: Socket } {
  return (client as unknown as { connection: EventEmitter & { stream: Socket } }).connection;
}

export function getSocket(client: ClientBase): Socket {
  return getProtocol(client).stream;
}
