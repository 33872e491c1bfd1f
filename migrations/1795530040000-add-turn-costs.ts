import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What a turn cost, and how full the context of a session's model is, as their agent says. Null for agents that don't,
 * and for reports that the previous release stored.
 */
export class AddTurnCosts1795530040000 implements MigrationInterface {
  name = 'AddTurnCosts1795530040000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE turns ADD COLUMN cost jsonb`);
    await runner.query(`ALTER TABLE sessions ADD COLUMN context jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions DROP COLUMN context`);
    await runner.query(`ALTER TABLE turns DROP COLUMN cost`);
  }
}
