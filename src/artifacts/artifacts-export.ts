import { Injectable } from '@nestjs/common';
import { AccountExport } from '../accounts';
import { toDeviceArtifactRecord } from './artifact-record';
import { ArtifactsRepository } from './artifacts.repository';

/** The artifacts' part of an account's export: as devices read them back, ciphertext included. */
@Injectable()
export class ArtifactsExport {
  constructor(
    private readonly artifacts: ArtifactsRepository,
    accountExport: AccountExport,
  ) {
    accountExport.register({ name: 'artifacts', records: (accountId) => this.records(accountId) });
  }

  private async *records(accountId: string): AsyncGenerator<object> {
    for await (const row of this.artifacts.scan(accountId)) yield toDeviceArtifactRecord(row);
  }
}
