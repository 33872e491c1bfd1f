import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccountExporter } from '../../accounts';
import { toWebhookDto } from './webhook.response.dto';
import { WebhooksRepository } from './webhooks.repository';

/** Exports an account's webhooks, without their secrets. */
@Injectable()
export class WebhooksExporter implements OnModuleInit {
  constructor(
    private readonly webhooks: WebhooksRepository,
    private readonly accountExporter: AccountExporter,
  ) {}

  onModuleInit(): void {
    this.accountExporter.registerSection({
      name: 'webhooks',
      readRecords: (accountId) => this.exportWebhooks(accountId),
    });
  }

  private async *exportWebhooks(accountId: string): AsyncGenerator<object> {
    for await (const row of this.webhooks.scanByAccount(accountId)) yield toWebhookDto(row);
  }
}
