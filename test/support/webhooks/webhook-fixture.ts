import type { Backend } from '../backend';
import { ForeignAccountDevice, expectStatus } from '../device/foreign-device';
import type { HttpResponse, HttpClient } from '../http-client';
import { Service } from '../service';

/** Allows deliveries to the receivers of tests, on loopback. */
export const LOOPBACK_WEBHOOKS_ENV = {
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  RATE_LIMIT_METADATA: '1000000',
};
export const ALL_READ_SCOPES = ['webhooks:manage', 'sessions:read', 'machines:read', 'artifacts:read'];

/** Created webhook with its secret. */
export interface CreatedWebhook {
  id: string;
  secret: string;
  record: any;
}

/** Account with a token. Creates webhooks on a service and reads their deliveries. */
export class Subscriber {
  private constructor(
    readonly http: HttpClient,
    readonly device: ForeignAccountDevice,
    readonly token: string,
    readonly tokenId: string,
  ) {}

  static async signUp(http: HttpClient, scopes: string[] = ALL_READ_SCOPES): Promise<Subscriber> {
    const device = await ForeignAccountDevice.signUp(http);
    const { token, id } = await device.createToken(scopes);
    return new Subscriber(http, device, token, id);
  }

  requestWebhook(url: string, events: string[] = ['*'], extra: object = {}): Promise<HttpResponse> {
    return this.http.post('/external/v1/webhooks', this.token, { url, events, ...extra });
  }

  async createWebhook(url: string, events: string[] = ['*'], extra: object = {}): Promise<CreatedWebhook> {
    const { data, signingSecret } = expectStatus(await this.requestWebhook(url, events, extra), 201);
    return { id: data.id, secret: signingSecret, record: data };
  }

  async getWebhook(id: string): Promise<any> {
    return expectStatus(await this.http.get(`/external/v1/webhooks/${id}`, this.token), 200).data;
  }

  async listDeliveries(id: string, query = ''): Promise<any[]> {
    return expectStatus(await this.http.get(`/v1/webhooks/${id}/deliveries?limit=200${query}`, this.device.token), 200)
      .data;
  }

  async getDelivery(id: string, deliveryId: string): Promise<any> {
    return expectStatus(await this.http.get(`/v1/webhooks/${id}/deliveries/${deliveryId}`, this.device.token), 200)
      .data;
  }

  /** @param action such as pause, resume, test, replay or rotate-secret */
  postAction(id: string, action: string, body: object = {}): Promise<HttpResponse> {
    return this.http.post(`/v1/webhooks/${id}/${action}`, this.device.token, body);
  }

  /** Triggers an event by creating a session. */
  async triggerEvent(): Promise<any> {
    return this.device.createSession(this.device);
  }
}

/** Service that may deliver to loopback, with one account. */
export class WebhookFixture {
  private constructor(
    public service: Service,
    readonly subscriber: Subscriber,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}, backend?: Backend): Promise<WebhookFixture> {
    const service = await Service.start({ ...LOOPBACK_WEBHOOKS_ENV, ...env }, backend);
    return new WebhookFixture(service, await Subscriber.signUp(service.http));
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}
