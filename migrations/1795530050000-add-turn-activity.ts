import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the agent of a turn last did something. Null for devices that don't say. */
export class AddTurnActivity1795530050000 implements MigrationInterface {
  name = 'AddTurnActivity1795530050000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE turns ADD COLUMN last_activity_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE turns DROP COLUMN last_activity_at`);
  }
}
