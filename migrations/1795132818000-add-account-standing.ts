import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an operator says of an account: that it is suspended, and limits of its own. */
export class AddAccountStanding1795132818000 implements MigrationInterface {
  name = 'AddAccountStanding1795132818000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts ADD COLUMN suspended_at timestamptz(3)`);
    await runner.query(`ALTER TABLE accounts ADD COLUMN limits jsonb NOT NULL DEFAULT '{}'`);
    await runner.query(
      `CREATE INDEX accounts_suspended_idx ON accounts (suspended_at) WHERE suspended_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX accounts_suspended_idx`);
    await runner.query(`ALTER TABLE accounts DROP COLUMN limits`);
    await runner.query(`ALTER TABLE accounts DROP COLUMN suspended_at`);
  }
}
