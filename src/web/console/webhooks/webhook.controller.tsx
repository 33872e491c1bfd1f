import { Body, Get, Param, Post, Query } from '@nestjs/common';
import { IsIn, IsOptional } from 'class-validator';
import { BrowserOnly } from '../../../access/auth';
import { Clock } from '../../../common/clock';
import { ApiError } from '../../../common/errors';
import { Config } from '../../../core/config';
import { EVENT_TYPES, type EventType } from '../../../core/events';
import { toAccountRecipient } from '../../../modules/event-access';
import {
  DeliveriesService,
  RotateWebhookSecretDto,
  UpdateWebhookDto,
  type WebhookDto,
  WebhookControlService,
  WebhooksService,
} from '../../../modules/webhooks';
import { OpenApiDocumentService } from '../../openapi';
import { createFormState, getFormNumber, getFormText, toRejectedForm, type FormState } from '../forms/form-state';
import { parseFormDto } from '../forms/parse-form-dto';
import { RangeQueryDto, type TimeRangeName } from '../forms/time-presets';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import type { FormFields } from '../html/read-page-form';
import type { Viewer } from '../html/viewer';
import { getAttemptSlots } from './attempt-charts';
import { OwnerNameReader } from './owner-name-reader';
import { WebhookCreatedPage, WebhookForm } from './new-webhook-page';
import { toWebhookChanges, toWebhookFormFields } from './webhook-input';
import { WebhookPage } from './webhook-page';

/** The newest ones, which the page counts by their state. */
const RECENT_DELIVERIES = 100;

class SendTestFormDto {
  /** Type of the event to send; `webhook.test` by default. */
  @IsOptional()
  @IsIn(EVENT_TYPES)
  type?: EventType;
}

/** Shows one webhook and runs its actions (docs/guide/console.md#webhooks). */
@ConsoleController('console/webhooks/:id')
export class WebhookPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly control: WebhookControlService,
    private readonly deliveries: DeliveriesService,
    private readonly ownerNames: OwnerNameReader,
    private readonly openApiDocument: OpenApiDocumentService,
    private readonly clock: Clock,
    private readonly config: Config,
  ) {}

  @Get()
  @BrowserOnly()
  showWebhook(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Query() { range }: RangeQueryDto,
  ): Promise<HtmlPage> {
    return this.renderWebhookPage(accountId, id, range);
  }

  @Get('edit')
  @BrowserOnly()
  async showEditForm(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<HtmlPage> {
    const webhook = await this.webhooks.getWebhook(toAccountRecipient(accountId), id);
    return this.renderEditForm(webhook, createFormState(toWebhookFormFields(webhook)));
  }

  @Post('edit')
  @BrowserOnly()
  async editWebhook(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<HtmlPage | SeeOther> {
    const webhook = await this.webhooks.getWebhook(toAccountRecipient(accountId), id);
    try {
      const changes = await parseFormDto(UpdateWebhookDto, toWebhookChanges(form));
      await this.control.updateWebhook(accountId, id, changes);
      return new SeeOther(`/console/webhooks/${id}`);
    } catch (error) {
      return this.renderEditForm(webhook, toRejectedForm(form, error));
    }
  }

  @Post('pause')
  @BrowserOnly()
  async pauseWebhook(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<SeeOther> {
    await this.control.pauseWebhook(accountId, id);
    return new SeeOther(`/console/webhooks/${id}`);
  }

  @Post('resume')
  @BrowserOnly()
  async resumeWebhook(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<SeeOther> {
    await this.control.resumeWebhook(accountId, id);
    return new SeeOther(`/console/webhooks/${id}`);
  }

  @Post('test')
  @BrowserOnly()
  async sendTest(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<HtmlPage | SeeOther> {
    const { type } = await parseFormDto(SendTestFormDto, { type: getFormText(form, 'type') });
    const isSample = type !== undefined && type !== 'webhook.test';
    const sample = isSample ? { type, data: this.openApiDocument.buildEventSample(type) } : undefined;
    try {
      await this.control.sendTestEvent(accountId, id, sample);
      return new SeeOther(`/console/webhooks/${id}/deliveries`);
    } catch (error) {
      // The URL no longer resolves to a permitted address, or the creator may not receive the event.
      if (!(error instanceof ApiError) || ![400, 403].includes(error.status)) throw error;
      return this.renderWebhookPage(accountId, id, undefined, error);
    }
  }

  @Post('rotate-secret')
  @BrowserOnly()
  async rotateSecret(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<HtmlPage> {
    const { overlapSeconds } = await parseFormDto(RotateWebhookSecretDto, {
      overlapSeconds: getFormNumber(form, 'overlapSeconds'),
    });
    const { data, signingSecret } = await this.control.rotateSecret(accountId, id, overlapSeconds);
    const heading = 'New signing secret';
    return new HtmlPage(<WebhookCreatedPage heading={heading} webhook={data} secret={signingSecret!} />, {
      title: heading,
    });
  }

  @Post('delete')
  @BrowserOnly()
  async deleteWebhook(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<SeeOther> {
    await this.webhooks.deleteWebhook(toAccountRecipient(accountId), id);
    return new SeeOther('/console/webhooks');
  }

  private async renderWebhookPage(
    accountId: string,
    id: string,
    range: TimeRangeName = 'day',
    error?: ApiError,
  ): Promise<HtmlPage> {
    const webhook = await this.webhooks.getWebhook(toAccountRecipient(accountId), id);
    const names = await this.ownerNames.readNames(accountId, [webhook]);
    const { data: recent } = await this.deliveries.listDeliveries(accountId, id, { limit: RECENT_DELIVERIES });
    const now = this.clock.now();
    const slots = getAttemptSlots(range, now);
    const endpointState = { webhook, ...(await this.deliveries.findDueTimes(accountId, id)), now };
    const statistics = await this.deliveries.summarizeAttempts(accountId, id, slots);
    const problem = error ? `Nothing was sent: ${error.detail.replace('/url', 'the URL')}` : null;
    const facts = { ...endpointState, ownerNames: names, recentDeliveries: recent };
    const content = <WebhookPage {...{ ...facts, range, statistics, from: slots.from, problem }} />;
    return new HtmlPage(content, { title: webhook.url, status: error?.status, script: 'webhook.js' });
  }

  private renderEditForm({ id, url, headerNames }: WebhookDto, form: FormState): HtmlPage {
    const path = `/console/webhooks/${id}`;
    const content = (
      <WebhookForm
        form={form}
        urlRules={this.config.webhooks}
        heading="Edit webhook"
        parentLink={{ path, text: url }}
        action={`${path}/edit`}
        submitLabel="Save changes"
        headerNames={headerNames}
      />
    );
    return new HtmlPage(content, { title: 'Edit webhook', status: form.status });
  }
}
