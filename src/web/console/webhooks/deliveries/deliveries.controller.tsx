import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { BrowserOnly } from '../../../../access/auth';
import { Clock, DAY } from '../../../../common/clock';
import { Config } from '../../../../core/config';
import { toAccountRecipient } from '../../../../modules/event-access';
import {
  DeliveriesService,
  formatDelivery,
  ListDeliveriesQueryDto,
  ReplayFailedDeliveriesDto,
  WebhooksService,
  type WebhookDto,
} from '../../../../modules/webhooks';
import { createFormState, toRejectedForm, type FormState } from '../../forms/form-state';
import { parseDateTimeField, formatDateTimeField } from '../../forms/date-time-value';
import { readFilters } from '../../forms/log-filters';
import { parseFormDto } from '../../forms/parse-form-dto';
import { ConsoleController } from '../../html/console-controller';
import { CurrentViewer } from '../../html/current-viewer';
import { HtmlPage, SeeOther } from '../../html/html-page';
import type { FormFields } from '../../html/read-page-form';
import type { Viewer } from '../../html/viewer';
import { DeliveryLog, FAILED_SINCE_FIELD } from './delivery-log';
import { DeliveryPage } from './delivery-page';
import type { EndpointState } from './delivery-parts';
import { DeliveryLogQueryDto } from './delivery-log-query.dto';

const NO_DELIVERIES = { data: [], nextCursor: null };

/** Shows a webhook's delivery log and replays deliveries (docs/guide/console.md#webhooks). */
@ConsoleController('console/webhooks/:id')
export class DeliveriesPagesController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  private get maxAttempts(): number {
    return this.config.webhooks.retrySchedule.length;
  }

  @Get('deliveries')
  @BrowserOnly()
  showLog(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Query() query: DeliveryLogQueryDto,
  ): Promise<HtmlPage> {
    return this.renderLogPage(accountId, id, query);
  }

  @Get('deliveries/:deliveryId')
  @BrowserOnly()
  async showDelivery(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
    @Query() { replayed }: DeliveryLogQueryDto,
  ): Promise<HtmlPage> {
    const webhook = await this.webhooks.getWebhook(toAccountRecipient(accountId), id);
    const delivery = await this.deliveries.getDelivery(accountId, id, deliveryId);
    const { type, payload, traceparent } = await this.deliveries.getDeliveryContent(accountId, id, deliveryId);
    const sent = formatDelivery(webhook.format, { type, payload }, this.config.publicUrl);
    const { maxAttempts } = this;
    const isReplay = replayed !== undefined;
    const endpointState = await this.readEndpointState(accountId, webhook);
    const content = (
      <DeliveryPage {...{ ...endpointState, delivery, payload, sent, traceparent, maxAttempts, isReplay }} />
    );
    return new HtmlPage(content, { title: delivery.type, script: 'live-updates.js' });
  }

  @Post('deliveries/:deliveryId/replay')
  @BrowserOnly()
  async replayDelivery(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<SeeOther> {
    const copy = await this.deliveries.replayDelivery(accountId, id, deliveryId);
    return new SeeOther(`/console/webhooks/${id}/deliveries/${copy.id}?replayed=1`);
  }

  @Post('replay')
  @BrowserOnly()
  async replayEvents(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<HtmlPage | SeeOther> {
    try {
      const { since } = await parseFormDto(ReplayFailedDeliveriesDto, {
        since: parseDateTimeField(form, FAILED_SINCE_FIELD),
      });
      const { count, hasMore } = await this.deliveries.replayEvents(accountId, id, new Date(since));
      return new SeeOther(`/console/webhooks/${id}/deliveries?replayed=${count}&more=${Number(hasMore)}`);
    } catch (error) {
      const { fieldErrors, ...rejectedForm } = toRejectedForm(form, error);
      const message = fieldErrors[FAILED_SINCE_FIELD] ?? fieldErrors.since;
      return this.renderLogPage(
        accountId,
        id,
        {},
        { ...rejectedForm, fieldErrors: message ? { [FAILED_SINCE_FIELD]: message } : {} },
      );
    }
  }

  private async renderLogPage(
    accountId: string,
    id: string,
    { replayed, more, ...query }: DeliveryLogQueryDto,
    rejectedReplay?: FormState,
  ): Promise<HtmlPage> {
    const webhook = await this.webhooks.getWebhook(toAccountRecipient(accountId), id);
    const { form: filters, query: deliveryQuery } = await readFilters(ListDeliveriesQueryDto, query);
    const deliveries = deliveryQuery
      ? await this.deliveries.listDeliveries(accountId, id, deliveryQuery)
      : NO_DELIVERIES;
    const deliveryIds = deliveries.data.map((delivery) => delivery.id);
    const subjects = await this.deliveries.findDeliverySubjects(accountId, id, deliveryIds);
    const endpointState = await this.readEndpointState(accountId, webhook);
    // A failed delivery was created before the webhook began to fail.
    const since = (webhook.failingSince ?? endpointState.now) - DAY;
    const replay = rejectedReplay ?? createFormState({ [FAILED_SINCE_FIELD]: formatDateTimeField(since) });
    const { maxAttempts } = this;
    const { cursor } = query;
    const hasMore = more === 1;
    const props = { ...endpointState, replayed, hasMore, cursor, filters, replay, deliveries, subjects, maxAttempts };
    const status = Math.max(filters.status, replay.status);
    return new HtmlPage(<DeliveryLog {...props} />, { title: 'Delivery log', status, script: 'delivery-log.js' });
  }

  private async readEndpointState(accountId: string, webhook: WebhookDto): Promise<EndpointState> {
    const dueTimes = await this.deliveries.findDueTimes(accountId, webhook.id);
    return { webhook, ...dueTimes, now: this.clock.now() };
  }
}
