import { DeviceSocket, echoRequest } from '../../support/device/device-socket';
import { ForeignAccountDevice, type ForeignDevice } from '../../support/device/foreign-device';
import type { HttpClient } from '../../support/http-client';
import { MACHINE_CAPABILITIES, RELAY_SCOPES, RelayTestClient } from '../../support/relay-test-client';
import type { Cluster } from './cluster';
import { ExecutionRecorder } from './execution-recorder';
import { RoamingDevice } from './roaming-device';

/** Target of a device's connection: an instance or the load balancer. */
export interface ConnectionTarget {
  url: string;
}

/** Machine of the account with its socket. */
export interface ClusterMachine {
  device: ForeignDevice;
  id: string;
  socket: DeviceSocket;
}

/** Account on a cluster with a token for both relayed calls, and machines that count their executions. */
export class ClusterFixture extends RelayTestClient {
  readonly executionRecorder = new ExecutionRecorder();
  private readonly openConnections: { close(): void }[] = [];

  private constructor(
    readonly cluster: Cluster,
    ada: ForeignAccountDevice,
    token: string,
    tokenId: string,
  ) {
    super(ada, token, tokenId);
  }

  static async start(cluster: Cluster): Promise<ClusterFixture> {
    const ada = await ForeignAccountDevice.signUp(cluster.http);
    const { id, token } = await ada.createToken([...RELAY_SCOPES, 'artifacts:read', 'usage:read']);
    return new ClusterFixture(cluster, ada, token, id);
  }

  /** Client through the load balancer. */
  get http(): HttpClient {
    return this.cluster.http;
  }

  /** Creates a machine, registers it and connects it to `place`. */
  async createMachine(
    target: ConnectionTarget,
    work = echoRequest,
    capabilities = MACHINE_CAPABILITIES,
  ): Promise<ClusterMachine> {
    const { device, id } = await this.createOfflineMachine();
    return { device, id, socket: await this.connectDevice(device, target, work, capabilities) };
  }

  async connectDevice(
    device: ForeignDevice,
    target: ConnectionTarget,
    work: (request: any) => unknown = echoRequest,
    capabilities = MACHINE_CAPABILITIES,
  ): Promise<DeviceSocket> {
    const handler = this.executionRecorder.createHandler(work);
    const socket = await DeviceSocket.connect(target.url, device.token, capabilities, handler);
    this.openConnections.push(socket);
    return socket;
  }

  /** Creates a machine that reconnects through the load balancer whenever it loses its instance. */
  async createRoamingMachine(
    work: (request: any) => unknown = echoRequest,
  ): Promise<{ id: string; device: RoamingDevice }> {
    const { device, id } = await this.createOfflineMachine();
    const handler = this.executionRecorder.createHandler(work);
    const roaming = await RoamingDevice.connect(this.cluster.balancer.url, device, handler);
    this.openConnections.push(roaming);
    return { id, device: roaming };
  }

  /** Disconnects every device. The cluster keeps running. */
  close(): void {
    for (const each of this.openConnections.splice(0)) each.close();
  }
}
