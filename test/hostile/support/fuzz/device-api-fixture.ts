import { expectStatus, ForeignAccountDevice, ForeignDevice } from '../../../support/device/foreign-device';
import type { DeviceSocket } from '../../../support/device/device-socket';
import { AskingSession } from '../../../support/content/asking-session';
import { GrantedArtifact, GrantedSession } from '../../../support/content/granted-session';
import { createReaderKey } from '../../../support/content/jose-keys';
import { HttpClient, type HttpResponse, type RequestOptions } from '../../../support/http-client';
import { TestBrowserKeys } from '../../../support/push-service';
import { waitFor } from '../../../support/wait-for';
import { connectFuzzedMachine, WEBHOOK_BODY } from './fuzzed-service';

/** Account devices that share the calls, since each device has its own rate limit. */
const CALLING_DEVICES = 16;
const SCOPES = ['sessions:read', 'sessions:write', 'machines:read', 'machines:invoke', 'webhooks:manage', 'usage:read'];

/** Client that sends each request from another address, since sign-ups and pairings of an address are limited. */
class ManyAddressesClient extends HttpClient {
  private count = 0;

  override request(method: string, path: string, options: RequestOptions = {}): Promise<HttpResponse> {
    const address = `10.200.${(this.count >> 8) & 255}.${this.count++ & 255}`;
    return super.request(method, path, { ...options, headers: { 'X-Forwarded-For': address, ...options.headers } });
  }
}

/** Account with devices, an online machine and records, and what single requests use up: created anew on demand. */
export class DeviceApiFixture {
  private browserCount = 0;

  private constructor(
    readonly http: HttpClient,
    readonly ada: ForeignAccountDevice,
    /** Other devices of the account. */
    readonly callers: readonly ForeignDevice[],
    readonly machine: ForeignDevice,
    readonly machineId: string,
    readonly socket: DeviceSocket,
    /** Personal access token. */
    readonly token: string,
    readonly session: GrantedSession,
    readonly asking: AskingSession,
    readonly artifact: GrantedArtifact,
  ) {}

  static async create(url: string): Promise<DeviceApiFixture> {
    const http = new ManyAddressesClient(url);
    const ada = await ForeignAccountDevice.signUp(http);
    const machine = await ada.pairDevice('machine');
    const callers: ForeignDevice[] = [];
    while (callers.length < CALLING_DEVICES) callers.push(await ada.pairDevice('account'));
    const registered = { name: 'box', platform: 'linux' };
    const { data } = expectStatus(await http.post('/v1/machines', machine.token, registered), 201);
    const socket = await connectFuzzedMachine(machine);
    const { token } = await ada.createToken(SCOPES);
    const session = await GrantedSession.createSession(ada, machine);
    const asking = await AskingSession.createSession({ now: Date.now() }, ada, machine);
    expectStatus(await asking.granted.grantToService(), 201);
    const artifact = await GrantedArtifact.createArtifact(ada, 'an artifact');
    return new DeviceApiFixture(
      http,
      ada,
      callers,
      machine,
      data.id as string,
      socket,
      token,
      session,
      asking,
      artifact,
    );
  }

  /** Signs up another account and returns its device. */
  signUp(): Promise<ForeignAccountDevice> {
    return ForeignAccountDevice.signUp(this.http);
  }

  /** Returns a device that has no account, and the body of its request to pair. */
  async buildPairing() {
    const device = new ForeignDevice(this.http, 'a new device');
    const names = { kind: 'machine', name: device.name, platform: device.platform };
    return { device, body: { ...device.keys, ...names, ...(await device.signChallenge()) } };
  }

  async buildSignUp(): Promise<object> {
    const device = new ForeignAccountDevice(this.http, 'first device');
    return {
      username: `user-${device.keys.publicKey.x
        .slice(0, 12)
        .toLowerCase()
        .replace(/[^a-z0-9]/g, '0')}`,
      device: { ...device.keys, name: device.name, platform: 'linux' },
      contentPublicKey: device.contentKey.publicKey,
      ...(await device.signChallenge()),
    };
  }

  async createApp(secrets = 1): Promise<{ clientId: string; secretIds: string[] }> {
    const body = { name: 'Notes', redirectUris: ['https://app.example/callback'] };
    let { data } = expectStatus(await this.http.post('/v1/developer/apps', this.ada.token, body), 201);
    const { clientId } = data as { clientId: string };
    for (let n = 1; n < secrets; n++) {
      const path = `/v1/developer/apps/${clientId}/secrets`;
      data = expectStatus(await this.http.post(path, this.ada.token, {}), 201).data;
    }
    return { clientId, secretIds: (data.secrets as { id: string }[]).map(({ id }) => id) };
  }

  async createWebhook(): Promise<string> {
    return expectStatus(await this.http.post('/external/v1/webhooks', this.token, WEBHOOK_BODY), 201).data.id as string;
  }

  /** Returns the body of a subscription at a closed port of this machine. */
  buildPushSubscription(): object {
    return new TestBrowserKeys(`http://127.0.0.1:9/${this.browserCount++}`).subscription;
  }

  async createPushSubscription(): Promise<string> {
    const body = this.buildPushSubscription();
    return expectStatus(await this.http.post('/v1/push-subscriptions', this.ada.token, body), 201).data.id as string;
  }

  /** Creates a webhook and returns its id and that of its only delivery. */
  async createDelivery(): Promise<[webhookId: string, deliveryId: string]> {
    const id = await this.createWebhook();
    expectStatus(await this.http.post(`/v1/webhooks/${id}/test`, this.ada.token, undefined), 202);
    const deliveryId = await waitFor(async () => {
      const list = await this.http.get(`/v1/webhooks/${id}/deliveries`, this.ada.token);
      return expectStatus(list, 200).data[0].id as string;
    }, 30_000);
    return [id, deliveryId];
  }

  async createGrant(of: GrantedSession | GrantedArtifact): Promise<string> {
    const reader = await createReaderKey('X25519');
    return expectStatus(await of.key.grantToReader(reader.publicKey, of.resource), 201).data.id as string;
  }

  async startInvocation(): Promise<{ id: string; localId: string }> {
    const path = `/v1/control/machines/${this.machineId}/invocations`;
    const { data } = expectStatus(await this.http.post(path, this.ada.token, { command: 'make' }), 202);
    return { id: data.id as string, localId: data.requestId as string };
  }

  async queueMessage(): Promise<string> {
    const body = { content: 'hello', delivery: { mode: 'queue', notBefore: Date.now() + 86_400_000 } };
    const path = `/v1/control/sessions/${this.session.id}/messages`;
    return expectStatus(await this.http.post(path, this.ada.token, body), 202).result.queuedMessageId as string;
  }

  async sendMessage(): Promise<string> {
    const path = `/v1/control/sessions/${this.session.id}/messages`;
    return expectStatus(await this.http.post(path, this.ada.token, { content: 'hello' }), 200).requestId as string;
  }
}
