import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which processes live, and which of them holds a device's connection. */
export class CreateInstances1795132810000 implements MigrationInterface {
  name = 'CreateInstances1795132810000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE instances (
        id text COLLATE "C" PRIMARY KEY,
        seen_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE SEQUENCE presence_epochs`);
    await runner.query(`
      ALTER TABLE devices
        ADD COLUMN presence_instance text COLLATE "C",
        ADD COLUMN presence_epoch bigint NOT NULL DEFAULT 0,
        ADD COLUMN presence_capabilities text[] NOT NULL DEFAULT '{}'`);
    await runner.query(`CREATE INDEX devices_online_idx ON devices (presence_instance) WHERE online`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX devices_online_idx`);
    await runner.query(`
      ALTER TABLE devices
        DROP COLUMN presence_instance, DROP COLUMN presence_epoch, DROP COLUMN presence_capabilities`);
    await runner.query(`DROP SEQUENCE presence_epochs`);
    await runner.query(`DROP TABLE instances`);
  }
}
