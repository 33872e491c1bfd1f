import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { SessionOnly } from '../../../auth';
import { Clock, DAY } from '../../../common/clock';
import { DeliveriesService, DeliveryQuery, ownerOf, ReplayDto, WebhooksService } from '../../../webhooks';
import { freshForm, refusedForm, textOf, type FormState } from '../../forms/form-state';
import { momentOf, toField } from '../../forms/moment';
import { readDto } from '../../forms/read-dto';
import { ConsoleController } from '../../html/console-controller';
import { CurrentViewer } from '../../html/current-viewer';
import { Page, SeeOther } from '../../html/page';
import type { FormFields } from '../../html/read-form';
import type { Viewer } from '../../html/viewer';
import { DeliveryLog } from './delivery-log';
import { DeliveryPage } from './delivery-page';
import { LogQuery } from './log-query.dto';
import { SINCE } from './replay-failed';

const NONE = { data: [], nextCursor: null };

/** The delivery log of a webhook, and what is sent again (console.md, Webhooks). */
@ConsoleController('console/webhooks/:id')
export class DeliveriesPagesController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: DeliveriesService,
    private readonly clock: Clock,
  ) {}

  @Get('deliveries')
  @SessionOnly()
  log(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string, @Query() query: LogQuery): Promise<Page> {
    return this.logPage(accountId, id, query);
  }

  @Get('deliveries/:deliveryId')
  @SessionOnly()
  async show(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<Page> {
    const webhook = await this.webhooks.get(ownerOf(accountId), id);
    const delivery = await this.deliveries.get(accountId, id, deliveryId);
    const { payload, traceparent } = await this.deliveries.sent(accountId, id, deliveryId);
    const content = <DeliveryPage {...{ webhook, delivery, payload, traceparent }} />;
    return new Page(content, { title: delivery.type, script: 'follow.js' });
  }

  @Post('deliveries/:deliveryId/replay')
  @SessionOnly()
  async replay(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<SeeOther> {
    const copy = await this.deliveries.replay(accountId, id, deliveryId);
    return new SeeOther(`/console/webhooks/${id}/deliveries/${copy.id}`);
  }

  @Post('replay')
  @SessionOnly()
  async replayFailed(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<Page | SeeOther> {
    try {
      const { since } = await readDto(ReplayDto, { since: momentOf(form, SINCE) });
      const count = await this.deliveries.replayFailed(accountId, id, new Date(since));
      return new SeeOther(`/console/webhooks/${id}/deliveries?replayed=${count}`);
    } catch (error) {
      const { faults, ...refused } = refusedForm(form, error);
      const fault = faults[SINCE] ?? faults.since;
      return this.logPage(accountId, id, {}, { ...refused, faults: fault ? { [SINCE]: fault } : {} });
    }
  }

  private async logPage(accountId: string, id: string, query: LogQuery, refusedReplay?: FormState): Promise<Page> {
    const webhook = await this.webhooks.get(ownerOf(accountId), id);
    const { filters, wanted } = await readFilters(query);
    const deliveries = wanted ? await this.deliveries.list(accountId, id, wanted) : NONE;
    // What failed was made before it failed.
    const since = (webhook.failingSince ?? this.clock.now()) - DAY;
    const replay = refusedReplay ?? freshForm({ [SINCE]: toField(since) });
    const content = (
      <DeliveryLog webhook={webhook} query={query} filters={filters} replay={replay} deliveries={deliveries} />
    );
    const status = Math.max(filters.status, replay.status);
    return new Page(content, { title: 'Delivery log', status, script: 'delivery-log.js' });
  }
}

/** What is asked for, or the form with what is wrong in it. */
async function readFilters({ replayed: _, cursor, ...values }: LogQuery) {
  const filters: FormState = freshForm(values);
  try {
    const wanted = await readDto(DeliveryQuery, {
      state: textOf(values, 'state'),
      type: textOf(values, 'type'),
      since: momentOf(values, 'since'),
      until: momentOf(values, 'until'),
      cursor,
    });
    return { filters, wanted };
  } catch (error) {
    return { filters: refusedForm(values, error), wanted: null };
  }
}
