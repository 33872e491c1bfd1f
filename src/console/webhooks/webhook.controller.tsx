import { Body, Get, Param, Post } from '@nestjs/common';
import { SessionOnly } from '../../auth';
import { ApiError } from '../../common/errors';
import { ownerOf, RotateSecretDto, WebhookControl, WebhooksService } from '../../webhooks';
import { numberOf } from '../forms/form-state';
import { readDto } from '../forms/read-dto';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page, SeeOther } from '../html/page';
import type { FormFields } from '../html/read-form';
import type { Viewer } from '../html/viewer';
import { CreatorNames } from './creator-names';
import { WebhookPage } from './webhook-page';
import { WebhookShown } from './webhook-shown';

/** One webhook, and what is done with it (console.md, Webhooks). */
@ConsoleController('console/webhooks/:id')
export class WebhookPageController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly control: WebhookControl,
    private readonly names: CreatorNames,
  ) {}

  @Get()
  @SessionOnly()
  show(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<Page> {
    return this.page(accountId, id);
  }

  @Post('pause')
  @SessionOnly()
  async pause(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<SeeOther> {
    await this.control.pause(accountId, id);
    return new SeeOther(`/console/webhooks/${id}`);
  }

  @Post('resume')
  @SessionOnly()
  async resume(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<SeeOther> {
    await this.control.resume(accountId, id);
    return new SeeOther(`/console/webhooks/${id}`);
  }

  @Post('test')
  @SessionOnly()
  async test(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<Page | SeeOther> {
    try {
      await this.control.test(accountId, id);
      return new SeeOther(`/console/webhooks/${id}/deliveries`);
    } catch (error) {
      // Its address leads elsewhere by now.
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      return this.page(accountId, id, error);
    }
  }

  @Post('rotate-secret')
  @SessionOnly()
  async rotateSecret(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
    @Body() form: FormFields,
  ): Promise<Page> {
    const { overlapSeconds } = await readDto(RotateSecretDto, {
      overlapSeconds: numberOf(form, 'overlapSeconds'),
    });
    const { data, signingSecret } = await this.control.rotateSecret(accountId, id, overlapSeconds);
    const heading = 'The new signing secret';
    return new Page(<WebhookShown heading={heading} webhook={data} secret={signingSecret!} />, {
      title: heading,
    });
  }

  @Post('delete')
  @SessionOnly()
  async delete(@CurrentViewer() { accountId }: Viewer, @Param('id') id: string): Promise<SeeOther> {
    await this.webhooks.delete(ownerOf(accountId), id);
    return new SeeOther('/console/webhooks');
  }

  private async page(accountId: string, id: string, refusal?: ApiError): Promise<Page> {
    const webhook = await this.webhooks.get(ownerOf(accountId), id);
    const names = await this.names.of(accountId, [webhook]);
    const problem = refusal ? `Nothing was sent: ${refusal.detail.replace('/url', 'the address')}` : null;
    const content = <WebhookPage webhook={webhook} names={names} problem={problem} />;
    return new Page(content, { title: webhook.url, status: refusal?.status });
  }
}
