import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an operator suspended the app, for all accounts. Null if it is not suspended. */
export class AddAppSuspension1795470800000 implements MigrationInterface {
  name = 'AddAppSuspension1795470800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE developer_apps ADD COLUMN suspended_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE developer_apps DROP COLUMN suspended_at`);
  }
}
