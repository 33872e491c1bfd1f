import { io, type Socket } from 'socket.io-client';

type Handler = (request: any) => unknown;

/** A device's socket in the hands of a test: raw `socket.io-client`, answering as the test says. */
export class DeviceSocket {
  /** Every `relay:request` that arrived, in order. */
  readonly requests: any[] = [];
  readonly cancels: any[] = [];
  hello: any;
  disconnected: Promise<string>;

  private constructor(
    readonly socket: Socket,
    private handler: Handler,
  ) {
    this.disconnected = new Promise((resolve) => socket.once('disconnect', resolve));
    socket.on('relay:cancel', (cancel) => this.cancels.push(cancel));
    socket.on('relay:request', async (request, acknowledge) => {
      this.requests.push(request);
      const answer = await this.handler(request);
      if (answer !== NO_ANSWER) acknowledge(answer);
    });
  }

  /** Resolves after `hello`; rejects with the server's refusal (`error.data.code`). */
  static connect(
    url: string,
    token: unknown,
    capabilities: unknown = ['session.message'],
    handler: Handler = echo,
  ): Promise<DeviceSocket> {
    const socket = io(url, {
      path: '/v1/devices/socket',
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      auth: { token, capabilities },
    });
    const device = new DeviceSocket(socket, handler);
    return new Promise((resolve, reject) => {
      socket.once('connect_error', reject);
      socket.once('hello', (hello) => {
        device.hello = hello;
        resolve(device);
      });
    });
  }

  answerWith(handler: Handler): void {
    this.handler = handler;
  }

  close(): void {
    this.socket.disconnect();
  }
}

/** A handler returns it to leave a request without an answer. */
export const NO_ANSWER = Symbol('no answer');

export function echo(request: any): unknown {
  return { ok: true, result: { echoed: request.params, requestId: request.requestId } };
}
