import { query } from './database';
import type { Service } from './service';

/** Columns of the rows to insert that differ from a plain active session's or offline machine's. */
export interface RowValues {
  count?: number;
  /** Unix ms of all of them. */
  createdAt?: number;
  updatedAt?: number;
  state?: string;
  machineId?: string | null;
}

/** Puts sessions straight into the table; answers their ids, in the order of their ids. */
export async function insertSessions(
  service: Service,
  accountId: string,
  { count = 1, createdAt = Date.now(), updatedAt = createdAt, state = 'active', machineId = null }: RowValues,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    service,
    `INSERT INTO sessions (id, account_id, tag, state, machine_id, data_key_id, sealed_data_key,
                           created_at, updated_at, last_active_at)
     SELECT 'ses_0' || substr(md5($1 || n), 1, 25), $2, 'tag-' || md5($1 || n), $3, $4, 'key', 'sealed', $5, $6, $6
       FROM generate_series(1, $7::integer) n RETURNING id`,
    [unique(), accountId, state, machineId, new Date(createdAt), new Date(updatedAt), count],
  );
  return rows.map((row) => row.id).sort();
}

/** As `insertSessions`, for machines and the devices that they need. */
export async function insertMachines(
  service: Service,
  accountId: string,
  { count = 1, createdAt = Date.now(), updatedAt = createdAt, state = 'offline' }: RowValues,
): Promise<string[]> {
  const salt = unique();
  await query(
    service,
    `INSERT INTO devices (id, account_id, kind, name, platform, public_key, encryption_key, thumbprint,
                          fingerprint, created_at)
     SELECT 'dev_0' || substr(md5($1 || n), 1, 25), $2, 'machine', 'box', 'linux', '{}', '{}', md5($1 || n), '', $3
       FROM generate_series(1, $4::integer) n`,
    [salt, accountId, new Date(createdAt), count],
  );
  const rows = await query<{ id: string }>(
    service,
    `INSERT INTO machines (id, account_id, device_id, name, platform, state, created_at, updated_at)
     SELECT 'mch_0' || substr(md5($1 || n), 1, 25), $2, 'dev_0' || substr(md5($1 || n), 1, 25), 'box', 'linux',
            $3, $4, $5
       FROM generate_series(1, $6::integer) n RETURNING id`,
    [salt, accountId, state, new Date(createdAt), new Date(updatedAt), count],
  );
  return rows.map((row) => row.id).sort();
}

let serial = 0;

function unique(): string {
  return `rows-${++serial}-`;
}
