import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from './concurrent-indexes';

/** Foreign keys whose table PostgreSQL read as a whole for each deletion of an account or a machine. */
const FOREIGN_KEYS = [
  { name: 'sessions_machine_fk_idx', table: 'sessions', columns: 'machine_id' },
  { name: 'idempotency_keys_account_idx', table: 'idempotency_keys', columns: 'account_id' },
  { name: 'pairings_account_idx', table: 'pairings', columns: 'account_id' },
  { name: 'invitations_account_idx', table: 'invitations', columns: 'account_id' },
];

export class IndexForeignKeys1795460010000 implements MigrationInterface {
  name = 'IndexForeignKeys1795460010000';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (const index of FOREIGN_KEYS) await createIndexConcurrently(runner, index);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of FOREIGN_KEYS) await dropIndexConcurrently(runner, name);
  }
}
