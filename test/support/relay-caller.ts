import { ok, type AccountDevice, type ForeignDevice } from './device/foreign-device';
import type { Answer, HttpClient, RequestOptions } from './http-client';

export const RELAY_SCOPES = ['sessions:read', 'sessions:write', 'machines:read', 'machines:invoke'];
/** The capabilities of a machine. */
export const BOTH = ['session.message', 'machine.invoke'];

/** An account with a token for both relayed calls, in front of whichever service `http` is. */
export abstract class RelayCaller {
  protected constructor(
    readonly ada: AccountDevice,
    readonly token: string,
    readonly tokenId: string,
  ) {}

  abstract get http(): HttpClient;

  async offlineMachine(): Promise<{ device: ForeignDevice; id: string }> {
    const device = await this.ada.adopt('machine');
    const body = { name: 'box', platform: 'linux' };
    const { data } = ok(await this.http.post('/v1/machines', device.token, body), 201);
    return { device, id: data.id };
  }

  invoke(
    machineId: string,
    body: object = {},
    options: RequestOptions = {},
    via: HttpClient = this.http,
  ): Promise<Answer> {
    const path = `/external/v1/machines/${machineId}/invoke`;
    return via.post(path, this.token, { command: 'true', ...body }, options);
  }

  message(
    sessionId: string,
    content = 'hello',
    options: RequestOptions = {},
    via: HttpClient = this.http,
  ): Promise<Answer> {
    const path = `/external/v1/sessions/${sessionId}/messages`;
    return via.post(path, this.token, { content }, options);
  }

  /** The audit's record of a call. */
  async auditOf(answer: Answer): Promise<any> {
    const path = `/v1/relay-calls/${answer.body.requestId}`;
    return ok(await this.http.get(path, this.ada.token), 200).data;
  }
}
