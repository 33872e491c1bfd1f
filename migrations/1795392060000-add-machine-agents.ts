import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Agents that a machine announces when it registers. */
export class AddMachineAgents1795392060000 implements MigrationInterface {
  name = 'AddMachineAgents1795392060000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE machines ADD COLUMN agents jsonb NOT NULL DEFAULT '[]'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE machines DROP COLUMN agents`);
  }
}
