import { setImmediate as yieldToEvents } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { AuditRecorder } from '../../../access/audit';
import { getReferences, UnitOfWork, type ForeignKey } from '../../../core/database';
import { EventOutboxService } from '../../../core/events';
import { AccountDeletionRepository } from './account-deletion.repository';
import { AccountRevocationRegistry } from './account-revocation-registry';
import { AccountRecordsRepository } from './account-records.repository';

/** Rows of a transaction. */
const BATCH_SIZE = 500;
/** Rows that a statement finds for several batches, since it reads over the deleted ones before. */
const FOUND_ROWS = 10 * BATCH_SIZE;

type Batch = () => Promise<unknown>;

/**
 * Deletes the records of deleted accounts in batches, so that no transaction locks many rows for long
 * (docs/decisions/0048). It finds the tables by their foreign keys. Instances may work on one account at once.
 */
@Injectable()
export class AccountCleanup {
  private readonly logger = new Logger('AccountCleanup');

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly deletions: AccountDeletionRepository,
    private readonly revocations: AccountRevocationRegistry,
    private readonly records: AccountRecordsRepository,
    private readonly eventOutboxService: EventOutboxService,
    private readonly auditRecorder: AuditRecorder,
  ) {}

  /**
   * Deletes the account's records, and its own row last. Stops when another instance works on the account.
   * @param isStopped whether to stop after the current batch
   * @returns whether this call has deleted the account's row
   */
  async deleteRecords(accountId: string, isStopped: () => boolean = () => false): Promise<boolean> {
    const startedAt = performance.now();
    await this.revocations.runRevocationSteps(accountId);
    let batches = 0;
    for await (const batch of this.planBatches(accountId)) {
      if (isStopped() || !(await this.runBatch(accountId, batch))) return false;
      batches++;
      // The embedded database runs in this process, and would keep it from answering anyone.
      await yieldToEvents();
    }
    if (!(await this.runBatch(accountId, () => this.deleteLastRows(accountId)))) return false;
    const ms = Math.round(performance.now() - startedAt);
    this.logger.log({ accountId, batches, ms }, 'account records deleted');
    return true;
  }

  private async *planBatches(accountId: string): AsyncGenerator<Batch> {
    const foreignKeys = await this.records.readForeignKeys();
    for (const foreignKey of getReferences(foreignKeys, 'accounts')) {
      yield* this.planReferences(foreignKeys, foreignKey, [accountId]);
    }
    yield* planEvents((limit) => this.eventOutboxService.deleteLoggedEvents(accountId, limit));
    yield* planEvents((limit) => this.auditRecorder.deleteAccountEvents(accountId, limit));
  }

  /** Plans the batches for the rows that refer to these ids, and before them for those that refer to the rows. */
  private async *planReferences(
    foreignKeys: readonly ForeignKey[],
    foreignKey: ForeignKey,
    ids: readonly string[],
  ): AsyncGenerator<Batch> {
    const references = foreignKey.onDelete === 'cascade' ? getReferences(foreignKeys, foreignKey.table) : [];
    const key = references.length > 0 ? 'id' : 'ctid';
    for (;;) {
      const rowKeys = await this.records.findRows(foreignKey, key, ids, FOUND_ROWS);
      if (rowKeys.length === 0) return;
      for (let start = 0; start < rowKeys.length; start += BATCH_SIZE) {
        const batchKeys = rowKeys.slice(start, start + BATCH_SIZE);
        for (const reference of references) yield* this.planReferences(foreignKeys, reference, batchKeys);
        yield () => this.records.removeRows(foreignKey, key, batchKeys, ids);
      }
    }
  }

  /** Deletes the rest. No foreign key makes transactions wait that record events, so these come last. */
  private async deleteLastRows(accountId: string): Promise<void> {
    await this.deletions.deleteAccountRow(accountId);
    await this.eventOutboxService.deleteLoggedEvents(accountId);
    await this.auditRecorder.deleteAccountEvents(accountId);
  }

  private runBatch(accountId: string, batch: Batch): Promise<boolean> {
    return this.unitOfWork.runInTransaction(async () => {
      if (!(await this.deletions.lockDeletedAccount(accountId))) return false;
      await batch();
      return true;
    });
  }
}

/** Plans batches until one is not full. */
function* planEvents(deleteEvents: (limit: number) => Promise<number>): Generator<Batch> {
  let count = BATCH_SIZE;
  while (count === BATCH_SIZE) {
    yield async () => {
      count = await deleteEvents(BATCH_SIZE);
    };
  }
}
