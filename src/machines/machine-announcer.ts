import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock, SECOND } from '../common/clock';
import { Ticker } from '../common/ticker';
import { Changes } from '../events';
import { UnitOfWork } from '../persistence';
import { toMachineRecord } from './machine-record';
import { MachinesRepository } from './machines.repository';

/** A state that did not last is not told (webhooks.md, Types). */
const LASTING_MS = 5 * SECOND;
const EVERY_MS = SECOND;
const BATCH = 100;

/** Tells of machines that came or went once that has lasted; of several instances, one. */
@Injectable()
export class MachineAnnouncer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly ticker = new Ticker('machine announcements', EVERY_MS, () => this.announce());

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly machines: MachinesRepository,
    private readonly changes: Changes,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.ticker.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.ticker.stop();
  }

  private announce(): Promise<boolean> {
    return this.unitOfWork.run(async () => {
      const rows = await this.machines.announce(new Date(this.clock.now() - LASTING_MS), BATCH);
      for (const row of rows) {
        const type = row.state === 'online' ? 'machine.online' : 'machine.offline';
        this.changes.publish({ type, accountId: row.account_id, data: toMachineRecord(row) });
      }
      return rows.length === BATCH;
    });
  }
}
