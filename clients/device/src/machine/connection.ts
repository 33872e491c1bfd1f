import { setTimeout as sleep } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { createSocketAgent, ProxyError, withProxyName } from '@external-api/forward-proxy';
import {
  DEVICE_SOCKET_PATH,
  POLICY_VIOLATION,
  type Capability,
  type HandshakeAuth,
  type HelloMessage,
  type RelayAcknowledgement,
} from '@external-api/protocol';
import { DeviceRejectedError, UnreachableError } from '../client-errors';
import type { LiveConnection, LiveMessages, LiveOutputRequests } from '../live/live-output-requests';
import { isJsonObject, isTime, toLine } from '../untrusted-values';
import type { RelayRequestHandler } from './relay-request-handler';

const HELLO_TIMEOUT_MS = 10_000;
/** Grace period for a call that was sent to the old connection before the new one was ready. */
const RETIREMENT_GRACE_MS = 1_000;

/** Unsent bytes from which on live output waits. The service refuses calls to a device with a few MiB unsent. */
const MAX_UNSENT_BYTES = 256 * 1024;

/** Thrown when the handshake fails with `invalid_token`. Sign in and retry. */
export class TokenRejectedError extends UnreachableError {}

/** Thrown when the handshake fails with `invalid_request`: an old service that doesn't ignore unknown capabilities. */
export class CapabilitiesRejectedError extends UnreachableError {}

export interface ConnectionOptions {
  url: string;
  token: string;
  capabilities: readonly Capability[];
  requestHandler: RelayRequestHandler;
  liveOutput: LiveOutputRequests;
  onHello: (hello: HelloMessage) => void;
  onDrain: (connection: Connection) => void;
}

/** One socket from its handshake to its end. It never reconnects; {@link ConnectionSupervisor} opens the next one. */
export class Connection implements LiveConnection {
  /** Resolves with socket.io's reason, or with the violation that the service reports. */
  readonly closed: Promise<string>;
  /** The service closed the socket because the device broke the protocol. */
  isClosedForViolation = false;
  /** Called when the service asks the device to reconnect to another instance. */
  isDrainRequested = false;
  /** The service has said that a newer connection of this device replaces this one. */
  isReplaced = false;
  private inFlightCount = 0;
  private isRetiring = false;

  private constructor(private readonly socket: Socket) {
    this.closed = new Promise((resolve) => {
      socket.once('disconnect', (reason, details) => {
        const { code, reason: violation } = getCloseFrame(details);
        this.isClosedForViolation = code === POLICY_VIOLATION;
        resolve(this.isClosedForViolation ? `the service closed the socket: ${violation}` : reason);
      });
    });
  }

  /**
   * Resolves once the service has sent `hello`, which is required to evaluate deadlines.
   * @throws TokenRejectedError, DeviceRejectedError, UnreachableError
   */
  static async openConnection(options: ConnectionOptions): Promise<Connection> {
    const { url, token, capabilities, requestHandler, liveOutput } = options;
    const auth: HandshakeAuth = { token, capabilities: [...capabilities] };
    const agent = createSocketAgent(url);
    const socket = io(url, {
      path: DEVICE_SOCKET_PATH,
      transports: ['websocket'],
      auth,
      forceNew: true,
      reconnection: false,
      timeout: HELLO_TIMEOUT_MS,
      // The types know only browsers.
      ...(agent && { agent: agent as unknown as string }),
    });
    const connection = new Connection(socket);
    socket.on('relay:request', (payload: unknown, ack: unknown) =>
      connection.handleRequest(requestHandler, payload, ack),
    );
    socket.on('relay:cancel', (payload: unknown) => requestHandler.cancelRequest(payload));
    socket.on('turn:watch', (payload: unknown) => liveOutput.applyTurnWatch(payload, connection));
    socket.on('progress:watch', (payload: unknown) => liveOutput.applyProgressWatch(payload, connection));
    socket.on('invocation:watch', (payload: unknown) => liveOutput.applyInvocationWatch(payload, connection));
    void connection.closed.then(() => liveOutput.removeConnection(connection));
    socket.on('relay:replaced', () => (connection.isReplaced = true));
    socket.on('relay:drain', () => {
      connection.isDrainRequested = true;
      options.onDrain(connection);
    });
    try {
      options.onHello(parseHello(await waitForHello(socket, url)));
      return connection;
    } catch (error) {
      socket.disconnect();
      throw error;
    }
  }

  get isConnected(): boolean {
    return this.socket.connected;
  }

  get isCongested(): boolean {
    return getUnsentBytes(this.socket) > MAX_UNSENT_BYTES;
  }

  sendLiveMessage<E extends keyof LiveMessages>(event: E, message: LiveMessages[E]): void {
    // socket.io would store a message without a connection.
    if (this.isConnected) this.socket.emit(event, message);
  }

  close(): void {
    this.socket.disconnect();
  }

  /** Waits for the running calls of this connection, then closes it. */
  async closeWhenIdle(): Promise<void> {
    if (this.isRetiring) return;
    this.isRetiring = true;
    do await Promise.race([sleep(RETIREMENT_GRACE_MS), this.closed]);
    while (this.inFlightCount > 0 && this.isConnected);
    this.close();
  }

  private handleRequest(requestHandler: RelayRequestHandler, payload: unknown, ack: unknown): void {
    if (typeof ack !== 'function') return;
    this.inFlightCount++;
    void requestHandler.handleRequest(payload).then((answer) => {
      this.inFlightCount--;
      (ack as (answer: RelayAcknowledgement) => void)(answer);
    });
  }
}

/** Returns the WebSocket's own close reason, if it has one. */
function getCloseFrame(details: unknown): { code?: number; reason?: string } {
  return (details as { context?: { code?: number; reason?: string } } | undefined)?.context ?? {};
}

/** Returns the bytes that wait in the WebSocket, which engine.io doesn't tell. */
function getUnsentBytes(socket: Socket): number {
  const engine = socket.io.engine as { transport?: { ws?: { bufferedAmount?: number } | null } } | undefined;
  return engine?.transport?.ws?.bufferedAmount ?? 0;
}

/** The device would evaluate no deadline rightly with another time. */
function parseHello(value: unknown): HelloMessage {
  if (!isJsonObject(value) || !isTime(value.serverTime))
    throw new UnreachableError("The service's hello has no valid time.");
  return value as unknown as HelloMessage;
}

function waitForHello(socket: Socket, url: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (message: string) => reject(new UnreachableError(withProxyName(message, url)));
    const timer = setTimeout(() => fail("The service opened the socket but didn't send hello."), HELLO_TIMEOUT_MS);
    const settle = <T>(settleWith: (value: T) => void) => {
      return (value: T): void => {
        clearTimeout(timer);
        settleWith(value);
      };
    };
    socket.once('hello', settle(resolve));
    socket.once(
      'connect_error',
      settle((error: Error) => reject(toConnectionError(error, url))),
    );
    socket.once(
      'disconnect',
      settle((reason: string) => fail(`The socket was closed immediately: ${reason}.`)),
    );
  });
}

interface ConnectError extends Error {
  data?: { code?: string };
  /** Event of the WebSocket. */
  description?: { error?: unknown };
}

function toConnectionError(error: ConnectError, url: string): Error {
  if (error.data?.code === 'invalid_token') return new TokenRejectedError(error.message);
  if (error.data?.code === 'invalid_request') return new CapabilitiesRejectedError(error.message);
  if (error.data?.code === 'forbidden')
    return new DeviceRejectedError(`The service rejected the device: ${toLine(error.message)}`);
  const cause = error.description?.error;
  const reason = cause instanceof ProxyError ? cause.message : error.message;
  return new UnreachableError(withProxyName(`The socket couldn't be opened: ${reason}.`, url));
}
