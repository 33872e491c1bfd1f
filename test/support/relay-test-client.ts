import { expectStatus, type ForeignAccountDevice, type ForeignDevice } from './device/foreign-device';
import type { HttpResponse, HttpClient, RequestOptions } from './http-client';

export const RELAY_SCOPES = ['sessions:read', 'sessions:write', 'machines:read', 'machines:invoke'];
/** Capabilities of a machine. */
export const MACHINE_CAPABILITIES = ['session.message', 'machine.invoke'];

/** Account with a token for both relayed calls, on the service of `http`. */
export abstract class RelayTestClient {
  protected constructor(
    readonly ada: ForeignAccountDevice,
    readonly token: string,
    readonly tokenId: string,
  ) {}

  abstract get http(): HttpClient;

  async createOfflineMachine(): Promise<{ device: ForeignDevice; id: string }> {
    const device = await this.ada.pairDevice('machine');
    const body = { name: 'box', platform: 'linux' };
    const { data } = expectStatus(await this.http.post('/v1/machines', device.token, body), 201);
    return { device, id: data.id };
  }

  invokeMachine(
    machineId: string,
    body: object = {},
    options: RequestOptions = {},
    via: HttpClient = this.http,
  ): Promise<HttpResponse> {
    const path = `/external/v1/machines/${machineId}/invoke`;
    return via.post(path, this.token, { command: 'true', ...body }, options);
  }

  sendMessage(
    sessionId: string,
    content = 'hello',
    options: RequestOptions = {},
    via: HttpClient = this.http,
  ): Promise<HttpResponse> {
    const path = `/external/v1/sessions/${sessionId}/messages`;
    return via.post(path, this.token, { content }, options);
  }

  /** Returns the audit record of a call. */
  async readAuditRecord(httpResponse: HttpResponse): Promise<any> {
    const path = `/v1/relay-calls/${httpResponse.body.requestId}`;
    return expectStatus(await this.http.get(path, this.ada.token), 200).data;
  }
}
