import { queryDatabase } from './database';
import type { Service } from './service';

/** Columns that differ from the default row: an active session or an offline machine. */
export interface InsertedRowValues {
  count?: number;
  /** Unix ms of all rows. */
  createdAt?: number;
  updatedAt?: number;
  state?: string;
  machineId?: string | null;
}

/** Inserts sessions into the table. Returns their ids in order. */
export async function insertSessions(
  service: Service,
  accountId: string,
  { count = 1, createdAt = Date.now(), updatedAt = createdAt, state = 'active', machineId = null }: InsertedRowValues,
): Promise<string[]> {
  const rows = await queryDatabase<{ id: string }>(
    service,
    `INSERT INTO sessions (id, account_id, tag, state, machine_id, data_key_id, sealed_data_key,
                           created_at, updated_at, last_active_at)
     SELECT 'ses_0' || substr(md5($1 || n), 1, 25), $2, 'tag-' || md5($1 || n), $3, $4, 'key', 'sealed', $5, $6, $6
       FROM generate_series(1, $7::integer) n RETURNING id`,
    [nextRowSalt(), accountId, state, machineId, new Date(createdAt), new Date(updatedAt), count],
  );
  return rows.map((row) => row.id).sort();
}

/** Like `insertSessions`, for machines with their devices. */
export async function insertMachines(
  service: Service,
  accountId: string,
  { count = 1, createdAt = Date.now(), updatedAt = createdAt, state = 'offline' }: InsertedRowValues,
): Promise<string[]> {
  const salt = nextRowSalt();
  await queryDatabase(
    service,
    `INSERT INTO devices (id, account_id, kind, name, platform, public_key, encryption_key, thumbprint,
                          fingerprint, created_at)
     SELECT 'dev_0' || substr(md5($1 || n), 1, 25), $2, 'machine', 'box', 'linux', '{}', '{}', md5($1 || n), '', $3
       FROM generate_series(1, $4::integer) n`,
    [salt, accountId, new Date(createdAt), count],
  );
  await queryDatabase(
    service,
    `INSERT INTO device_presence (device_id, online, instance, epoch, capabilities, changed_at)
     SELECT 'dev_0' || substr(md5($1 || n), 1, 25), $2, (SELECT max(id) FROM instances), 1, '{}', $3
       FROM generate_series(1, $4::integer) n`,
    [salt, state === 'online', new Date(createdAt), count],
  );
  const rows = await queryDatabase<{ id: string }>(
    service,
    `INSERT INTO machines (id, account_id, device_id, name, platform, created_at, updated_at)
     SELECT 'mch_0' || substr(md5($1 || n), 1, 25), $2, 'dev_0' || substr(md5($1 || n), 1, 25), 'box', 'linux', $3, $4
       FROM generate_series(1, $5::integer) n RETURNING id`,
    [salt, accountId, new Date(createdAt), new Date(updatedAt), count],
  );
  return rows.map((row) => row.id).sort();
}

let saltCount = 0;

function nextRowSalt(): string {
  return `rows-${++saltCount}-`;
}
