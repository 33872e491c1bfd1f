import type { Backend } from './backend';
import { DeviceSocket, NO_RESPONSE } from './device/device-socket';
import { ForeignAccountDevice, type ForeignDevice } from './device/foreign-device';
import type { HttpClient } from './http-client';
import { MACHINE_CAPABILITIES, RELAY_SCOPES, RelayTestClient } from './relay-test-client';
import { Service } from './service';
import { waitFor } from './wait-for';

/** Machine of the account, with its device, id and socket. */
export interface ConnectedMachine {
  device: ForeignDevice;
  id: string;
  socket: DeviceSocket;
}

/**
 * Running service with an account and a token for both relayed calls. Rate limits are high unless `env` lowers them.
 */
export class RelayFixture extends RelayTestClient {
  private readonly sockets: DeviceSocket[] = [];

  private constructor(
    public service: Service,
    ada: ForeignAccountDevice,
    token: string,
    tokenId: string,
  ) {
    super(ada, token, tokenId);
  }

  static async start(env: NodeJS.ProcessEnv = {}, backend?: Backend): Promise<RelayFixture> {
    const service = await Service.start(
      { RATE_LIMIT_RELAY: '100000', RATE_LIMIT_METADATA: '100000', RATE_LIMIT_ADDRESS: '100000', ...env },
      backend,
    );
    const ada = await ForeignAccountDevice.signUp(service.http);
    const { id, token } = await ada.createToken(RELAY_SCOPES);
    return new RelayFixture(service, ada, token, id);
  }

  get http(): HttpClient {
    return this.service.http;
  }

  async connectDevice(device: ForeignDevice, capabilities: string[] = MACHINE_CAPABILITIES): Promise<DeviceSocket> {
    const socket = await DeviceSocket.connect(this.service.url, device.token, capabilities);
    this.sockets.push(socket);
    return socket;
  }

  /** Creates a machine device, registers it and connects it. */
  async createMachine(capabilities: string[] = MACHINE_CAPABILITIES): Promise<ConnectedMachine> {
    const { device, id } = await this.createOfflineMachine();
    return { device, id, socket: await this.connectDevice(device, capabilities) };
  }

  /** Creates and connects a machine, and waits for its record, which may be a moment behind. */
  async createRecordedMachine(capabilities: string[]): Promise<ConnectedMachine> {
    const machine = await this.createMachine(capabilities);
    await waitFor(async () => {
      const { body } = await this.http.get(`/external/v1/machines/${machine.id}`, this.token);
      expect(body.data).toMatchObject({ state: 'online', capabilities });
    });
    return machine;
  }

  /**
   * Expects this work to end sooner than a call without an answer, which takes two seconds and its time limit. A busy
   * machine delays both, unlike the clock of a test.
   */
  async expectSoonerThanCall<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
    const { id, socket } = await this.createMachine();
    socket.setHandler(() => NO_RESPONSE);
    let isEnded = false;
    const call = this.invokeMachine(id, { timeoutMs }).finally(() => (isEnded = true));
    const result = await work();
    expect(isEnded).toBe(false);
    socket.close();
    await call;
    return result;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.close();
    await this.service.stop();
  }
}
