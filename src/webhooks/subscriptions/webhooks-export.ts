import { Injectable } from '@nestjs/common';
import { AccountExport } from '../../accounts';
import { toWebhookRecord } from './webhook-record';
import { WebhooksRepository } from './webhooks.repository';

/** The webhooks' part of an account's export: their records, never a secret. */
@Injectable()
export class WebhooksExport {
  constructor(
    private readonly webhooks: WebhooksRepository,
    accountExport: AccountExport,
  ) {
    accountExport.register({ name: 'webhooks', records: (accountId) => this.records(accountId) });
  }

  private async *records(accountId: string): AsyncGenerator<object> {
    for await (const row of this.webhooks.scan(accountId)) yield toWebhookRecord(row);
  }
}
