import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Bytes of events and deliveries that an account has written on its last day. The previous release counts none. */
export class CreateEventUsage1795510000000 implements MigrationInterface {
  name = 'CreateEventUsage1795510000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE event_usage (
        account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
        day date NOT NULL,
        bytes bigint NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE event_usage');
  }
}
