import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a person has renamed a device, whose name is then also that of its machine. */
export class AddDeviceRenames1795530085000 implements MigrationInterface {
  name = 'AddDeviceRenames1795530085000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE devices ADD COLUMN renamed_at timestamptz(3)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE devices DROP COLUMN renamed_at`);
  }
}
