import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Periodic tasks that one instance runs for all, with the time of the next turn. */
export class CreateTaskTurns1795485000000 implements MigrationInterface {
  name = 'CreateTaskTurns1795485000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE task_turns (
        task text PRIMARY KEY,
        next_at timestamptz(3) NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE task_turns`);
  }
}
