import { Injectable } from '@nestjs/common';
import { AccountExport } from '../accounts';
import { toDeviceMessageRecord } from './message-record';
import { MessagesRepository } from './messages.repository';

/** The messages' part of an account's export: as devices read them back, ciphertext included. */
@Injectable()
export class MessagesExport {
  constructor(
    private readonly messages: MessagesRepository,
    accountExport: AccountExport,
  ) {
    accountExport.register({ name: 'messages', records: (accountId) => this.records(accountId) });
  }

  private async *records(accountId: string): AsyncGenerator<object> {
    for await (const row of this.messages.scan(accountId)) yield toDeviceMessageRecord(row);
  }
}
