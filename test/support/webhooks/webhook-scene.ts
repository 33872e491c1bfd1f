import type { Backend } from '../backend';
import { AccountDevice, ok } from '../device/foreign-device';
import type { Answer, HttpClient } from '../http-client';
import { Service } from '../service';

/** Loopback, which receivers of tests are on. */
export const LOOPBACK = {
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  RATE_LIMIT_METADATA: '1000000',
};
export const ALL_READ = ['webhooks:manage', 'sessions:read', 'machines:read', 'artifacts:read'];

/** A webhook as its creator got it. */
export interface Made {
  id: string;
  secret: string;
  record: any;
}

/** An account and a token in front of any service, that makes webhooks and looks at their deliveries. */
export class Subscriber {
  private constructor(
    readonly http: HttpClient,
    readonly ada: AccountDevice,
    readonly token: string,
    readonly tokenId: string,
  ) {}

  static async signUp(http: HttpClient, scopes: string[] = ALL_READ): Promise<Subscriber> {
    const ada = await AccountDevice.signUp(http);
    const { token, id } = await ada.createToken(scopes);
    return new Subscriber(http, ada, token, id);
  }

  tryCreate(url: string, events: string[] = ['*'], extra: object = {}): Promise<Answer> {
    return this.http.post('/external/v1/webhooks', this.token, { url, events, ...extra });
  }

  async create(url: string, events: string[] = ['*']): Promise<Made> {
    const { data, signingSecret } = ok(await this.tryCreate(url, events), 201);
    return { id: data.id, secret: signingSecret, record: data };
  }

  async webhook(id: string): Promise<any> {
    return ok(await this.http.get(`/external/v1/webhooks/${id}`, this.token), 200).data;
  }

  async deliveries(id: string, query = ''): Promise<any[]> {
    return ok(await this.http.get(`/v1/webhooks/${id}/deliveries?limit=200${query}`, this.ada.token), 200).data;
  }

  async delivery(id: string, deliveryId: string): Promise<any> {
    return ok(await this.http.get(`/v1/webhooks/${id}/deliveries/${deliveryId}`, this.ada.token), 200).data;
  }

  /** One of the switches: pause, resume, test, replay, rotate-secret. */
  act(id: string, what: string, body: object = {}): Promise<Answer> {
    return this.http.post(`/v1/webhooks/${id}/${what}`, this.ada.token, body);
  }

  /** Something that is told: one session more. */
  async happen(): Promise<any> {
    return this.ada.openSession(this.ada);
  }
}

/** A service that may deliver to loopback, with one account. */
export class WebhookScene {
  private constructor(
    public service: Service,
    readonly subscriber: Subscriber,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}, backend?: Backend): Promise<WebhookScene> {
    const service = await Service.start({ ...LOOPBACK, ...env }, backend);
    return new WebhookScene(service, await Subscriber.signUp(service.http));
  }

  stop(): Promise<void> {
    return this.service.stop();
  }
}
