import { setTimeout as sleep } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { DEVICE_SOCKET_PATH, type Capability, type DeviceHandshake, type Hello, type RelayAnswer } from '../../wire';
import { DeviceRefusedError, UnreachableError } from '../api-error';
import type { RelayDesk } from './relay-desk';
import type { ServerClock } from './server-clock';

const READY_WITHIN_MS = 10_000;
/** For a call that was already on its way to the old connection when the new one took over. */
const LINGER_MS = 1_000;

/** The handshake was refused with `invalid_token`: sign in and try again. */
export class TokenRefusedError extends UnreachableError {}

export interface ConnectionOptions {
  url: string;
  token: string;
  capabilities: Capability[];
  desk: RelayDesk;
  clock: ServerClock;
  onDrain: (connection: Connection) => void;
}

/** One socket from its handshake to its end. It never reconnects: {@link DeviceLink} opens the next one. */
export class Connection {
  /** Resolves with socket.io's reason. */
  readonly ended: Promise<string>;
  hello: Hello | undefined;
  /** Told to connect elsewhere. */
  draining = false;
  private inFlight = 0;
  private retiring = false;

  private constructor(private readonly socket: Socket) {
    this.ended = new Promise((resolve) => socket.once('disconnect', resolve));
  }

  /**
   * Resolves once the service has said `hello`: from then on deadlines can be judged.
   * @throws TokenRefusedError, DeviceRefusedError, UnreachableError
   */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const { url, token, capabilities, desk, clock } = options;
    const auth: DeviceHandshake = { token, capabilities };
    const socket = io(url, {
      path: DEVICE_SOCKET_PATH,
      transports: ['websocket'],
      auth,
      forceNew: true,
      reconnection: false,
      timeout: READY_WITHIN_MS,
    });
    const connection = new Connection(socket);
    socket.on('relay:request', (payload: unknown, ack: unknown) => connection.serve(desk, payload, ack));
    socket.on('relay:cancel', (payload: unknown) => desk.cancel(payload));
    socket.on('relay:drain', () => {
      connection.draining = true;
      options.onDrain(connection);
    });
    try {
      connection.hello = await greeting(socket);
      clock.learn(connection.hello.serverTime);
      return connection;
    } catch (error) {
      socket.disconnect();
      throw error;
    }
  }

  get connected(): boolean {
    return this.socket.connected;
  }

  close(): void {
    this.socket.disconnect();
  }

  /** Finishes what was begun here, then closes. */
  async retire(): Promise<void> {
    if (this.retiring) return;
    this.retiring = true;
    do await Promise.race([sleep(LINGER_MS), this.ended]);
    while (this.inFlight > 0 && this.connected);
    this.close();
  }

  private serve(desk: RelayDesk, payload: unknown, ack: unknown): void {
    if (typeof ack !== 'function') return;
    this.inFlight++;
    void desk.handle(payload).then((answer) => {
      this.inFlight--;
      (ack as (answer: RelayAnswer) => void)(answer);
    });
  }
}

function greeting(socket: Socket): Promise<Hello> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new UnreachableError('The service opened the socket but said no hello.')),
      READY_WITHIN_MS,
    );
    const settle = <T>(settleWith: (value: T) => void) => {
      return (value: T): void => {
        clearTimeout(timer);
        settleWith(value);
      };
    };
    socket.once('hello', settle(resolve));
    socket.once(
      'connect_error',
      settle((error: Error) => reject(refused(error))),
    );
    socket.once(
      'disconnect',
      settle((reason: string) => reject(new UnreachableError(`The socket was closed at once: ${reason}.`))),
    );
  });
}

function refused(error: Error & { data?: { code?: string } }): Error {
  if (error.data?.code === 'invalid_token') return new TokenRefusedError(error.message);
  if (error.data?.code === 'forbidden')
    return new DeviceRefusedError(`The service refuses this kind of device: ${error.message}`);
  return new UnreachableError(`The socket could not be opened: ${error.message}.`);
}
