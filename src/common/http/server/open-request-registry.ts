import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Registry of a server's connections and of the open requests on each. */
export class OpenRequestRegistry {
  private readonly responsesBySocket = new Map<Socket, Set<ServerResponse>>();

  /** @param onResponseClosed called when a response has ended or its connection was lost */
  constructor(
    server: Server,
    private readonly onResponseClosed: (socket: Socket) => void,
  ) {
    server.on('connection', (socket) => {
      this.responsesBySocket.set(socket, new Set());
      socket.on('close', () => this.responsesBySocket.delete(socket));
    });
    server.on('request', (request, response) => this.trackResponse(request, response));
  }

  get sockets(): Socket[] {
    return [...this.responsesBySocket.keys()];
  }

  isIdle(socket: Socket): boolean {
    return this.responsesBySocket.get(socket)?.size === 0;
  }

  /** Returns the open response to the latest request on this connection. */
  getLatestResponse(socket: Socket): ServerResponse | undefined {
    return [...(this.responsesBySocket.get(socket) ?? [])].at(-1);
  }

  private trackResponse({ socket }: IncomingMessage, response: ServerResponse): void {
    const openResponses = this.responsesBySocket.get(socket);
    openResponses?.add(response);
    response.on('close', () => {
      openResponses?.delete(response);
      this.onResponseClosed(socket);
    });
  }
}
