import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from './concurrent-indexes';

const INDEX = {
  name: 'accounts_deleted_idx',
  table: 'accounts',
  columns: 'deleted_at',
  where: 'deleted_at IS NOT NULL',
};

/** The deleted accounts that still have records. */
export class IndexDeletedAccounts1795474810000 implements MigrationInterface {
  name = 'IndexDeletedAccounts1795474810000';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, INDEX);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropIndexConcurrently(runner, INDEX.name);
  }
}
