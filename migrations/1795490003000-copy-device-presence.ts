import type { MigrationInterface, QueryRunner } from 'typeorm';

const BATCH_SIZE = 10_000;

/** Copies the presence of the next devices, in the order of their ids, unless a trigger has copied it. */
const COPY_BATCH = `
  WITH batch AS (SELECT id FROM devices WHERE id > $1 ORDER BY id LIMIT $2),
  copied AS (
    INSERT INTO device_presence (device_id, online, instance, epoch, capabilities, changed_at, announced_online)
    SELECT d.id, d.online, d.presence_instance, d.presence_epoch, d.presence_capabilities,
           coalesce(m.last_seen_at, d.last_seen_at), coalesce(m.announced_state = 'online', false)
      FROM batch JOIN devices d ON d.id = batch.id LEFT JOIN machines m ON m.device_id = d.id
     WHERE d.presence_epoch > 0
    ON CONFLICT DO NOTHING)
  SELECT max(id) AS last FROM batch`;

/** Fills `device_presence`, whose triggers have copied all changes since it was created. Locks no table. */
export class CopyDevicePresence1795490003000 implements MigrationInterface {
  name = 'CopyDevicePresence1795490003000';
  transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    for (let after: string | null = ''; after !== null;) {
      const [row] = (await runner.query(COPY_BATCH, [after, BATCH_SIZE])) as { last: string | null }[];
      after = row!.last;
    }
  }

  /** The rows are deleted with their table. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}
