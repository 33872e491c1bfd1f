import { io, type Socket } from 'socket.io-client';
import { recordSocketViolation } from './socket-document';

type RelayRequestCallback = (request: any) => unknown;

/**
 * Device socket of a test: plain `socket.io-client` with answers of the test. Received messages are validated against
 * asyncapi.json; answers are not, since some tests send malformed ones.
 */
export class DeviceSocket {
  /** Received `relay:request` messages, in order. */
  readonly requests: any[] = [];
  readonly cancels: any[] = [];
  /** Received `turn:watch`, `progress:watch` and `invocation:watch` messages, in order. */
  readonly watches: any[] = [];
  hello: any;
  disconnected: Promise<string>;

  private constructor(
    readonly socket: Socket,
    private relayRequestCallback: RelayRequestCallback,
  ) {
    this.disconnected = new Promise((resolve) => socket.once('disconnect', resolve));
    socket.onAny(recordSocketViolation);
    socket.on('relay:cancel', (cancel) => this.cancels.push(cancel));
    for (const event of ['turn:watch', 'progress:watch', 'invocation:watch'])
      socket.on(event, (watch) => this.watches.push(watch));
    socket.on('relay:request', async (request, acknowledge) => {
      this.requests.push(request);
      const answer = await this.relayRequestCallback(request);
      if (answer !== NO_RESPONSE) acknowledge(answer);
    });
  }

  /** Resolves after `hello`. Rejects with the server's error (`error.data.code`). */
  static connect(
    url: string,
    token: unknown,
    capabilities: unknown = ['session.message'],
    relayRequestCallback: RelayRequestCallback = echoRequest,
  ): Promise<DeviceSocket> {
    const socket = io(url, {
      path: '/v1/devices/socket',
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      auth: { token, capabilities },
    });
    const device = new DeviceSocket(socket, relayRequestCallback);
    return new Promise((resolve, reject) => {
      socket.once('connect_error', reject);
      // The service may also close the connection before `hello`.
      socket.once('disconnect', (reason) => reject(new Error(`The connection ended before hello: ${reason}`)));
      socket.once('hello', (hello) => {
        device.hello = hello;
        resolve(device);
      });
    });
  }

  setHandler(relayRequestCallback: RelayRequestCallback): void {
    this.relayRequestCallback = relayRequestCallback;
  }

  close(): void {
    this.socket.disconnect();
  }
}

/** Return value of a handler that doesn't answer. */
export const NO_RESPONSE = Symbol('no answer');

export function echoRequest(request: any): unknown {
  return { ok: true, result: { echoed: request.params, requestId: request.requestId } };
}
