import { Injectable } from '@nestjs/common';
import { AccountExport } from '../accounts';
import { Clock } from '../common/clock';
import { toExternalTokenRecord } from './external-token-record';
import { ExternalTokensRepository } from './external-tokens.repository';

/** The tokens' part of an account's export: their records, never a secret. */
@Injectable()
export class ExternalTokensExport {
  constructor(
    private readonly tokens: ExternalTokensRepository,
    private readonly clock: Clock,
    accountExport: AccountExport,
  ) {
    accountExport.register({ name: 'tokens', records: (accountId) => this.records(accountId) });
  }

  private async *records(accountId: string): AsyncGenerator<object> {
    const now = this.clock.now();
    for await (const row of this.tokens.scan(accountId)) yield toExternalTokenRecord(row, now);
  }
}
