import { Injectable } from '@nestjs/common';
import { AccountExport } from '../accounts';
import { toKeyGrantRecord } from './key-grant-record';
import { KeyGrantsRepository } from './key-grants.repository';

/** The grants' part of an account's export: their records, never the sealed key. */
@Injectable()
export class KeyGrantsExport {
  constructor(
    private readonly grants: KeyGrantsRepository,
    accountExport: AccountExport,
  ) {
    accountExport.register({ name: 'keyGrants', records: (accountId) => this.records(accountId) });
  }

  private async *records(accountId: string): AsyncGenerator<object> {
    for await (const row of this.grants.scan(accountId)) yield toKeyGrantRecord(row);
  }
}
