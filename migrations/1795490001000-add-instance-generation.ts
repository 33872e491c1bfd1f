import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tells whether an instance of the previous release runs, which has generation 0 (docs/decisions/0057). */
export class AddInstanceGeneration1795490001000 implements MigrationInterface {
  name = 'AddInstanceGeneration1795490001000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE instances ADD COLUMN generation integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE instances DROP COLUMN generation`);
  }
}
