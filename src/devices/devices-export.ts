import { Injectable } from '@nestjs/common';
import { AccountExport } from '../accounts';
import { toDeviceRecord } from './device-record';
import { DevicesRepository } from './devices.repository';

/** The devices' part of an account's export: their records, public keys and enrollments. */
@Injectable()
export class DevicesExport {
  constructor(
    private readonly devices: DevicesRepository,
    accountExport: AccountExport,
  ) {
    accountExport.register({ name: 'devices', records: (accountId) => this.records(accountId) });
  }

  private async *records(accountId: string): AsyncGenerator<object> {
    for await (const row of this.devices.scan(accountId)) {
      const { public_key: publicKey, encryption_key: encryptionKey, enrollment } = row;
      yield { ...toDeviceRecord(row), publicKey, encryptionKey, enrollment };
    }
  }
}
