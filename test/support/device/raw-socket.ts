import { Manager } from 'socket.io-client';

interface CloseFrame {
  code: number;
  reason: string;
}

/** WebSocket to the device path that doesn't join by itself. The test encodes the packets. */
export class RawSocket {
  /** Resolves with the service's close frame, or with 1006 without one. */
  readonly closed: Promise<CloseFrame>;
  readonly receivedPackets: string[] = [];

  private constructor(private readonly manager: Manager) {
    this.closed = new Promise((resolve) => {
      manager.once('close', (_reason, details) => {
        const { code, reason } = (details as unknown as { context?: CloseFrame } | undefined)?.context ?? {};
        resolve({ code: code ?? 1006, reason: reason ?? '' });
      });
    });
  }

  /** @throws Error with the HTTP `status` of a rejected upgrade */
  static openSocket(
    url: string,
    headers: Record<string, string> = {},
    query: Record<string, string> = {},
  ): Promise<RawSocket> {
    const manager = new Manager(url, {
      path: '/v1/devices/socket',
      transports: ['websocket'],
      reconnection: false,
      autoConnect: false,
      extraHeaders: headers,
      query,
    });
    const socket = new RawSocket(manager);
    return new Promise((resolve, reject) => {
      manager.open((error) => {
        if (error) return reject(Object.assign(error, { status: parseHttpStatus(error) }));
        manager.engine.on('data', (data: unknown) => socket.receivedPackets.push(String(data)));
        resolve(socket);
      });
    });
  }

  /** Id of the connection, which its `open` packet names. */
  get id(): string {
    return (this.manager.engine as unknown as { id: string }).id;
  }

  /** @param packet in the encoding of socket.io: `0` is a CONNECT, `2[…]` an event */
  sendPacket(packet: string | Buffer): void {
    this.manager.engine?.write(packet);
  }

  close(): void {
    this.manager.engine?.close();
  }
}

/** Extracts the status from the message of `ws`: "Unexpected server response: 429". */
function parseHttpStatus(error: Error): number | undefined {
  const { description } = error as { description?: { message?: string } };
  const [status] = /\d{3}$/.exec(description?.message ?? '') ?? [];
  return status === undefined ? undefined : Number(status);
}
