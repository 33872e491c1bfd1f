import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Config } from '../../../core/config';
import { DatabaseGauges } from '../../../core/metrics';
import { AccountDeletionRepository, type PendingDeletions } from './account-deletion.repository';

const GAUGES: [keyof PendingDeletions, name: string, help: string][] = [
  ['count', 'account_deletions_pending', 'Deleted accounts that still have records'],
  ['oldestSeconds', 'account_deletion_oldest_seconds', 'Time since the earliest of these deletions'],
];

/** Measures pending deletions. */
@Injectable()
export class AccountDeletionMetrics extends DatabaseGauges<PendingDeletions> {
  constructor(
    private readonly deletions: AccountDeletionRepository,
    config: Config,
    registry: Registry,
  ) {
    super('account deletion measurement', GAUGES, config, registry);
  }

  protected measureValues(): Promise<PendingDeletions> {
    return this.deletions.measurePendingDeletions();
  }
}
