import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Account devices as callers of other devices: their calls have no token. */
export class AddCallingDevices1795399200000 implements MigrationInterface {
  name = 'AddCallingDevices1795399200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE relay_calls
        ALTER COLUMN token_id DROP NOT NULL,
        ADD COLUMN caller_device_id text COLLATE "C"`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM relay_calls WHERE token_id IS NULL`);
    await runner.query(`
      ALTER TABLE relay_calls
        DROP COLUMN caller_device_id,
        ALTER COLUMN token_id SET NOT NULL`);
  }
}
