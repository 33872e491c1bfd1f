import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What instances ask for to close sockets: it names devices that may be gone already. */
export class CreateDeviceRevocations1795132806000 implements MigrationInterface {
  name = 'CreateDeviceRevocations1795132806000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE device_revocations (
        device_id text COLLATE "C" PRIMARY KEY,
        revoked_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE INDEX device_revocations_age_idx ON device_revocations (revoked_at)`);
    await runner.query(`DROP INDEX devices_revoked_idx`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX devices_revoked_idx ON devices (revoked_at) WHERE revoked_at IS NOT NULL`,
    );
    await runner.query(`DROP TABLE device_revocations`);
  }
}
