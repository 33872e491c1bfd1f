import type { Backend } from './backend';
import { AccountDevice, ok, type ForeignDevice } from './device/foreign-device';
import { DeviceSocket } from './device/device-socket';
import type { Answer, RequestOptions } from './http-client';
import { Service } from './service';

const SCOPES = ['sessions:read', 'sessions:write', 'machines:read', 'machines:invoke'];
const BOTH = ['session.message', 'machine.invoke'];

/** A machine of the account: its device, its id, and its socket while it is online. */
export interface Machine {
  device: ForeignDevice;
  id: string;
  socket: DeviceSocket;
}

/** A running service, an account and a token for both relayed calls; buckets are large unless `env` says so. */
export class RelayScene {
  private readonly sockets: DeviceSocket[] = [];

  private constructor(
    public service: Service,
    readonly ada: AccountDevice,
    readonly token: string,
    readonly tokenId: string,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}, backend?: Backend): Promise<RelayScene> {
    const service = await Service.start(
      { RATE_LIMIT_RELAY: '100000', RATE_LIMIT_METADATA: '100000', ...env },
      backend,
    );
    const ada = await AccountDevice.signUp(service.http);
    const { id, token } = await ada.createToken(SCOPES);
    return new RelayScene(service, ada, token, id);
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

  async offlineMachine(): Promise<{ device: ForeignDevice; id: string }> {
    const device = await this.ada.adopt('machine');
    const body = { name: 'box', platform: 'linux' };
    const { data } = ok(await this.service.http.post('/v1/machines', device.token, body), 201);
    return { device, id: data.id };
  }

  invoke(machineId: string, body: object = {}, options: RequestOptions = {}): Promise<Answer> {
    const path = `/external/v1/machines/${machineId}/invoke`;
    return this.service.http.post(path, this.token, { command: 'true', ...body }, options);
  }

  message(sessionId: string, content = 'hello', options: RequestOptions = {}): Promise<Answer> {
    const path = `/external/v1/sessions/${sessionId}/messages`;
    return this.service.http.post(path, this.token, { content }, options);
  }

  /** The audit's record of a call. */
  async auditOf(answer: Answer): Promise<any> {
    const path = `/v1/relay-calls/${answer.body.requestId}`;
    return ok(await this.service.http.get(path, this.ada.token), 200).data;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.close();
    await this.service.stop();
  }
}
