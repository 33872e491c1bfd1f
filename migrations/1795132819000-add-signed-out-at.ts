import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a person signed out everywhere: sockets on older tokens are to be closed. */
export class AddSignedOutAt1795132819000 implements MigrationInterface {
  name = 'AddSignedOutAt1795132819000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts ADD COLUMN signed_out_at timestamptz(3)`);
    await runner.query(
      `CREATE INDEX accounts_signed_out_idx ON accounts (signed_out_at) WHERE signed_out_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX accounts_signed_out_idx`);
    await runner.query(`ALTER TABLE accounts DROP COLUMN signed_out_at`);
  }
}
