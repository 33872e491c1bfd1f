import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently, type ConcurrentIndex } from './concurrent-indexes';

/** States that are rare. Lists of the others read the index of all deliveries, or of pending ones. */
const UNSUCCESSFUL_INDEX: ConcurrentIndex = {
  name: 'webhook_deliveries_unsuccessful_idx',
  table: 'webhook_deliveries',
  columns: 'webhook_id, state, created_at, id',
  where: `state IN ('failed', 'cancelled')`,
};

const FILTER_INDEXES: ConcurrentIndex[] = ['state', 'type'].map((column) => ({
  name: `webhook_deliveries_${column}_idx`,
  table: 'webhook_deliveries',
  columns: `webhook_id, ${column}, created_at, id`,
}));

/** Lost its order when new rows filled the pages of deleted ones. Retention reads the primary key instead. */
const AGE_INDEX: ConcurrentIndex = {
  name: 'webhook_deliveries_age_idx',
  table: 'webhook_deliveries',
  columns: 'created_at',
  method: 'brin',
};

const DROPPED_INDEXES = [...FILTER_INDEXES, AGE_INDEX];

/**
 * Drops the indexes of states and types, which each end of a delivery wrote again, and of ages. The previous release
 * then reads its lists with these filters from the index of all deliveries, and the table to find expired rows.
 */
export class ReduceDeliveryIndexes1795485010000 implements MigrationInterface {
  name = 'ReduceDeliveryIndexes1795485010000';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, UNSUCCESSFUL_INDEX);
    for (const { name } of DROPPED_INDEXES) await dropIndexConcurrently(runner, name);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const index of DROPPED_INDEXES) await createIndexConcurrently(runner, index);
    await dropIndexConcurrently(runner, UNSUCCESSFUL_INDEX.name);
  }
}
