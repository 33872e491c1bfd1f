import { Injectable } from '@nestjs/common';
import { AccountExport } from '../accounts';
import { to{{Item}}Record } from './{{item-file}}-record';
import { {{Items}}Repository } from './{{items-file}}.repository';

/** Their part of an account's export: the records. */
@Injectable()
export class {{Items}}Export {
  constructor(
    private readonly repository: {{Items}}Repository,
    accountExport: AccountExport,
  ) {
    accountExport.register({ name: '{{items}}', records: (accountId) => this.records(accountId) });
  }

  private async *records(accountId: string): AsyncGenerator<object> {
    for await (const row of this.repository.scan(accountId)) yield to{{Item}}Record(row);
  }
}
