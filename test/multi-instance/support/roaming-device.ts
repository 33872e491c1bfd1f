import { setTimeout as sleep } from 'node:timers/promises';
import { DeviceSocket, echoRequest } from '../../support/device/device-socket';
import type { ForeignDevice } from '../../support/device/foreign-device';
import { MACHINE_CAPABILITIES } from '../../support/relay-test-client';

const RETRY_MS = 50;

/**
 * Device that stays connected (docs/protocol/device-api.md#socket): it reconnects after a loss, and connects elsewhere
 * first after `relay:drain`.
 */
export class RoamingDevice {
  private readonly sockets = new Set<DeviceSocket>();
  private isClosed = false;
  /** Number of connections so far. */
  connectionCount = 0;

  private constructor(
    private readonly url: string,
    private readonly device: Pick<ForeignDevice, 'token'>,
    private readonly handler: (request: any) => unknown,
    private readonly capabilities: string[],
  ) {}

  static async connect(
    url: string,
    device: Pick<ForeignDevice, 'token'>,
    handler: (request: any) => unknown = echoRequest,
    capabilities: string[] = MACHINE_CAPABILITIES,
  ): Promise<RoamingDevice> {
    const roaming = new RoamingDevice(url, device, handler, capabilities);
    await roaming.connectUntilDone();
    return roaming;
  }

  get isConnected(): boolean {
    return this.sockets.size > 0;
  }

  /** Loses the connection, as with a network that changes, and reconnects at once. */
  loseConnection(): void {
    for (const { socket } of this.sockets) socket.io.engine.close();
  }

  close(): void {
    this.isClosed = true;
    for (const socket of this.sockets) socket.close();
  }

  private async connectOnce(): Promise<void> {
    const { token } = this.device;
    const socket = await DeviceSocket.connect(this.url, token, this.capabilities, this.handler);
    if (this.isClosed) return socket.close();
    this.connectionCount += 1;
    this.sockets.add(socket);
    // The service closes the superseded connection when its calls have ended.
    socket.socket.once('relay:drain', ({ withinMs }: { withinMs: number }) => {
      void sleep(Math.random() * withinMs * 0.8).then(() => this.connectUntilDone());
    });
    void socket.disconnected.then(() => {
      this.sockets.delete(socket);
      if (!this.isConnected) void this.connectUntilDone();
    });
  }

  private async connectUntilDone(): Promise<void> {
    while (!this.isClosed) {
      try {
        return await this.connectOnce();
      } catch {
        await sleep(RETRY_MS);
      }
    }
  }
}
