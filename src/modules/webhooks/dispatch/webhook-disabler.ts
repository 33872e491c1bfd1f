import { Injectable, Logger } from '@nestjs/common';
import { AuditRecorder } from '../../../access/audit';
import { Clock } from '../../../common/clock';
import { EventPublisher } from '../../../core/events';
import { toWebhookDto, type WebhookDisabledReason } from '../subscriptions/webhook.response.dto';
import { WebhooksRepository } from '../subscriptions/webhooks.repository';
import { EndpointQueuesRepository } from './endpoint-queues.repository';

/** Why a webhook gets no more deliveries. */
export interface WebhookFailure {
  webhookId: string;
  reason: WebhookDisabledReason;
  /** URL that has failed, which an edit may have replaced. By default the present one. */
  url?: string;
}

/** Disables webhooks by itself, and tells their owners. */
@Injectable()
export class WebhookDisabler {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly endpointQueues: EndpointQueuesRepository,
    private readonly eventPublisher: EventPublisher,
    private readonly auditRecorder: AuditRecorder,
    private readonly clock: Clock,
  ) {}

  /** Disables a webhook whose queue is locked, unless it is disabled or has another URL by now. */
  async disableWebhook({ webhookId, url, reason }: WebhookFailure): Promise<void> {
    const row = await this.webhooks.disableWebhook(webhookId, url ?? null, reason, this.clock.currentDate());
    if (!row) return;
    await this.endpointQueues.refreshDueTimes([webhookId]);
    const accountId = row.account_id;
    const actor = { kind: 'service', id: null } as const;
    await this.auditRecorder.recordActs({ act: 'webhook.disabled', accountId, targetId: webhookId, actor });
    this.eventPublisher.publishEvent({
      type: 'webhook.disabled',
      accountId,
      data: toWebhookDto(row),
      traceparent: null,
    });
    this.logger.log({ webhookId, reason }, 'webhook disabled');
  }
}
