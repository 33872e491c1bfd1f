import { Body, Get, Post, Query } from '@nestjs/common';
import { SessionOnly } from '../../auth';
import { PageQuery } from '../../common/pages';
import { Config } from '../../config';
import { CreateWebhookDto, ownerOf, WebhooksService } from '../../webhooks';
import { freshForm, listOf, refusedForm, textOf, type FormState } from '../forms/form-state';
import { readDto } from '../forms/read-dto';
import { ConsoleController } from '../html/console-controller';
import { CurrentViewer } from '../html/current-viewer';
import { Page } from '../html/page';
import type { FormFields } from '../html/read-form';
import type { Viewer } from '../html/viewer';
import { CreatorNames } from './creator-names';
import { NewWebhook } from './new-webhook';
import { WebhookList } from './webhook-list';
import { WebhookShown } from './webhook-shown';

/** The account's webhooks, and new ones (console.md, Webhooks). */
@ConsoleController('console/webhooks')
export class WebhooksPagesController {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly names: CreatorNames,
    private readonly config: Config,
  ) {}

  @Get()
  @SessionOnly()
  async list(@CurrentViewer() { accountId }: Viewer, @Query() query: PageQuery): Promise<Page> {
    const webhooks = await this.webhooks.list(ownerOf(accountId), query);
    const names = await this.names.of(accountId, webhooks.data);
    const { publicUrl } = this.config;
    const content = <WebhookList webhooks={webhooks} names={names} cursor={query.cursor} publicUrl={publicUrl} />;
    return new Page(content, { title: 'Webhooks' });
  }

  @Get('new')
  @SessionOnly()
  form(): Page {
    return newPage(freshForm());
  }

  @Post()
  @SessionOnly()
  async create(@CurrentViewer() { accountId }: Viewer, @Body() form: FormFields): Promise<Page> {
    try {
      const request = await readDto(CreateWebhookDto, {
        url: textOf(form, 'url'),
        events: listOf(form, 'events'),
        description: textOf(form, 'description'),
      });
      const { answer } = await this.webhooks.create(ownerOf(accountId), request);
      const heading = 'Your new webhook';
      const content = <WebhookShown heading={heading} webhook={answer.data} secret={answer.signingSecret!} />;
      return new Page(content, { title: heading });
    } catch (error) {
      return newPage(refusedForm(form, error));
    }
  }
}

function newPage(form: FormState): Page {
  return new Page(<NewWebhook form={form} />, {
    title: 'New webhook',
    status: form.status,
  });
}
