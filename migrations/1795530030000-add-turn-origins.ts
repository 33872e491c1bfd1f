import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What began a turn. The previous release inserts turns of messages only, and leaves the default. */
export class AddTurnOrigins1795530030000 implements MigrationInterface {
  name = 'AddTurnOrigins1795530030000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE turns ADD COLUMN origin text NOT NULL DEFAULT 'message'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE turns DROP COLUMN origin`);
  }
}
