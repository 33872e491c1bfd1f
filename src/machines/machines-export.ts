import { Injectable } from '@nestjs/common';
import { AccountExport } from '../accounts';
import { toMachineRecord } from './machine-record';
import { MachinesRepository } from './machines.repository';

/** The machines' part of an account's export: their records. */
@Injectable()
export class MachinesExport {
  constructor(
    private readonly machines: MachinesRepository,
    accountExport: AccountExport,
  ) {
    accountExport.register({ name: 'machines', records: (accountId) => this.records(accountId) });
  }

  private async *records(accountId: string): AsyncGenerator<object> {
    for await (const row of this.machines.scan(accountId)) yield toMachineRecord(row);
  }
}
