import { ApiError } from '../errors.ts';
import { PagedList, type Page } from '../http/paged-list.ts';
import type { Transport } from '../http/transport.ts';
import type { CallOptions, CreateWebhook, EventType, QueryOf, Webhook, WebhookWithSecret } from '../types.ts';

export interface WebhookListPage extends Page<Webhook> {
  /** All types that a webhook can subscribe to. */
  availableEvents: EventType[];
}

/** URLs that receive the account's events: `client.webhooks`. Scope `webhooks:manage`. */
export class Webhooks {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(query?: QueryOf<'listWebhooks'>, options?: Pick<CallOptions, 'signal'>): PagedList<Webhook, WebhookListPage> {
    return new PagedList(this.#transport, '/webhooks', query, options);
  }

  /** @throws ApiError `not_found` */
  async get(id: string, options: Pick<CallOptions, 'signal'> = {}): Promise<Webhook> {
    const { body } = await this.#transport.request<{ data: Webhook }>('GET', webhookPath(id), {
      signal: options.signal,
    });
    return body.data;
  }

  /**
   * Creates a webhook. Store `signingSecret`: it is shown only this time, and is null in the replay of a call that was
   * repeated under its key.
   */
  async create(webhook: CreateWebhook, options: CallOptions = {}): Promise<WebhookWithSecret> {
    const { signal, idempotencyKey } = options;
    const request = { body: webhook, signal, idempotencyKey };
    const { body } = await this.#transport.request<WebhookWithSecret>('POST', '/webhooks', request);
    return body;
  }

  /** Deletes a webhook and its pending deliveries. Succeeds if an earlier attempt of this call has deleted it. */
  async delete(id: string, options: Pick<CallOptions, 'signal'> = {}): Promise<void> {
    const { signal } = options;
    await this.#transport.request('DELETE', webhookPath(id), { signal }).catch((error: unknown) => {
      if (!(error instanceof ApiError && error.code === 'not_found' && error.attempts > 1)) throw error;
    });
  }
}

function webhookPath(id: string): string {
  return `/webhooks/${encodeURIComponent(id)}`;
}
