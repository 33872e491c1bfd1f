import { setTimeout as sleep } from 'node:timers/promises';
import { DeviceSocket, echo } from '../../support/device/device-socket';
import type { ForeignDevice } from '../../support/device/foreign-device';
import { BOTH } from '../../support/relay-caller';

const RETRY_MS = 50;

/** A device that stays connected as device-api.md says: again after a loss, and elsewhere first when told to drain. */
export class RoamingDevice {
  private readonly sockets = new Set<DeviceSocket>();
  private closed = false;
  /** Connections made so far. */
  connects = 0;

  private constructor(
    private readonly url: string,
    private readonly device: ForeignDevice,
    private readonly handler: (request: any) => unknown,
    private readonly capabilities: string[],
  ) {}

  static async connect(
    url: string,
    device: ForeignDevice,
    handler: (request: any) => unknown = echo,
    capabilities: string[] = BOTH,
  ): Promise<RoamingDevice> {
    const roaming = new RoamingDevice(url, device, handler, capabilities);
    await roaming.connectOnce();
    return roaming;
  }

  get isConnected(): boolean {
    return this.sockets.size > 0;
  }

  close(): void {
    this.closed = true;
    for (const socket of this.sockets) socket.close();
  }

  private async connectOnce(): Promise<void> {
    const { token } = this.device;
    const socket = await DeviceSocket.connect(this.url, token, this.capabilities, this.handler);
    if (this.closed) return socket.close();
    this.connects += 1;
    this.sockets.add(socket);
    // The superseded connection is closed by the service, when what runs on it is done.
    socket.socket.once('relay:drain', ({ withinMs }: { withinMs: number }) => {
      void sleep(Math.random() * withinMs * 0.8).then(() => this.connectUntilDone());
    });
    void socket.disconnected.then(() => {
      this.sockets.delete(socket);
      if (!this.isConnected) void this.connectUntilDone();
    });
  }

  private async connectUntilDone(): Promise<void> {
    while (!this.closed) {
      try {
        return await this.connectOnce();
      } catch {
        await sleep(RETRY_MS);
      }
    }
  }
}
