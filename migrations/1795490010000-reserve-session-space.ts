import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Leaves room in new pages of sessions for the versions of rows that appends write. Existing pages get room as their
 * rows change. The lock does not exclude reads and writes of rows.
 */
export class ReserveSessionSpace1795490010000 implements MigrationInterface {
  name = 'ReserveSessionSpace1795490010000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions SET (fillfactor = 85)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE sessions RESET (fillfactor)`);
  }
}
