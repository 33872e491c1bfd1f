import { Injectable } from '@nestjs/common';
import { Clock, SECOND } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { EventOutboxService } from '../../../core/events';
import { UnitOfWork } from '../../../core/database';
import { EndpointWorkerScheduler } from '../dispatch/endpoint-worker-scheduler';
import { EndpointQueuesRepository } from '../dispatch/endpoint-queues.repository';
import { generateSigningKey, formatSigningSecret } from '../sending/signature';
import { SigningSecretCipher } from './signing-secret-cipher';
import type { WebhookDto, WebhookLifecycleState, WebhookWithSecretDto } from './webhook.response.dto';
import { WebhooksRepository } from './webhooks.repository';
import { WebhooksService } from './webhooks.service';

/** Pauses, resumes, tests webhooks and rotates their secrets for the account's owner. */
@Injectable()
export class WebhookControlService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly webhooksService: WebhooksService,
    private readonly webhooks: WebhooksRepository,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly endpointWorkerScheduler: EndpointWorkerScheduler,
    private readonly eventOutboxService: EventOutboxService,
    private readonly signingSecretCipher: SigningSecretCipher,
    private readonly clock: Clock,
  ) {}

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
    });
    return rotated.then((data) => ({ data, signingSecret: formatSigningSecret(key) }));
  }

  /**
   * Sends a `webhook.test` event, whatever the webhook subscribes to.
   * @throws {ApiError} `not_found`; `invalid_request` when the URL is no longer valid
   */
  async sendTestEvent(accountId: string, id: string): Promise<void> {
    const data = await this.webhooksService.getWebhook({ accountId, appId: null }, id);
    await this.webhooksService.requireValidUrl(data.url);
    await this.unitOfWork.runInTransaction(() =>
      this.eventOutboxService.addEventForWebhook({ type: 'webhook.test', accountId, data }, id),
    );
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
      this.unitOfWork.afterCommit(() => this.endpointWorkerScheduler.triggerWorkers([id]));
      return this.webhooksService.getWebhook(owner, id);
    });
  }

  private async setState(id: string, from: WebhookLifecycleState, to: WebhookLifecycleState): Promise<void> {
    if (from !== to) await this.webhooks.setState(id, to, null, this.clock.currentDate());
  }
}
