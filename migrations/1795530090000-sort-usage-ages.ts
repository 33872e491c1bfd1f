import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently, type ConcurrentIndex } from './concurrent-indexes';

const HOUR_INDEX: ConcurrentIndex = { name: 'usage_counts_hour_idx', table: 'usage_counts', columns: 'hour' };

/** Lost its order when new rows filled the pages of deleted ones: each run of the retention then read the table. */
const AGE_INDEX: ConcurrentIndex = {
  name: 'usage_counts_age_idx',
  table: 'usage_counts',
  columns: 'hour',
  method: 'brin',
};

/** Replaces the index by which the retention finds expired counts. It serves the previous release as well. */
export class SortUsageAges1795530090000 implements MigrationInterface {
  name = 'SortUsageAges1795530090000';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, HOUR_INDEX);
    await dropIndexConcurrently(runner, AGE_INDEX.name);
  }

  async down(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, AGE_INDEX);
    await dropIndexConcurrently(runner, HOUR_INDEX.name);
  }
}
