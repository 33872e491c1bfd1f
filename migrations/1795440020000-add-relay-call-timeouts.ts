import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether the time limit ended the command of a call. Null for calls of the previous release. */
export class AddRelayCallTimeouts1795440020000 implements MigrationInterface {
  name = 'AddRelayCallTimeouts1795440020000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE relay_calls ADD COLUMN timed_out boolean`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE relay_calls DROP COLUMN timed_out`);
  }
}
