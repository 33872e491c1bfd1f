import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a session's or an artifact's own row counts for in its account's storage, and the bytes of answers kept under
 * idempotency keys, per account and hour. Constant defaults rewrite no table. Rows from before, and rows of instances
 * that know nothing of this, have 0 and are counted with their next change.
 */
export class CountStorageWhole1795132822000 implements MigrationInterface {
  name = 'CountStorageWhole1795132822000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['sessions', 'artifacts'])
      await runner.query(`ALTER TABLE ${table} ADD COLUMN own_bytes integer NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE TABLE kept_answer_hours (
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        hour timestamptz(3) NOT NULL,
        bytes bigint NOT NULL,
        PRIMARY KEY (account_id, hour)
      )`);
    await runner.query(`CREATE INDEX kept_answer_hours_age_idx ON kept_answer_hours (hour)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE kept_answer_hours`);
    for (const table of ['sessions', 'artifacts']) await runner.query(`ALTER TABLE ${table} DROP COLUMN own_bytes`);
  }
}
