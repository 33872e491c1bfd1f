import { DeviceSocket, echo } from '../../support/device/device-socket';
import { AccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import type { HttpClient } from '../../support/http-client';
import { BOTH, RELAY_SCOPES, RelayCaller } from '../../support/relay-caller';
import type { Cluster } from './cluster';
import { Executions } from './executions';
import { RoamingDevice } from './roaming-device';

/** Where a device connects: an instance, or the load balancer. */
export interface Place {
  url: string;
}

/** A machine of the account, and its socket at one place. */
export interface PlacedMachine {
  device: ForeignDevice;
  id: string;
  socket: DeviceSocket;
}

/** An account in front of a cluster, a token for both relayed calls, and machines that count what they run. */
export class Scene extends RelayCaller {
  readonly executions = new Executions();
  private readonly connected: { close(): void }[] = [];

  private constructor(
    readonly cluster: Cluster,
    ada: AccountDevice,
    token: string,
    tokenId: string,
  ) {
    super(ada, token, tokenId);
  }

  static async start(cluster: Cluster): Promise<Scene> {
    const ada = await AccountDevice.signUp(cluster.http);
    const { id, token } = await ada.createToken([...RELAY_SCOPES, 'artifacts:read', 'usage:read']);
    return new Scene(cluster, ada, token, id);
  }

  /** Through the load balancer. */
  get http(): HttpClient {
    return this.cluster.http;
  }

  /** A new machine, registered and online at `place`. */
  async machine(place: Place, work = echo, capabilities = BOTH): Promise<PlacedMachine> {
    const { device, id } = await this.offlineMachine();
    return { device, id, socket: await this.connect(device, place, work, capabilities) };
  }

  async connect(
    device: ForeignDevice,
    place: Place,
    work: (request: any) => unknown = echo,
    capabilities = BOTH,
  ): Promise<DeviceSocket> {
    const handler = this.executions.handler(work);
    const socket = await DeviceSocket.connect(place.url, device.token, capabilities, handler);
    this.connected.push(socket);
    return socket;
  }

  /** A machine that comes back through the load balancer whenever it loses its instance. */
  async roamingMachine(work: (request: any) => unknown = echo): Promise<{ id: string; device: RoamingDevice }> {
    const { device, id } = await this.offlineMachine();
    const handler = this.executions.handler(work);
    const roaming = await RoamingDevice.connect(this.cluster.balancer.url, device, handler);
    this.connected.push(roaming);
    return { id, device: roaming };
  }

  /** Ends every device; the cluster stays. */
  close(): void {
    for (const each of this.connected.splice(0)) each.close();
  }
}
