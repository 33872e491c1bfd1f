import { Injectable } from '@nestjs/common';
import { AuditRecorder } from '../../../access/audit';
import { Clock, SECOND } from '../../../common/clock';
import { ApiError, notFoundError } from '../../../common/errors';
import { EventOutboxService, type DomainEvent } from '../../../core/events';
import { UnitOfWork } from '../../../core/database';
import { EventQuota } from '../../accounts';
import { EndpointWorkerScheduler } from '../dispatch/endpoint-worker-scheduler';
import { requireEventAccess, toAccountRecipient, type EventRecipient } from '../../event-access';
import { EndpointQueuesRepository } from '../dispatch/endpoint-queues.repository';
import { SubscriptionAccessResolver } from '../dispatch/subscription-access-resolver';
import { generateSigningKey, formatSigningSecret } from '../../webhook-sending';
import { normalizeHeaders, type CustomHeaders } from './custom-headers';
import { SigningSecretCipher } from './signing-secret-cipher';
import type { WebhookDto, WebhookLifecycleState, WebhookRow, WebhookWithSecretDto } from './webhook.response.dto';
import type { UpdateWebhookDto } from './webhooks.dto';
import { WebhooksRepository } from './webhooks.repository';
import { WebhooksService } from './webhooks.service';

/** Edits, pauses, resumes and tests webhooks and rotates their secrets for the account's owner. */
@Injectable()
export class WebhookControlService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly webhooksService: WebhooksService,
    private readonly webhooks: WebhooksRepository,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly endpointWorkerScheduler: EndpointWorkerScheduler,
    private readonly eventOutboxService: EventOutboxService,
    private readonly eventQuota: EventQuota,
    private readonly subscriptionAccessResolver: SubscriptionAccessResolver,
    private readonly signingSecretCipher: SigningSecretCipher,
    private readonly auditRecorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /**
   * Changes what the webhook subscribes to. It keeps its secret, its log and its pending deliveries, which go to the
   * new URL. Earlier failures don't count for it. Its headers stay with the origin that they were given for.
   * @throws {ApiError} `not_found`; `invalid_request` for an invalid URL; `insufficient_scope` or `forbidden` for
   *   events that the webhook's creator may not see
   */
  async updateWebhook(accountId: string, id: string, changes: UpdateWebhookDto): Promise<WebhookDto> {
    await this.webhooksService.getWebhook({ accountId, appId: null }, id);
    // Outside of the transaction, since it resolves the host.
    if (changes.url !== undefined) await this.webhooksService.requireValidUrl(changes.url);
    return this.changeWebhook(accountId, id, async (webhook) => {
      const row = (await this.webhooks.find(accountId, null, id))!;
      const { scopes } = await this.requireCreatorAccess(row, changes);
      const { url = webhook.url, events = webhook.events, format = webhook.format } = changes;
      const description = changes.description === undefined ? webhook.description : changes.description || null;
      const headers = changes.headers ?? (new URL(url).origin === new URL(webhook.url).origin ? undefined : {});
      await this.webhooks.updateSubscription(
        id,
        { url, events, description, format, scopes: [...scopes], ...(headers && this.sealHeaders(id, headers)) },
        this.clock.currentDate(),
      );
      if (url !== webhook.url) await this.endpointQueues.resetCircuitBreaker(id);
      await this.auditRecorder.recordActs({ act: 'webhook.updated', accountId, targetId: id });
    });
  }

  /**
   * Pauses deliveries.
   * @throws {ApiError} `not_found`; `conflict` for a disabled webhook
   */
  pauseWebhook(accountId: string, id: string): Promise<WebhookDto> {
    return this.changeWebhook(accountId, id, async ({ state }) => {
      if (state === 'disabled') throw new ApiError('conflict', 'A disabled webhook cannot be paused. Resume it first.');
      await this.setState(id, state, 'paused');
    });
  }

  /**
   * Resumes pending deliveries and resets the circuit breaker.
   * @throws {ApiError} `not_found`
   */
  resumeWebhook(accountId: string, id: string): Promise<WebhookDto> {
    return this.changeWebhook(accountId, id, async ({ state }) => {
      if (state === 'active') return;
      await this.endpointQueues.resetCircuitBreaker(id);
      await this.setState(id, state, 'active');
    });
  }

  /**
   * Creates a new signing secret. The old one also signs until the overlap ends.
   * @throws {ApiError} `not_found`
   */
  rotateSecret(accountId: string, id: string, overlapSeconds = 0): Promise<WebhookWithSecretDto> {
    const key = generateSigningKey();
    const rotated = this.changeWebhook(accountId, id, async () => {
      const now = this.clock.currentDate();
      const endsAt = new Date(now.getTime() + overlapSeconds * SECOND);
      await this.webhooks.rotateSecret(id, this.signingSecretCipher.encryptKey(key, id), endsAt, now);
      await this.auditRecorder.recordActs({ act: 'webhook.secret_rotated', accountId, targetId: id });
    });
    return rotated.then((data) => ({ data, signingSecret: formatSigningSecret(key) }));
  }

  /**
   * Sends an event to this webhook alone, whatever it subscribes to.
   * @param sample event to send; a `webhook.test` event by default
   * @throws {ApiError} `not_found`; `invalid_request` when the URL is no longer valid; `insufficient_scope` or
   *   `forbidden` for an event that the webhook's creator may not see; `plan_limit_exceeded`
   */
  async sendTestEvent(accountId: string, id: string, sample?: Pick<DomainEvent, 'type' | 'data'>): Promise<void> {
    const webhook = await this.webhooksService.getWebhook({ accountId, appId: null }, id);
    await this.webhooksService.requireValidUrl(webhook.url);
    await this.eventQuota.requireCapacity(accountId);
    const event = sample ?? { type: 'webhook.test', data: webhook };
    await this.unitOfWork.runInTransaction(async () => {
      const row = await this.webhooks.find(accountId, null, id);
      // It may have been deleted while its host was resolved.
      if (!row) throw notFoundError('webhook');
      if (sample) requireEventAccess(await this.findCreator(row), [sample.type]);
      await this.eventOutboxService.addEventForWebhook({ ...event, accountId }, id);
    });
  }

  private sealHeaders(id: string, headers: CustomHeaders) {
    const normalized = normalizeHeaders(headers);
    const sealed = this.signingSecretCipher.encryptHeaders(normalized, id);
    return { headerNames: Object.keys(normalized), headers: sealed };
  }

  /** A webhook of the account itself also gets the scopes that were added since its creation. */
  private async requireCreatorAccess(row: WebhookRow, { events }: UpdateWebhookDto): Promise<EventRecipient> {
    const isOwnedByAccount = row.token_id === null && row.app_id === null;
    const creator = isOwnedByAccount ? toAccountRecipient(row.account_id) : await this.findCreator(row);
    if (events !== undefined) requireEventAccess(creator, events);
    return creator;
  }

  /**
   * Returns the creator with the scopes that deliveries are checked against. A disabled app has none: it gets nothing,
   * and counts as having the scopes of the subscription until it is enabled again.
   */
  private async findCreator(row: WebhookRow): Promise<EventRecipient> {
    const creator = await this.subscriptionAccessResolver.resolveOwner(row);
    const { account_id: accountId, token_id: tokenId, app_id: appId, scopes } = row;
    return creator ?? { accountId, tokenId, appId, scopes };
  }

  private changeWebhook(
    accountId: string,
    id: string,
    applyChange: (webhook: WebhookDto) => Promise<void>,
  ): Promise<WebhookDto> {
    const owner = { accountId, appId: null };
    return this.unitOfWork.runInTransaction(async () => {
      await this.webhooksService.getWebhook(owner, id);
      await this.endpointQueues.lockEndpointQueues([id]);
      await applyChange(await this.webhooksService.getWebhook(owner, id));
      await this.endpointQueues.refreshDueTimes([id]);
      this.unitOfWork.afterCommit(() => this.endpointWorkerScheduler.triggerWorker(id));
      return this.webhooksService.getWebhook(owner, id);
    });
  }

  private async setState(id: string, from: WebhookLifecycleState, to: WebhookLifecycleState): Promise<void> {
    if (from !== to) await this.webhooks.setState(id, to, null, this.clock.currentDate());
  }
}
