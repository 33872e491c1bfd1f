import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Calls by hour, as every instance adds them up. Rows outlive the tokens that they name. */
export class CreateUsageCounts1795132805000 implements MigrationInterface {
  name = 'CreateUsageCounts1795132805000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE usage_counts (
        account_id text COLLATE "C" NOT NULL REFERENCES accounts ON DELETE CASCADE,
        hour timestamptz(3) NOT NULL,
        bucket text COLLATE "C" NOT NULL,
        token_id text COLLATE "C" NOT NULL,
        operation text COLLATE "C" NOT NULL,
        requests integer NOT NULL,
        errors integer NOT NULL,
        rate_limited integer NOT NULL,
        PRIMARY KEY (account_id, hour, bucket, token_id, operation)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE usage_counts`);
  }
}
