import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the account was deleted. Its records are deleted afterwards, in batches. Null if it is not deleted. */
export class AddAccountDeletion1795474800000 implements MigrationInterface {
  name = 'AddAccountDeletion1795474800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts ADD COLUMN deleted_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts DROP COLUMN deleted_at`);
  }
}
