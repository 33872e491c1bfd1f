import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Response headers of an attempt, without secrets. Null without a response, and for attempts of the previous release. */
export class AddAttemptHeaders1795450010000 implements MigrationInterface {
  name = 'AddAttemptHeaders1795450010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhook_attempts ADD COLUMN response_headers jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE webhook_attempts DROP COLUMN response_headers`);
  }
}
