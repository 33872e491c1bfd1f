import { Body, Get, Param, Post } from '@nestjs/common';
import { BrowserOnly } from '../../../access/auth';
import { ApiError } from '../../../common/errors';
import { toAccountRecipient } from '../../../modules/event-access';
import { RotateWebhookSecretDto, WebhookControlService, WebhooksService } from '../../../modules/webhooks';
import { getFormNumber } from '../forms/form-state';
import { parseFormDto } from '../forms/parse-form-dto';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { HtmlPage, SeeOther } from '../html/html-page';
import type { FormFields } from '../html/read-page-form';
import type { Viewer } from '../html/viewer';
import { OwnerNameReader } from './owner-name-reader';
import { WebhookCreatedPage } from './new-webhook-page';
import { WebhookPage } from './webhook-page';

/** Shows one webhook and runs its actions (docs/guide/console.md#webhooks). */
@ConsoleController('console/webhooks/:id')
export class WebhookPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly control: WebhookControlService,
    private readonly ownerNames: OwnerNameReader,
  ) {}

  @Get()
  @BrowserOnly()
  showWebhook(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<HtmlPage> {
    return this.renderWebhookPage(accountId, id);
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
  async sendTest(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<HtmlPage | SeeOther> {
    try {
      await this.control.sendTestEvent(accountId, id);
      return new SeeOther(`/console/webhooks/${id}/deliveries`);
    } catch (error) {
      // The URL no longer resolves to a permitted address.
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      return this.renderWebhookPage(accountId, id, error);
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

  private async renderWebhookPage(accountId: string, id: string, error?: ApiError): Promise<HtmlPage> {
    const webhook = await this.webhooks.getWebhook(toAccountRecipient(accountId), id);
    const names = await this.ownerNames.readNames(accountId, [webhook]);
    const problem = error ? `Nothing was sent: ${error.detail.replace('/url', 'the URL')}` : null;
    const content = <WebhookPage webhook={webhook} ownerNames={names} problem={problem} />;
    return new HtmlPage(content, { title: webhook.url, status: error?.status });
  }
}
