import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Vacuumed as soon as two thousand rows are dead: the rows live for a few seconds. */
const QUEUE_SETTINGS =
  'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0';

/**
 * Moves presence from indexed columns of `devices` and `machines` to a narrow table without an index on what changes
 * (docs/decisions/0057). The previous release writes and reads the columns: triggers copy its writes to the table, and
 * `PreviousReleasePresenceRepository` copies the table to the columns while an instance of it runs. The next release
 * drops the columns, their indexes and the triggers. The next three migrations each lock another table, or none.
 */
export class CreateDevicePresence1795490000000 implements MigrationInterface {
  name = 'CreateDevicePresence1795490000000';

  async up(runner: QueryRunner): Promise<void> {
    await createTables(runner);
    await createDeviceTrigger(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER devices_presence ON devices`);
    await runner.query(`DROP FUNCTION copy_device_presence()`);
    await runner.query(`
      UPDATE devices d SET online = p.online AND d.revoked_at IS NULL, presence_instance = p.instance,
             presence_epoch = p.epoch, presence_capabilities = p.capabilities,
             last_seen_at = greatest(d.last_seen_at, p.changed_at)
        FROM device_presence p WHERE p.device_id = d.id AND p.epoch > 0`);
    await runner.query(`
      UPDATE machines m SET state = CASE WHEN p.online THEN 'online' ELSE 'offline' END,
             announced_state = CASE WHEN p.announced_online THEN 'online' ELSE 'offline' END,
             capabilities = p.capabilities, last_seen_at = p.changed_at, turned_at = p.changed_at,
             updated_at = greatest(m.updated_at, p.changed_at)
        FROM device_presence p WHERE p.device_id = m.device_id AND p.epoch > 0`);
    await runner.query(`DROP TABLE machine_state_changes`);
    await runner.query(`DROP TABLE device_presence`);
  }
}

async function createTables(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE TABLE device_presence (
      device_id text COLLATE "C" PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
      online boolean NOT NULL,
      was_online boolean NOT NULL DEFAULT false,
      announced_online boolean NOT NULL DEFAULT false,
      instance text COLLATE "C",
      epoch bigint NOT NULL,
      capabilities text[] NOT NULL,
      changed_at timestamptz(3)
    ) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`);
  await runner.query(`
    CREATE TABLE machine_state_changes (
      device_id text COLLATE "C" PRIMARY KEY REFERENCES devices ON DELETE CASCADE,
      changed_at timestamptz(3) NOT NULL
    ) WITH (${QUEUE_SETTINGS})`);
  await runner.query(`CREATE INDEX machine_state_changes_due_idx ON machine_state_changes (changed_at)`);
}

/** Only the previous release writes these columns. A copy of its own state, of the same epoch, changes nothing. */
async function createDeviceTrigger(runner: QueryRunner): Promise<void> {
  await runner.query(`
    CREATE FUNCTION copy_device_presence() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO device_presence AS p (device_id, online, instance, epoch, capabilities, changed_at, announced_online)
      VALUES (NEW.id, NEW.online, NEW.presence_instance, NEW.presence_epoch, NEW.presence_capabilities,
              NEW.last_seen_at,
              coalesce((SELECT announced_state = 'online' FROM machines WHERE device_id = NEW.id), false))
      ON CONFLICT (device_id) DO UPDATE SET online = excluded.online, was_online = p.online,
        instance = excluded.instance, epoch = excluded.epoch, capabilities = excluded.capabilities,
        changed_at = excluded.changed_at
       WHERE p.epoch <= excluded.epoch
         AND (p.online, p.epoch) IS DISTINCT FROM (excluded.online, excluded.epoch);
      RETURN NULL;
    END $$`);
  await runner.query(`
    CREATE TRIGGER devices_presence AFTER UPDATE OF online, presence_epoch ON devices
      FOR EACH ROW WHEN (NEW.presence_epoch > 0) EXECUTE FUNCTION copy_device_presence()`);
}
