import type { Backend } from './backend';
import { DeviceSocket } from './device/device-socket';
import { AccountDevice, type ForeignDevice } from './device/foreign-device';
import type { HttpClient } from './http-client';
import { BOTH, RELAY_SCOPES, RelayCaller } from './relay-caller';
import { Service } from './service';

/** A machine of the account: its device, its id, and its socket while it is online. */
export interface Machine {
  device: ForeignDevice;
  id: string;
  socket: DeviceSocket;
}

/** A running service, an account and a token for both relayed calls; buckets are large unless `env` says so. */
export class RelayScene extends RelayCaller {
  private readonly sockets: DeviceSocket[] = [];

  private constructor(
    public service: Service,
    ada: AccountDevice,
    token: string,
    tokenId: string,
  ) {
    super(ada, token, tokenId);
  }

  static async start(env: NodeJS.ProcessEnv = {}, backend?: Backend): Promise<RelayScene> {
    const service = await Service.start({ RATE_LIMIT_RELAY: '100000', RATE_LIMIT_METADATA: '100000', ...env }, backend);
    const ada = await AccountDevice.signUp(service.http);
    const { id, token } = await ada.createToken(RELAY_SCOPES);
    return new RelayScene(service, ada, token, id);
  }

  get http(): HttpClient {
    return this.service.http;
  }

  async connect(device: ForeignDevice, capabilities: string[] = BOTH): Promise<DeviceSocket> {
    const socket = await DeviceSocket.connect(this.service.url, device.token, capabilities);
    this.sockets.push(socket);
    return socket;
  }

  /** A new machine device, registered and online. */
  async machine(capabilities: string[] = BOTH): Promise<Machine> {
    const { device, id } = await this.offlineMachine();
    return { device, id, socket: await this.connect(device, capabilities) };
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.close();
    await this.service.stop();
  }
}
