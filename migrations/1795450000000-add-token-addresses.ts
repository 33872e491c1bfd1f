import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Client address of the last recorded use of a token. Null for tokens that the previous release used last. */
export class AddTokenAddresses1795450000000 implements MigrationInterface {
  name = 'AddTokenAddresses1795450000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE external_tokens ADD COLUMN last_used_address text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE external_tokens DROP COLUMN last_used_address`);
  }
}
