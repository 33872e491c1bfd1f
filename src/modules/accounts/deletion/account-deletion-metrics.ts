import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { MINUTE } from '../../../common/clock';
import { PeriodicTask } from '../../../common/periodic-task';
import { Config } from '../../../core/config';
import { AccountDeletionRepository, type PendingDeletions } from './account-deletion.repository';

const GAUGES: [keyof PendingDeletions, name: string, help: string][] = [
  ['count', 'account_deletions_pending', 'Deleted accounts that still have records'],
  ['oldestSeconds', 'account_deletion_oldest_seconds', 'Time since the earliest of these deletions'],
];

/**
 * Measures pending deletions once a minute, if metrics are exported. The gauges describe the database, so that
 * instances agree on them: aggregate by `max`. An instance exports none while it cannot measure, instead of old values.
 */
@Injectable()
export class AccountDeletionMetrics implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly measurement = new PeriodicTask('account deletion measurement', MINUTE, () =>
    this.measureDeletions(),
  );
  private pendingDeletions: PendingDeletions | null = null;

  constructor(
    private readonly deletions: AccountDeletionRepository,
    private readonly config: Config,
    registry: Registry,
  ) {
    const readDeletions = () => this.pendingDeletions;
    for (const [key, name, help] of GAUGES) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.remove();
          const pendingDeletions = readDeletions();
          if (pendingDeletions) this.set(pendingDeletions[key]);
        },
      });
    }
  }

  onApplicationBootstrap(): void {
    if (this.config.metricsPort === null) return;
    this.measurement.start();
    this.measurement.trigger();
  }

  onApplicationShutdown(): Promise<void> {
    return this.measurement.stop();
  }

  async measureDeletions(): Promise<void> {
    this.pendingDeletions = null;
    this.pendingDeletions = await this.deletions.measurePendingDeletions();
  }
}
