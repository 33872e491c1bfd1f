import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Machines that a personal access token is limited to; null for all machines (docs/decisions/0073). The previous
 * release does not know the limit, so no limited token is created while an instance of it runs.
 */
export class AddTokenMachines1795520000000 implements MigrationInterface {
  name = 'AddTokenMachines1795520000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE external_tokens ADD COLUMN machine_ids text[] COLLATE "C"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE external_tokens DROP COLUMN machine_ids`);
  }
}
