import { Injectable } from '@nestjs/common';
import { AccountExport } from '../accounts';
import { toDeviceSessionRecord } from './session-record';
import { SessionsRepository } from './sessions.repository';

/** The sessions' part of an account's export: as devices read them back. */
@Injectable()
export class SessionsExport {
  constructor(
    private readonly sessions: SessionsRepository,
    accountExport: AccountExport,
  ) {
    accountExport.register({ name: 'sessions', records: (accountId) => this.records(accountId) });
  }

  private async *records(accountId: string): AsyncGenerator<object> {
    for await (const row of this.sessions.scan(accountId)) yield toDeviceSessionRecord(row);
  }
}
