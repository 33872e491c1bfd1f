import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndexConcurrently, dropIndexConcurrently } from './concurrent-indexes';

const OLD_INDEX = { name: 'key_grants_account_idx', table: 'key_grants', columns: 'account_id' };
const NEW_INDEX = { name: 'key_grants_export_idx', table: 'key_grants', columns: 'account_id, id' };

/** Key grants of an account in the order of its export. The new index replaces that of the account alone. */
export class IndexExportedKeyGrants1795460020000 implements MigrationInterface {
  name = 'IndexExportedKeyGrants1795460020000';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, NEW_INDEX);
    await dropIndexConcurrently(runner, OLD_INDEX.name);
  }

  async down(runner: QueryRunner): Promise<void> {
    await createIndexConcurrently(runner, OLD_INDEX);
    await dropIndexConcurrently(runner, NEW_INDEX.name);
  }
}
