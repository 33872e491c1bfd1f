import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which messages belong to which turns. A nullable column needs no new version of the rows. */
export class AddMessageTurns1795392010000 implements MigrationInterface {
  name = 'AddMessageTurns1795392010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE messages ADD COLUMN turn_id text COLLATE "C"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE messages DROP COLUMN turn_id`);
  }
}
