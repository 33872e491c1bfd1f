import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Clock, SECOND } from '../../common/clock';
import { PeriodicTask } from '../../common/periodic-task';
import { ReadOnlyState } from '../../common/read-only-state';
import { UnitOfWork } from '../../core/database';
import { addGauge } from '../../core/metrics';
import { AuditRecorder } from '../audit';
import { ReadOnlyModeRepository } from './read-only-mode.repository';

/** How late an instance notices a change. */
const REFRESH_INTERVAL_MS = SECOND;

/**
 * Read-only mode of all instances, for maintenance (docs/decisions/0052). It is a row in PostgreSQL, which every
 * instance reads once a second, so that it needs no Redis. Instances that can't read it keep the last known mode.
 */
@Injectable()
export class ReadOnlyModeService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('ReadOnlyMode');
  private readonly refreshTask = new PeriodicTask('read-only mode', REFRESH_INTERVAL_MS, () => this.refreshState());

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly repository: ReadOnlyModeRepository,
    private readonly readOnlyState: ReadOnlyState,
    private readonly auditRecorder: AuditRecorder,
    private readonly clock: Clock,
    registry: Registry,
  ) {
    addGauge(registry, 'read_only', 'Whether this instance is in read-only mode', () =>
      Number(readOnlyState.isReadOnly),
    );
  }

  /** Before the port opens, so that an instance that starts in read-only mode accepts no write. */
  async onApplicationBootstrap(): Promise<void> {
    await this.refreshState();
    this.refreshTask.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.refreshTask.stop();
  }

  /** Returns when the mode was switched on, and null while it is off. */
  getStartTime(): Promise<Date | null> {
    return this.repository.findStart();
  }

  /** Switches the mode on for all instances. Keeps an earlier start. */
  startReadOnlyMode(): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.repository.insertMode(this.clock.currentDate()))) return;
      await this.auditRecorder.recordActs({ act: 'read_only.started', accountId: null, targetId: null });
    });
  }

  endReadOnlyMode(): Promise<void> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.repository.deleteMode())) return;
      await this.auditRecorder.recordActs({ act: 'read_only.ended', accountId: null, targetId: null });
    });
  }

  private async refreshState(): Promise<void> {
    const isReadOnly = (await this.repository.findStart()) !== null;
    if (isReadOnly === this.readOnlyState.isReadOnly) return;
    this.readOnlyState.isReadOnly = isReadOnly;
    this.logger.log({ isReadOnly }, 'read-only mode changed');
  }
}
