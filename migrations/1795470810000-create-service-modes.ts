import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Modes that operators have switched on for all instances, such as `read_only`. */
export class CreateServiceModes1795470810000 implements MigrationInterface {
  name = 'CreateServiceModes1795470810000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE service_modes (
        name text PRIMARY KEY,
        started_at timestamptz(3) NOT NULL
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE service_modes`);
  }
}
